"""The scripts of the database's newer versions, continuing those of `schema`."""

# What hooks and notices read of the event stream, and how far each of them has read.
ANNOUNCED = """
CREATE TABLE announcements (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT UNIQUE,                        -- of what is announced only once
  line TEXT NOT NULL                      -- JSON of the event
);
CREATE TABLE event_readers (
  name TEXT PRIMARY KEY,
  position INTEGER NOT NULL,              -- id of the last announcement that it is done with
  part INTEGER NOT NULL DEFAULT 0         -- how much of the next one is done, such as hooks begun
) WITHOUT ROWID;
"""

# A client that sends a command again, because its connection broke, sends the same key.
KEYS = """
ALTER TABLE requests ADD COLUMN key TEXT;
CREATE UNIQUE INDEX requests_by_key ON requests (key);
"""

# Questions and answers by thread.
TURNS = """
CREATE TABLE turns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  thread TEXT NOT NULL COLLATE NOCASE,
  asked_at TEXT NOT NULL,
  question TEXT NOT NULL,
  answer TEXT NOT NULL                    -- JSON of the document
);
CREATE INDEX turns_by_thread ON turns (thread, id);
"""

# Which documents the findings of a run cite. An edge outlives the folder of its run.
EDGES = """
CREATE TABLE citation_edges (
  run TEXT NOT NULL,
  source TEXT NOT NULL,                   -- identity of the document: DOI, arXiv id or address
  body TEXT NOT NULL,                     -- JSON: the document's origin, and ids of the findings
  PRIMARY KEY (run, source)
) WITHOUT ROWID;
CREATE INDEX citation_edges_by_source ON citation_edges (source);
"""

# The figures of the vault's health, one row a day.
HEALTH_DAYS = """
CREATE TABLE health_days (
  day TEXT PRIMARY KEY,
  body TEXT NOT NULL                      -- JSON
) WITHOUT ROWID;
"""

# What the hub has of this vault.
PUBLISHED = """
CREATE TABLE published_notes (path TEXT PRIMARY KEY, hash TEXT NOT NULL) WITHOUT ROWID;
"""

# Findings of other vaults, and what the hub last said of each.
RECEIVED = """
CREATE TABLE received_findings (
  finding TEXT PRIMARY KEY,               -- lacuna_id
  delivery INTEGER NOT NULL,              -- its number on the hub
  status TEXT NOT NULL                    -- on the hub
) WITHOUT ROWID;
"""

# The runs of an agenda: without it, each question about agendas read every run once for each.
RUNS_OF_AGENDA = "CREATE INDEX runs_by_agenda ON runs (agenda, ended_at);"
