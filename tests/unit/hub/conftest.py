"""The fixtures of the hub's tests."""

from tests.fakes.postgres import database, empty, module_database, server

__all__ = ["database", "empty", "module_database", "server"]
