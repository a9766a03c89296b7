"""The schemas of the caches next to the database: the library, and results of analyses."""

from daemon.store.schema import Shape

# The user's documents: the files, their content, and where words occur.
_LIBRARY = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  digest TEXT NOT NULL UNIQUE,            -- of the bytes, their kind and the extractor's version
  title TEXT NOT NULL,
  about TEXT NOT NULL,                    -- JSON: what it says of itself, and its places
  text BLOB NOT NULL,                     -- UTF-8, deflated
  spans TEXT NOT NULL,                    -- JSON: [start, end] of each passage in the text
  passages INTEGER NOT NULL,
  record TEXT NOT NULL DEFAULT '',        -- JSON: what an index says of it; '' when nothing
  looked_up_at TEXT                       -- when an index was asked for it
);
CREATE TABLE files (
  path TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  is_due INTEGER NOT NULL DEFAULT 1,      -- whether it has to be read
  trouble TEXT NOT NULL DEFAULT '',       -- why it could not be read
  document INTEGER REFERENCES documents (id)
) WITHOUT ROWID;
CREATE INDEX files_by_due ON files (is_due);
CREATE INDEX files_by_document ON files (document);
CREATE TABLE passages (
  id INTEGER PRIMARY KEY,                 -- the row of its words
  document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  UNIQUE (document, ordinal)
);
CREATE VIRTUAL TABLE passage_words USING fts5 (
  title, text, tokenize='unicode61 remove_diacritics 2'
);
CREATE TABLE passage_vectors (
  document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  vectors BLOB NOT NULL,                  -- float16, a row of unit length for each passage
  PRIMARY KEY (document, model)
);
"""

LIBRARY = Shape((_LIBRARY,), is_cache=True)

# Results of analyses; see store/derived.py. `key` is a fingerprint of their inputs.
_DERIVED = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (path TEXT PRIMARY KEY, key BLOB NOT NULL, body BLOB NOT NULL);
CREATE TABLE parts (path TEXT PRIMARY KEY, key BLOB NOT NULL, body BLOB NOT NULL);
CREATE TABLE pooled (path TEXT PRIMARY KEY, key BLOB NOT NULL, body BLOB NOT NULL);
CREATE TABLE texts (path TEXT PRIMARY KEY, key BLOB NOT NULL, body BLOB NOT NULL);
CREATE TABLE wholes (name TEXT PRIMARY KEY, body BLOB NOT NULL);
"""

_TERMS = "CREATE TABLE terms (path TEXT PRIMARY KEY, key BLOB NOT NULL, body BLOB NOT NULL);"

_COUNTS = """
CREATE TABLE counts (path TEXT PRIMARY KEY, key BLOB NOT NULL, body BLOB NOT NULL);
CREATE TABLE rankings (path TEXT PRIMARY KEY, key BLOB NOT NULL, body BLOB NOT NULL);
"""

DERIVED = Shape((_DERIVED, _TERMS, _COUNTS), is_cache=True)
