"""Costs in documents."""

from pydantic import Field

from daemon.model.spending import MICROS, Amounts
from daemon.usecases.document import Document, Number


class Spent(Document):
    """Amounts that were spent."""

    requests: int = Field(default=0, description="Requests that were sent.", examples=[42])
    bytes: int = Field(default=0, description="Bytes received.", examples=[1_048_576])
    money: float = Field(default=0.0, description="US dollars.", examples=[0.025])
    findings: int = Field(default=0, description="Findings written.", examples=[3])

    @classmethod
    def of(cls, amounts: Amounts) -> "Spent":
        return cls.model_validate(spent_fields(amounts))


def spent_fields(amounts: Amounts) -> dict[str, Number]:
    """Return the values of a `Spent` document."""
    return {
        "requests": amounts.requests,
        "bytes": amounts.bytes,
        "money": amounts.money / MICROS,
        "findings": amounts.findings,
    }
