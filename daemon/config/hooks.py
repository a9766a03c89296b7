"""Commands of the user's in `[hooks]`: lists of arguments."""

_SHAPE = 'a list of arguments, such as ["/home/me/filter.py", "--strict"], or a list of such lists'


def commands_of(value: object) -> tuple[tuple[str, ...], ...]:
    """Read a list of arguments, or several, as several. Raises ValueError."""
    if isinstance(value, str):
        raise ValueError(f"hooks run without a shell: must be {_SHAPE}")  # noqa: TRY004  pydantic knows no other
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be {_SHAPE}")  # noqa: TRY004
    if value and all(isinstance(each, str) for each in value):
        return (_arguments(value),)
    return tuple(_arguments(each) for each in value)


def _arguments(value: object) -> tuple[str, ...]:
    """Take one command: named by its absolute path, or by a name on PATH."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"must be {_SHAPE}")
    arguments = tuple(str(each) for each in value)
    if not arguments or not arguments[0].strip() or any("\0" in each for each in arguments):
        raise ValueError(f"must be {_SHAPE}")
    command = arguments[0]
    if "/" in command and not command.startswith(("/", "~/")):
        raise ValueError(f"{command!r} must be an absolute path, or a name without a slash")
    if len(arguments) == 1 and "/" not in command and " " in command.strip():
        raise ValueError(f"no shell splits {command!r}: write each argument as its own text")
    return arguments
