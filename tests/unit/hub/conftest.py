"""The fixtures of the hub's tests."""

from tests.fakes.postgres import database, empty, server

__all__ = ["database", "empty", "server"]
