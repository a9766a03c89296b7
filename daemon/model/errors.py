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


class LanguageModelError(LacunaError):
    """A language model did not answer, or not in the form that was asked for."""


class KeyRefusedError(LanguageModelError):
    """The provider does not accept the key, or needs one."""


class RateLimitError(LanguageModelError):
    """The provider limits requests; `retry_after` is in seconds, None when it did not say."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ContextTooLongError(LanguageModelError):
    """The prompt is longer than the model can read."""


class OverloadedError(LanguageModelError):
    """The provider has too much to do; a later call may succeed."""


class DeclinedError(LanguageModelError):
    """The model or its provider declined to answer."""


class UnknownModelError(LanguageModelError):
    """The provider has no model of this name."""


class ModelUnavailableError(LanguageModelError):
    """The provider cannot be reached, is too slow, or broke off in the middle."""


class InvalidReplyError(LanguageModelError):
    """The answer has not the form that was asked for."""


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
