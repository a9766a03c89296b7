"""What calls of a model cost by its provider's price list, as the package genai-prices has it."""

from importlib.util import find_spec

_TOKENS = 1000  # few: providers charge more for long prompts
_MILLION = 1_000_000


def list_prices(base_url: str, model: str) -> tuple[float, float] | None:
    """Return US dollars per million tokens read and written; None if they are not known."""
    if find_spec("genai_prices") is None:
        return None
    from genai_prices import Usage, calc_price  # noqa: PLC0415 30 MB, for who pays

    try:
        one, other = (
            calc_price(usage, model, provider_api_url=base_url).total_price
            for usage in (Usage(input_tokens=_TOKENS), Usage(output_tokens=_TOKENS))
        )
    except LookupError:
        return None
    return float(one) * _MILLION / _TOKENS, float(other) * _MILLION / _TOKENS
