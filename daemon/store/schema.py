"""The database schema: each migration is a script to the next version."""

from dataclasses import dataclass

from daemon.store.newer_schema import (
    ANNOUNCED,
    EDGES,
    HEALTH_DAYS,
    KEYS,
    PUBLISHED,
    RECEIVED,
    RUNS_OF_AGENDA,
    TURNS,
)

_FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- One row per file of the vault; only notes and canvases have been read.
CREATE TABLE notes (
  path TEXT PRIMARY KEY,
  role TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL DEFAULT 0,
  hash TEXT NOT NULL DEFAULT '',          -- sha256 of the bytes; '' when they were never read
  words INTEGER NOT NULL DEFAULT 0,
  frontmatter TEXT NOT NULL DEFAULT '{}', -- JSON
  tags TEXT NOT NULL DEFAULT '[]',        -- JSON list of strings
  aliases TEXT NOT NULL DEFAULT '[]',     -- JSON list of strings
  headings TEXT NOT NULL DEFAULT '[]',    -- JSON list of [text, level, line]
  trouble TEXT NOT NULL DEFAULT '',
  changed_at TEXT NOT NULL,               -- when the note was last edited (its mtime, UTC ISO)
  recheck INTEGER NOT NULL DEFAULT 0      -- at the next sync: 1 compare the bytes, 2 parse anew
);
CREATE INDEX notes_by_hash ON notes (hash);

-- Links as written, with where they lead now.
CREATE TABLE links (
  source TEXT NOT NULL REFERENCES notes (path) ON DELETE CASCADE ON UPDATE CASCADE,
  ordinal INTEGER NOT NULL,
  target TEXT NOT NULL,
  subpath TEXT NOT NULL DEFAULT '',
  display TEXT,
  kind TEXT NOT NULL,
  line INTEGER NOT NULL,
  resolved TEXT,                          -- vault-relative path, NULL when it leads nowhere
  PRIMARY KEY (source, ordinal)
) WITHOUT ROWID;
CREATE INDEX links_by_resolved ON links (resolved);
CREATE INDEX links_by_target ON links (target);

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  note TEXT NOT NULL REFERENCES notes (path) ON DELETE CASCADE ON UPDATE CASCADE,
  ordinal INTEGER NOT NULL,
  heading TEXT NOT NULL DEFAULT '',
  line INTEGER NOT NULL,
  text TEXT NOT NULL,
  hash TEXT NOT NULL,                     -- of heading, text and the chunker's version
  UNIQUE (note, ordinal)
);
CREATE INDEX chunks_by_hash ON chunks (hash);

-- Embeddings outlive their chunks for a while, so that a move or an undo embeds nothing. An id is
-- never used twice: the vector index on disk may be older than this table.
CREATE TABLE embeddings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL,
  model TEXT NOT NULL,
  vector BLOB NOT NULL,                   -- float32, unit length
  UNIQUE (hash, model)
);

-- The words of each chunk, folded by store/words.py; rowid is the chunk's id.
CREATE VIRTUAL TABLE chunk_words USING fts5 (
  title, heading, text, tokenize='unicode61 remove_diacritics 2'
);

-- What a note's `research:` said when it was last looked at, and when it last set off a run.
CREATE TABLE triggers (note TEXT PRIMARY KEY, value TEXT NOT NULL, fired_at TEXT) WITHOUT ROWID;

CREATE TABLE agendas (
  id TEXT PRIMARY KEY,
  path TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  runs_at TEXT,
  body TEXT NOT NULL,                     -- JSON of the whole agenda
  written INTEGER NOT NULL DEFAULT 0,     -- 0: promised, the note may not be in the vault yet
  note TEXT NOT NULL DEFAULT '',          -- the text to be written
  content_hash TEXT NOT NULL DEFAULT ''   -- of the note as last written or seen
);
CREATE TABLE digests (
  id TEXT PRIMARY KEY,                    -- its lacuna_id, made of the run's
  path TEXT NOT NULL,
  written INTEGER NOT NULL DEFAULT 0,
  note TEXT NOT NULL DEFAULT '',
  content_hash TEXT NOT NULL DEFAULT ''
);
-- Topics in their comparable form; `said_by` is the finding or agenda they were said in.
CREATE TABLE never_topics (
  topic TEXT PRIMARY KEY,
  said_at TEXT NOT NULL,
  said_by TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  agenda TEXT NOT NULL REFERENCES agendas (id),
  status TEXT NOT NULL,                   -- running | done | stopped | failed
  started_at TEXT NOT NULL,
  ended_at TEXT,
  digest_path TEXT NOT NULL DEFAULT '',
  body TEXT NOT NULL DEFAULT '{}'         -- JSON of run.json once done
);

CREATE TABLE findings (
  id TEXT PRIMARY KEY,
  run TEXT NOT NULL,
  path TEXT NOT NULL,                     -- where it was last seen; two may claim one for a moment
  status TEXT NOT NULL,
  title TEXT NOT NULL,
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  topic TEXT NOT NULL,
  credibility REAL NOT NULL,
  created_at TEXT NOT NULL,
  written INTEGER NOT NULL DEFAULT 0,     -- 0: promised, the note may not be in the vault yet
  note TEXT NOT NULL DEFAULT '',          -- the text to be written
  content_hash TEXT NOT NULL DEFAULT '',
  feedback TEXT NOT NULL DEFAULT '',
  missing_at TEXT,                        -- when its note was first seen gone
  decided_at TEXT                         -- when it was accepted or dismissed
);
CREATE INDEX findings_by_key ON findings (key);
CREATE INDEX findings_by_path ON findings (path);

-- What a command asks of the running daemon.
CREATE TABLE requests (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,                     -- JSON
  asked_at TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'new',      -- new | working | done | failed
  answer TEXT NOT NULL DEFAULT '{}'       -- JSON
);

-- Job runs of the scheduler: when each last ran, for catch-up.
CREATE TABLE job_runs (job TEXT PRIMARY KEY, last_run_at TEXT NOT NULL) WITHOUT ROWID;
"""

# What links may call a note besides its path: few kinds of vaults have such names.
_NAMES = """
ALTER TABLE notes ADD COLUMN names TEXT NOT NULL DEFAULT '[]'; -- JSON list of strings
CREATE INDEX notes_with_names ON notes (path) WHERE names != '[]';
"""

# The last look at the whole vault, under all that it hangs on: it is worked out again when that
# changes.
_HEALTHS = "CREATE TABLE healths (key TEXT PRIMARY KEY, body TEXT NOT NULL);"

# How far sources have been used: their limits hold over restarts.
_USES = """
CREATE TABLE source_uses (
  name TEXT PRIMARY KEY,
  next_at REAL NOT NULL,                  -- Unix time, in seconds, as all times here
  day TEXT NOT NULL,                      -- the UTC day that `count` is of
  count INTEGER NOT NULL,
  failures INTEGER NOT NULL,              -- since it last answered
  shut_until REAL NOT NULL                -- until then it is left alone
) WITHOUT ROWID;
"""

# What every sync counts, without going over all rows.
_COUNTED = """
CREATE INDEX chunks_without_words ON chunks (id) WHERE text = '' AND heading = '';
CREATE INDEX notes_in_trouble ON notes (path) WHERE trouble != '';
CREATE INDEX notes_to_recheck ON notes (path) WHERE recheck > 0;
"""

# How many bytes of words are gathered before they are written: the more, the less is merged later.
_GATHERED = "INSERT INTO chunk_words (chunk_words, rank) VALUES ('hashsize', 4194304);"

# What runs were about, word by word; made of their agendas and findings, and added as they come.
_RUN_WORDS = """
CREATE TABLE run_words (word TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (word, run))
  WITHOUT ROWID;
CREATE INDEX run_words_by_run ON run_words (run);
"""

# What decisions teach, what is let be suggested again, and what digests' boxes said.
_REVIEWED = """
-- The note that a finding was found because of, wherever it has been moved to since.
ALTER TABLE findings ADD COLUMN about TEXT NOT NULL DEFAULT '';
UPDATE findings SET about = coalesce((
  SELECT json_extract(task.value, '$.note')
  FROM runs JOIN agendas ON agendas.id = runs.agenda,
    json_each(CASE WHEN json_valid(agendas.body) THEN agendas.body ELSE '{}' END, '$.tasks') AS task
  WHERE runs.id = findings.run AND json_extract(task.value, '$.topic') = findings.topic
), '');
-- Topics that may be suggested again: what was done with them before then keeps none of them.
CREATE TABLE restored_topics (topic TEXT PRIMARY KEY, restored_at TEXT NOT NULL) WITHOUT ROWID;
-- What a digest's boxes said when they were last written or read: JSON, finding's id -> status.
ALTER TABLE digests ADD COLUMN shown TEXT NOT NULL DEFAULT '{}';
"""

# What was spent: a row for each request and each finding, kept for a while, and sums that stay. A
# row is written before its request is sent, with the most that may come of it by then.
_LEDGER = """
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sent_at REAL NOT NULL,                  -- Unix time, in seconds
  day TEXT NOT NULL,                      -- of the user's calendar
  run TEXT NOT NULL DEFAULT '',
  source TEXT NOT NULL,                   -- whom it is put down to
  kind TEXT NOT NULL,                     -- question | document | finding | model | ...
  host TEXT NOT NULL DEFAULT '',          -- where it went
  what TEXT NOT NULL DEFAULT '',          -- what was said there, without the values of keys
  keys TEXT NOT NULL DEFAULT '[]',        -- JSON list: the names of the keys that went with it
  requests INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  money INTEGER NOT NULL DEFAULT 0,       -- millionths of a US dollar
  findings INTEGER NOT NULL DEFAULT 0,
  is_settled INTEGER NOT NULL DEFAULT 0   -- 0: under way, or cut off by a crash
);
CREATE INDEX ledger_by_source ON ledger (source, sent_at);
CREATE INDEX ledger_by_time ON ledger (sent_at);
CREATE TABLE ledger_sums (
  day TEXT NOT NULL,
  run TEXT NOT NULL,
  source TEXT NOT NULL,
  requests INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  money INTEGER NOT NULL DEFAULT 0,
  findings INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, run, source)
) WITHOUT ROWID;
CREATE INDEX ledger_sums_by_run ON ledger_sums (run);
INSERT INTO ledger (sent_at, day, source, kind, what, requests, is_settled)
  SELECT CAST(strftime('%s', day) AS REAL), day, name, 'question',
    'counted before there was a ledger', count, 1
  FROM source_uses WHERE count > 0 AND day != '';
INSERT INTO ledger_sums (day, run, source, requests)
  SELECT day, '', source, requests FROM ledger;
CREATE TABLE source_turns (
  name TEXT PRIMARY KEY,
  next_at REAL NOT NULL,                  -- Unix time, in seconds, as all times here
  failures INTEGER NOT NULL,              -- since it last answered
  shut_until REAL NOT NULL                -- until then it is left alone
) WITHOUT ROWID;
INSERT INTO source_turns SELECT name, next_at, failures, shut_until FROM source_uses;
DROP TABLE source_uses;
"""

# Notifications to be delivered, and recent errors.
_NOTICES = """
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  notice TEXT NOT NULL,                   -- the notice's id
  channel TEXT NOT NULL,
  body TEXT NOT NULL,                     -- JSON
  created_at TEXT NOT NULL,
  due_at REAL NOT NULL,                   -- Unix time, in seconds
  tries INTEGER NOT NULL DEFAULT 0,
  trouble TEXT NOT NULL DEFAULT '',       -- why the last try came to nothing
  UNIQUE (notice, channel)
);
CREATE INDEX outbox_by_due ON outbox (due_at);
CREATE TABLE troubles (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  part TEXT NOT NULL,                     -- of the work
  line TEXT NOT NULL,
  first_at TEXT NOT NULL,
  last_at TEXT NOT NULL,
  times INTEGER NOT NULL DEFAULT 1,
  over_at TEXT                            -- when that part did well again
);
"""

# Jobs that the user has paused; '' is all of them.
_PAUSES = """
CREATE TABLE job_pauses (job TEXT PRIMARY KEY, paused_at TEXT NOT NULL) WITHOUT ROWID;
"""

# Notes of ours that are none of the other kinds: the queue of the night, and its briefings.
_OWN_NOTES = """
CREATE TABLE own_notes (
  id TEXT PRIMARY KEY,                    -- its lacuna_id
  path TEXT NOT NULL,
  written INTEGER NOT NULL DEFAULT 0,     -- 0: promised, the note may not be in the vault yet
  note TEXT NOT NULL DEFAULT '',          -- the text to be written
  content_hash TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
"""

# 1: the job has not run yet, and the time is when it became known.
_JOB_IS_NEW = "ALTER TABLE job_runs ADD COLUMN is_new INTEGER NOT NULL DEFAULT 0;"

# The title of a note is what its reader calls it, which its frontmatter or its first heading says.
_NOTE_NAMES = "UPDATE notes SET recheck = 2 WHERE role NOT IN ('attachment', 'conflict');"
# A digest is of all runs of a day; each of before was of one run, whose time determines its day.
_DAYS = """
ALTER TABLE digests ADD COLUMN day TEXT NOT NULL DEFAULT '';   -- local, as 2026-11-21
ALTER TABLE digests ADD COLUMN runs TEXT NOT NULL DEFAULT '[]'; -- JSON list of their ids
UPDATE digests SET runs = json_array(substr(id, 8)),
  day = substr(id, 8, 4) || '-' || substr(id, 12, 2) || '-' || substr(id, 14, 2)
  WHERE id LIKE 'digest-%';
"""

# A finding answers one question from several documents; one of an earlier kind has only its own.
_ANSWERS = """
ALTER TABLE findings ADD COLUMN question TEXT NOT NULL DEFAULT '';
ALTER TABLE findings ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';  -- JSON list of URLs
ALTER TABLE findings ADD COLUMN keys TEXT NOT NULL DEFAULT '[]';     -- JSON list of identities
"""

# Decisions by moves or deletions of many notes at once wait for a confirmation.
_HOLDS = """
ALTER TABLE findings ADD COLUMN hold TEXT NOT NULL DEFAULT '';  -- id of the hold; '' of none
"""

# A topic may be banned by several findings and agendas, each of which may take that back.
_EACH_NEVER = """
CREATE TABLE never_topics_by (
  topic TEXT NOT NULL,
  said_at TEXT NOT NULL,
  said_by TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (topic, said_by)
);
INSERT INTO never_topics_by (topic, said_at, said_by)
  SELECT topic, said_at, said_by FROM never_topics;
DROP TABLE never_topics;
ALTER TABLE never_topics_by RENAME TO never_topics;
"""

# Who works on a request, until when, and how often it was begun.
_LEASES = """
ALTER TABLE requests ADD COLUMN owner TEXT NOT NULL DEFAULT '';         -- '' of nobody
ALTER TABLE requests ADD COLUMN leased_until TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
"""

# What language models read and wrote.
_TOKENS = """
ALTER TABLE ledger ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_sums ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
"""

MIGRATIONS: tuple[str, ...] = (
    _FIRST,
    _NAMES,
    _HEALTHS,
    _USES,
    _COUNTED,
    _GATHERED,
    _RUN_WORDS,
    _REVIEWED,
    _LEDGER,
    _NOTICES,
    _PAUSES,
    _OWN_NOTES,
    _JOB_IS_NEW,
    _NOTE_NAMES,
    _DAYS,
    _ANSWERS,
    _HOLDS,
    _EACH_NEVER,
    _LEASES,
    _TOKENS,
    ANNOUNCED,
    KEYS,
    TURNS,
    EDGES,
    HEALTH_DAYS,
    PUBLISHED,
    RECEIVED,
    RUNS_OF_AGENDA,
)

# A new database must be restored from the vault and the run folders, if there was an earlier one.
STARTED = "INSERT INTO meta (key, value) VALUES ('to_learn', '1')"


@dataclass(frozen=True, slots=True)
class Shape:
    """The migrations of one kind of database.

    Nothing is recovered from a corrupt cache: its content is read from the files again.
    """

    migrations: tuple[str, ...]
    is_cache: bool = False
