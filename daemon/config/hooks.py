"""The table `[hooks]`: which commands of the user's are called when."""

from difflib import get_close_matches

from daemon.model.hook_event import HookEvent

_SHAPE = 'a list of arguments, such as ["/home/me/filter.py", "--strict"], or a list of such lists'


def hook_table(value: object) -> dict[HookEvent, tuple[tuple[str, ...], ...]]:
    """Read the table: event = a list of arguments, or several. Raises ValueError in words."""
    if not isinstance(value, dict):
        raise ValueError('must be a table, such as [hooks] with post_discover = ["/my/filter"]')  # noqa: TRY004  pydantic knows no other
    return {_event(name): _lists(str(name), lists) for name, lists in value.items()}


def _event(name: object) -> HookEvent:
    try:
        return HookEvent(str(name))
    except ValueError:
        known = [event.value for event in HookEvent]
        near = get_close_matches(str(name), known, n=1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise ValueError(f"no event is called {name}; {meant}") from None


def _lists(event: str, value: object) -> tuple[tuple[str, ...], ...]:
    if isinstance(value, str):
        raise ValueError(f"{event}: no shell reads a hook: it must be {_SHAPE}")  # noqa: TRY004
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"{event}: must be {_SHAPE}")
    if all(isinstance(each, str) for each in value):
        return (_arguments(event, value),)
    return tuple(_arguments(event, each) for each in value)


def _arguments(event: str, value: object) -> tuple[str, ...]:
    """Take one command: named by its whole path, or by a name that PATH leads to."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{event}: must be {_SHAPE}")
    arguments = tuple(str(each) for each in value)
    if not arguments or not arguments[0].strip() or any("\0" in each for each in arguments):
        raise ValueError(f"{event}: must be {_SHAPE}")
    command = arguments[0]
    if "/" in command and not command.startswith(("/", "~/")):
        raise ValueError(f"{event}: {command!r} must be a whole path, or a name without a slash")
    if len(arguments) == 1 and "/" not in command and " " in command.strip():
        raise ValueError(f"{event}: no shell parts {command!r}: give each argument by itself")
    return arguments
