"""The exception hierarchy. Each message is one line that says what to do."""

from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from daemon.model.language_models import Reply


ErrorKind = Literal["", "not_found", "key_reused"]


class LacunaError(Exception):
    """Any error that the user should read, on one line.

    Programs distinguish errors by `kind`, which is kept when an error crosses between processes.
    """

    kind: ClassVar[ErrorKind] = ""


class NotFoundError(LacunaError):
    """Something that a request names does not exist."""

    kind = "not_found"


class KeyReusedError(LacunaError):
    """The idempotency key of a request is that of another request."""

    kind = "key_reused"


def error_of(kind: str, message: str) -> LacunaError:
    """Return the error that another process reported, by its kind and its message."""
    known = (each for each in (NotFoundError, KeyReusedError) if each.kind == kind)
    return next(known, LacunaError)(message)


def kind_of(error: Exception) -> ErrorKind:
    """Return the kind of an error; "" for one that is not of Lacuna."""
    return error.kind if isinstance(error, LacunaError) else ""


class SettingsError(LacunaError):
    """A setting, or its file, is wrong. Names the key and the file."""


class VaultError(LacunaError):
    """The vault cannot be used: missing, a file, not readable."""


class StoreError(LacunaError):
    """The state folder cannot be read or written."""


class BusyStoreError(StoreError):
    """Another process is in the middle of a transaction."""


class UnreadableStoreError(StoreError):
    """The disk could not read the state."""


class CorruptStoreError(StoreError):
    """The database is corrupt; the next process that opens it sets it aside and starts a new
    one.
    """


class NewerSchemaError(StoreError):
    """The database was written by a newer Lacuna."""


class LockedError(LacunaError):
    """Another process holds the writer's lock on this vault's state."""


class ModelError(LacunaError):
    """The embedding model cannot be found, verified or run."""


class LateModelError(ModelError):
    """The embedding model did not answer in the time that its caller has."""


class LanguageModelError(LacunaError):
    """A language model did not answer, or not in the requested form.

    `reply` is the answer that cannot be used, if there was one.
    """

    is_paid = False  # whether tokens were read or written, or may have been

    def __init__(self, message: str, reply: "Reply | None" = None) -> None:
        super().__init__(message)
        self.reply = reply


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
    """The provider is overloaded; a later call may succeed."""


class DeclinedError(LanguageModelError):
    """The model or its provider declined to answer."""

    is_paid = True


class UnknownModelError(LanguageModelError):
    """The provider has no model with this name."""


class RejectedCallError(LanguageModelError):
    """The provider rejected the request for a reason that no other type names."""


class ModelUnavailableError(LanguageModelError):
    """The provider cannot be reached, is too slow, or closed the connection in the middle."""

    is_paid = True


class UnreachableModelError(ModelUnavailableError):
    """There is no connection to the provider: nothing was sent."""

    is_paid = False


class InvalidReplyError(LanguageModelError):
    """The answer does not have the requested form."""

    is_paid = True


class FetchError(LacunaError):
    """A fetch failed: refused, timed out, too large, or a network error."""


class RefusedError(FetchError):
    """The address was refused before anything was sent to it."""


class DisallowedError(FetchError):
    """The site's robots.txt asks programs not to fetch this page."""


class TooLargeError(FetchError):
    """The answer is larger than the cap."""


class SlowError(FetchError):
    """The answer did not come within the time limit."""


class OfflineError(FetchError):
    """There is no network, or no such host: the two cannot be distinguished."""


class SpentError(FetchError):
    """A budget is used up: nothing was sent. `budget` names it."""

    def __init__(self, message: str, budget: str = "the budget") -> None:
        super().__init__(message)
        self.budget = budget


class ExtractError(LacunaError):
    """No text could be extracted from a document: encrypted, broken, image-only, crashed."""


class SourceError(LacunaError):
    """A source is unknown, is missing its key, or is configured wrongly."""


class UnknownSourceError(NotFoundError, SourceError):
    """There is no source of this name."""


class SecretError(LacunaError):
    """The keyring is not available, or a secret is missing."""


class HookError(LacunaError):
    """A user's command failed: it did not start, took too long, or gave an invalid answer."""


class NotifyError(LacunaError):
    """A notification could not be delivered; it may be later."""


class ReplayError(LacunaError):
    """A run folder lacks what a replay needs."""


class StoppedError(LacunaError):
    """A stop was requested; work done so far is kept."""


class HubError(LacunaError):
    """The hub cannot do what was asked; the message is one line for who asked."""


class HubConflictError(HubError):
    """Somebody else changed it since: read what the hub has, and compare again."""


class HubRefusedError(HubError):
    """Somebody may not sign in to the hub."""


class HubVersionError(HubError):
    """The hub's tables are not those of this version."""


class HubUnknownError(HubError):
    """The hub has no such object, or none that this person may know."""
