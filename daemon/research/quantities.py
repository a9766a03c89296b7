"""The quantities in a sentence, in one unit per kind, so that 2 g and 2000 mg are equal."""

import re
from collections.abc import Mapping
from math import isclose

from daemon.analysis.note_words import key

Quantities = Mapping[str, frozenset[float]]  # kind of unit → values in its base unit

_CLOSE = 0.005  # relative: 33.3 % and 33.33 % are equal
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "half": 0.5, "twice": 2,
}  # fmt: skip
_UNITS: dict[str, tuple[str, float]] = {
    name.replace("_", " "): (kind, factor)
    for kind, units in {
        "share": {"% percent per_cent percentage": 1.0, "‰": 0.1},
        "mass": {
            "ng": 1e-9, "µg μg ug mcg microgram": 1e-6, "mg milligram": 1e-3, "g gram gramme": 1.0,
            "kg kilogram": 1e3, "t ton tonne": 1e6, "lb pound": 453.592, "oz ounce": 28.3495,
        },
        "length": {
            "nm nanometre nanometer": 1e-9, "µm μm um micrometre micrometer micron": 1e-6,
            "mm millimetre millimeter": 1e-3, "cm centimetre centimeter": 1e-2,
            "m metre meter": 1.0, "km kilometre kilometer": 1e3, "inch inches": 0.0254,
            "ft foot feet": 0.3048, "mile": 1609.344,
        },
        "time": {
            "ns nanosecond": 1e-9, "µs μs us microsecond": 1e-6, "ms millisecond": 1e-3,
            "s sec second": 1.0, "min minute": 60.0, "h hr hour": 3600.0, "day": 86_400.0,
            "week": 604_800.0, "month": 2_629_800.0, "year yr": 31_557_600.0,
            "decade": 315_576_000.0, "century centuries": 3_155_760_000.0,
        },
        "volume": {"µl μl ul": 1e-6, "ml millilitre milliliter": 1e-3, "l litre liter": 1.0},
        "celsius": {"°c celsius": 1.0},
        "fahrenheit": {"°f fahrenheit": 1.0},
        "kelvin": {"kelvin": 1.0},
        "power": {
            "milliwatt": 1e-3, "w watt": 1.0, "kw kilowatt": 1e3, "megawatt": 1e6,
            "gw gigawatt": 1e9,
        },
        "energy": {"j joule": 1.0, "kj": 1e3, "kcal": 4184.0, "wh": 3600.0, "kwh": 3.6e6},
        "frequency": {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
        "data": {
            "byte bytes": 1.0, "kb kilobyte": 1e3, "mb megabyte": 1e6, "gb gigabyte": 1e9,
            "tb terabyte": 1e12,
        },
        "pressure": {"pa": 1.0, "kpa": 1e3, "mpa": 1e6, "bar": 1e5},
        "parts": {"ppb": 1e-3, "ppm": 1.0},
        "dollars": {"$ usd dollar": 1.0},
        "euros": {"€ eur euro": 1.0},
    }.items()
    for names, factor in units.items()
    for name in names.split(" ")
}  # fmt: skip
# Without their endings: "minutes", "metres". Short names have none.
_UNITS_BY_KEY = {key(name): unit for name, unit in _UNITS.items() if len(name) > 2}
_CASED = {"MW": "megawatt", "mW": "milliwatt"}
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_NUMBER = (
    r"(?P<number>(?<![\w.])(?<![^\W\d_]-)[-−]?(?:\d{1,3}(?:[,\u202f\u00a0]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    rf"|\b(?:{'|'.join(_WORDS)})\b)"
)
_QUANTITY = re.compile(
    rf"(?P<before>[$€]\s?)?{_NUMBER}(?:[\s-]?(?P<scale>{'|'.join(_SCALES)})s?\b)?"
    r"(?:\s*(?:-|–|to|and|or|±)\s*(?=[-−]?\d))?"
    r"[\s\u00a0\u202f-]?(?P<unit>per cent|%|‰|°\s?[CF]\b|degrees? (?:Celsius|Fahrenheit|C|F)\b"
    r"|[$€]|[^\W\d_]+)?",
    re.IGNORECASE,
)
_COUNTED = 4  # minimum letters of the name of what is counted


def quantities(text: str) -> Quantities:
    """Return the values in a text by the kind of their unit.

    A number without a unit counts under the word that follows it (`5 trials` → `of trial`), or, if
    none does, as a bare number; a number such as 1998 is a year.
    """
    found: dict[str, set[float]] = {}
    pending: list[float] = []
    for match in _QUANTITY.finditer(text):
        value = _value(match["number"]) * _SCALES.get((match["scale"] or "").lower(), 1.0)
        if match["unit"] is None and match["before"] is None and _runs_on(match[0]):
            pending.append(value)  # "3 to 5 days": the unit comes with the last
            continue
        kind, factor = _kind(match["before"] or match["unit"] or "", match["number"])
        values = [_in_celsius(each, kind) * factor for each in (*pending, value)]
        kind = "celsius" if kind in ("fahrenheit", "kelvin") else kind
        found.setdefault(kind, set()).update(values)
        pending = []
    if pending:
        found.setdefault("number", set()).update(pending)
    return {kind: frozenset(values) for kind, values in found.items()}


def values_in(text: str) -> list[str]:
    """Return the values that have a unit of measurement or a currency, as they are written."""
    found: list[str] = []
    start = -1
    for match in _QUANTITY.finditer(text):
        start = match.start() if start < 0 else start
        if match["unit"] is None and match["before"] is None and _runs_on(match[0]):
            continue  # the unit comes with the last of the values
        kind, _ = _kind(match["before"] or match["unit"] or "", match["number"])
        is_adjective = re.search(r"\d-[^\W\d_]+$", match[0]) is not None  # "a 21-day stay"
        if not (is_adjective or kind.startswith("of ") or kind in ("number", "year")):
            end = match.start("unit") if match["before"] and match["unit"] else match.end()
            found.append(" ".join(text[start:end].split()))
        start = -1
    return found


def clash(one: Quantities, other: Quantities) -> bool:
    """Return whether both name quantities and, if they are of one kind, none is equal."""
    shared = one.keys() & other.keys()
    if not shared:
        return bool(one and other)
    return any(not _meet(kind, one, other) for kind in shared)


def differ(one: Quantities, other: Quantities) -> bool:
    """Return whether both name quantities of the same kinds, and all but one are equal: 5 % and 50
    %.

    If two kinds differ, one of them is a condition: 5 mg in 2 hours, 9 mg in 3 hours.
    """
    if one.keys() != other.keys() or not clash(one, other):
        return False
    wrong = [kind for kind in one if not _meet(kind, one, other)]
    return (
        len(wrong) == 1
        and wrong != ["year"]
        and all(len(side[wrong[0]]) == 1 for side in (one, other))
    )


def _meet(kind: str, one: Quantities, other: Quantities) -> bool:
    close = 0.0 if kind == "year" else _CLOSE
    return any(isclose(a, b, rel_tol=close, abs_tol=1e-12) for a in one[kind] for b in other[kind])


def _value(text: str) -> float:
    folded = text.lower().replace("−", "-")
    if folded in _WORDS:
        return float(_WORDS[folded])
    plain = re.sub(r"[,\u202f\u00a0](?=\d{3}(?:\D|$))", "", folded)
    return float(plain.replace(",", "."))


def _runs_on(text: str) -> bool:
    return re.search(r"(?:-|–|to|and|or|±)\s*$", text, re.IGNORECASE) is not None


def _kind(unit: str, number: str) -> tuple[str, float]:
    if _YEAR.fullmatch(number) and unit == "s":
        return "year", 1.0  # the 1990s
    unit = _CASED.get(unit, unit)
    name = re.sub(r"degrees? (?=[cf])|°\s?", "°", unit.strip().lower())
    name = {"°celsius": "celsius", "°fahrenheit": "fahrenheit"}.get(name, name)
    known = _UNITS.get(name) or _UNITS_BY_KEY.get(key(name))
    if known is not None:
        return known
    if _YEAR.fullmatch(number):
        return "year", 1.0
    return (f"of {key(name)}", 1.0) if len(name) >= _COUNTED else ("number", 1.0)


def _in_celsius(value: float, kind: str) -> float:
    if kind == "fahrenheit":
        return round((value - 32) / 1.8, 1)
    return round(value - 273.15, 2) if kind == "kelvin" else value
