"""Does a prompt fit into what a model can read and write?"""

from collections.abc import Mapping
from typing import Any

from daemon.adapters.llm.failures import CallFailedError
from daemon.models.prompt_tokens import tokens_in


def needed_tokens(request: Mapping[str, Any], most: int) -> int:
    """Return the tokens of a request with its answer, rather too many.

    Raises CallFailedError if the model has only `most`; 0: it is not known how many it has.
    """
    needed = tokens_in(request["system"] + request["user"]) + int(request["max_tokens"])
    if most and needed > most:
        raise CallFailedError("context", f"it needs about {needed} tokens of {most}")
    return needed
