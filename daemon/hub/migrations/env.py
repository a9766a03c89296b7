"""Run by Alembic: migrates on the connection that `daemon.hub.database` gives it."""

from alembic import context

from daemon.hub.tables import metadata

if __name__ == "env_py":  # Alembic's name for this file; nothing else may run it
    context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
    with context.begin_transaction():
        context.run_migrations()
