"""The one tree of exceptions. Each message is a line a user can act on."""


class LacunaError(Exception):
    """Anything that goes wrong in a way the user should read, on one line."""


class SettingsError(LacunaError):
    """A setting, or the file that holds it, is wrong. Names the key and the file."""


class VaultError(LacunaError):
    """The vault cannot be used: not there, a file, not readable."""


class StoreError(LacunaError):
    """The state folder cannot be read or written."""


class UnreadableStoreError(StoreError):
    """The disk did not give the state: an error while reading."""


class CorruptStoreError(StoreError):
    """The database is corrupt; whoever opens it next sets it aside and begins anew."""


class NewerSchemaError(StoreError):
    """The database was written by a newer Lacuna."""


class LockedError(LacunaError):
    """Another process holds the writer's lock on this vault's state."""


class ModelError(LacunaError):
    """The embedding model cannot be found, verified or run."""


class FetchError(LacunaError):
    """A fetch brought nothing: refused, timed out, too large, or the network failed."""


class RefusedError(FetchError):
    """The gate refused the address before anything was sent to it."""


class DisallowedError(FetchError):
    """The site's robots.txt asks programs not to fetch this page."""


class TooLargeError(FetchError):
    """The answer is larger than the cap."""


class SlowError(FetchError):
    """The answer did not come within the time limit."""


class OfflineError(FetchError):
    """There is no network, or no such host: one cannot be told from the other."""


class SpentError(FetchError):
    """A budget is used up: nothing was sent."""


class ExtractError(LacunaError):
    """No text could be taken from a document: encrypted, broken, image-only, crashed."""


class SourceError(LacunaError):
    """A source is unknown, is missing its key, or is configured wrongly."""


class SecretError(LacunaError):
    """The keyring cannot be used, or a secret is missing."""


class HookError(LacunaError):
    """A command of the user's failed: it did not start, took too long, or made no sense."""


class NotifyError(LacunaError):
    """A notification could not be handed over now; it may be later."""


class ReplayError(LacunaError):
    """A run folder does not hold what replaying it needs."""


class StoppedError(LacunaError):
    """Work was asked to stop at a safe point; what was done so far is kept."""
