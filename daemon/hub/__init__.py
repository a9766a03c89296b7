"""The hub: what several vaults publish, who may read it, in PostgreSQL with pgvector.

A vault never needs it, and only commands of `lacuna hub` import this package.
"""
