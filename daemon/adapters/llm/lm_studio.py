"""What LM Studio's own API says of its models: with how much context each one is loaded."""

import httpx2

from daemon.model.language_models import is_local

LIST = "/api/v0/models"
_KEYS = ("loaded_context_length", "max_context_length")


async def contexts(client: httpx2.AsyncClient, base_url: str) -> dict[str, int]:
    """Return tokens by model; {} if it is not LM Studio, or not on this machine.

    A model that is not loaded has at most what it could have: LM Studio may load it with less.
    Raises httpx2.HTTPError.
    """
    if not is_local(base_url):
        return {}
    response = await client.get(str(httpx2.URL(base_url).copy_with(path=LIST)))
    listed = response.json() if response.is_success else {}
    entries = listed.get("data") if isinstance(listed, dict) else None
    found = {
        str(each.get("id")): next((each[key] for key in _KEYS if each.get(key)), 0)
        for each in entries or ()
        if isinstance(each, dict)
    }
    return {name: most for name, most in found.items() if isinstance(most, int) and most > 0}
