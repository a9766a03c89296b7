"""Decide whether a style hides text, from declarations as a browser reads them."""

import re
from collections.abc import Mapping

Declarations = Mapping[str, str]
Colour = tuple[float, float, float]  # red, green, blue: 0 to 1

WHITE: Colour = (1.0, 1.0, 1.0)
_MIN_CONTRAST = 1.25  # of text to its background; 1 is none, 21 is black on white
_FAINT = 0.05  # opacity up to which nothing is visible
# The largest font sizes that are too small to read, by unit.
_TINY = {"px": 3.0, "pt": 2.5, "em": 0.2, "rem": 0.2, "%": 20.0, "vw": 0.2, "vh": 0.3, "": 0.0}
# How far to the left of or above a page an element must be to be off it.
_FAR = {"px": 100.0, "pt": 100.0, "em": 10.0, "rem": 10.0, "vw": 100.0, "vh": 100.0, "%": 100.0}
_LENGTH = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))(px|pt|em|rem|%|vw|vh)?")
_FONT = re.compile(r"(?:^|\s)(-?(?:\d+\.?\d*|\.\d+)(?:px|pt|em|rem|%)?)(?:\s*/|\s)")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)%?")
_FLAT = re.compile(
    r"scale[xyz]?\(\s*0?\.?0*\s*[,)]|scale3d\(\s*0\s*,|rotate[xy]\(\s*-?90deg\s*\)"
    r"|translate(?:x|y|3d)?\(\s*(?:[^,()]{0,12},\s*)?-(?:\d{3,}(?:\.\d+)?(?:px|pt|em|rem|%|vw|vh))"
)
_CLIPPED = re.compile(
    r"^rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)$"
)
_CUT_AWAY = re.compile(
    r"^(?:inset\(\s*(?:50|[6-9]\d|100)%|(?:circle|ellipse)\(\s*0(?:px|%)?[\s,)]"
    r"|polygon\(\s*0(?:px|%)?\s+0(?:px|%)?\s*(?:,\s*0(?:px|%)?\s+0(?:px|%)?\s*)*\))"
)
_NAMED: dict[str, Colour] = {
    "white": WHITE,
    "snow": (1.0, 0.98, 0.98),
    "ivory": (1.0, 1.0, 0.94),
    "ghostwhite": (0.97, 0.97, 1.0),
    "whitesmoke": (0.96, 0.96, 0.96),
    "floralwhite": (1.0, 0.98, 0.94),
    "azure": (0.94, 1.0, 1.0),
    "mintcream": (0.96, 1.0, 0.98),
    "black": (0.0, 0.0, 0.0),
    "gray": (0.5, 0.5, 0.5),
    "grey": (0.5, 0.5, 0.5),
    "red": (1.0, 0.0, 0.0),
    "green": (0.0, 0.5, 0.0),
    "blue": (0.0, 0.0, 1.0),
    "navy": (0.0, 0.0, 0.5),
    "yellow": (1.0, 1.0, 0.0),
}
_HEX = re.compile(r"#([0-9a-f]{3,8})")
_RGB = re.compile(r"rgba?\(([^()]{3,60})\)")
_HSL = re.compile(
    r"hsla?\(\s*[\d.]+(?:deg)?[\s,]+([\d.]+)%[\s,]+([\d.]+)%\s*(?:[,/]\s*([\d.]+%?))?\)"
)


def declared(style: str) -> dict[str, str]:
    """Parse `color: red; margin: 0 !important`; the last declaration of a name counts, or an
    important one.
    """
    found: dict[str, str] = {}
    important: set[str] = set()
    for declaration in style.lower().split(";"):
        name, colon, value = declaration.partition(":")
        name, value = name.strip(), " ".join(value.split())
        if not colon or not name:
            continue
        if "!" in value:
            value = value.partition("!")[0].strip()
            important.add(name)
        elif name in important:
            continue
        found[name] = value
    return found


def hides(style: Declarations) -> bool:
    """Return whether an element with this style is invisible, whatever its background."""
    return (
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or style.get("content-visibility") == "hidden"
        or _is_faint(style)
        or _is_tiny(style)
        or _is_away(style)
        or _is_cut(style)
        or _is_clear(style)
    )


def fades_in(style: Declarations) -> bool:
    """Return whether the element is hidden only as pages hide parts before they have loaded."""
    rest = {name: value for name, value in style.items() if name not in ("opacity", "visibility")}
    return not hides(rest)


def only_folds(style: Declarations) -> bool:
    """Return whether only properties that scripts undo hide an element: no display, no height, no
    ink.
    """
    undone = ("display", "visibility", "opacity", "content-visibility", "transform")
    sizes = ("height", "max-height") if style.get("overflow", "").startswith("hidden") else ()
    rest = {name: value for name, value in style.items() if name not in (*undone, *sizes)}
    return not hides(rest)


def colour(value: str) -> Colour | None:
    """Parse a colour that is not transparent; None if unknown."""
    value = value.strip()
    if value in _NAMED:
        return _NAMED[value]
    if found := _HEX.fullmatch(value):
        digits = found[1]
        pairs = [each * 2 for each in digits] if len(digits) < 6 else re.findall("..", digits)
        return _solid([int(each, 16) / 255 for each in pairs])
    if found := _RGB.fullmatch(value):
        parts = _NUMBER.findall(found[1])
        return _solid([_share(each, 255) for each in parts[:3]] + [_share(p, 1) for p in parts[3:]])
    if found := _HSL.fullmatch(value):
        light = float(found[2]) / 100
        # Only lightness can make text vanish on white or black; the hue is ignored.
        return _solid([light, light, light, _share(found[3] or "1", 1)])
    return None


def is_unreadable(text: Colour, behind: Colour) -> bool:
    """Return whether text in one colour can hardly be distinguished from another."""
    lighter, darker = sorted((_luminance(text), _luminance(behind)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05) < _MIN_CONTRAST


def background(style: Declarations) -> Colour | str | None:
    """Return the colour behind an element, "picture" for more than one colour, None if it has
    none.
    """
    for name in ("background", "background-color", "background-image"):
        if "url(" in style.get(name, "") or "gradient(" in style.get(name, ""):
            return "picture"
    value = style.get("background-color") or style.get("background") or ""
    if value in ("", "none", "transparent", "inherit", "initial", "unset"):
        return None
    if found := colour(value):
        return found
    named = [each for part in value.split() if (each := colour(part))]
    if named:
        return named[0]
    return "picture" if "var(" in value else None


def _is_faint(style: Declarations) -> bool:
    value = _NUMBER.fullmatch(style.get("opacity", ""))
    faint = value is not None and _share(value[0], 1) <= _FAINT
    through = re.search(r"opacity\(\s*([\d.]+%?)\s*\)", style.get("filter", ""))
    zoom = _NUMBER.fullmatch(style.get("zoom", ""))
    return (
        faint
        or (through is not None and _share(through[1], 1) <= _FAINT)
        or (zoom is not None and _share(zoom[0], 1) <= _FAINT)
    )


def _is_tiny(style: Declarations) -> bool:
    size = style.get("font-size", "")
    if not size and (found := _FONT.search(style.get("font", ""))):
        size = found[1]
    found = _LENGTH.fullmatch(size)
    if found is None:
        return False
    return float(found[1]) <= _TINY[found[2] or ""] or float(found[1]) == 0


def _is_away(style: Declarations) -> bool:
    if _FLAT.search(style.get("transform", "")):
        return True
    sides = ("left", "right", "top", "bottom", "margin-left", "margin-top", "text-indent")
    for name in sides:
        found = _LENGTH.fullmatch(style.get(name, ""))
        if found is None or not found[2]:
            continue
        if float(found[1]) <= -_FAR[found[2]] and _moves(name, found[2], style):
            return True
    return False


def _moves(name: str, unit: str, style: Declarations) -> bool:
    """Return whether that side moves the element off the page; a percentage of the parent
    does so only for a positioned element or an indent.
    """
    if unit in ("%", "vw", "vh"):
        return style.get("position") in ("absolute", "fixed") or name == "text-indent"
    return True


def _is_cut(style: Declarations) -> bool:
    if _CLIPPED.match(style.get("clip", "")) or _CUT_AWAY.match(style.get("clip-path", "")):
        return True
    if not any(style.get(name, "").startswith(("hidden", "clip")) for name in _OVERFLOWS):
        return False
    return any(_is_zero(style.get(name, "")) for name in _SIZES)


_OVERFLOWS = ("overflow", "overflow-x", "overflow-y")
_SIZES = ("height", "max-height", "width", "max-width")


def _is_zero(size: str) -> bool:
    found = _LENGTH.fullmatch(size)
    return found is not None and 0 <= float(found[1]) <= (1 if found[2] in (None, "px") else 0)


def _is_clear(style: Declarations) -> bool:
    """Return whether the type itself is transparent and nothing else draws its shape."""
    value = style.get("-webkit-text-fill-color") or style.get("color", "")
    drawn = "text" in style.get("background-clip", "") + style.get("-webkit-background-clip", "")
    if drawn or "text-shadow" in style:
        return False
    return value == "transparent" or (
        value.startswith(("rgb", "hsl", "#")) and _alpha(value) <= _FAINT
    )


def _alpha(value: str) -> float:
    if found := _HEX.fullmatch(value):
        digits = found[1]
        if len(digits) in (4, 8):
            last = digits[3] * 2 if len(digits) == 4 else digits[6:]
            return int(last, 16) / 255
        return 1.0
    parts = _NUMBER.findall(value)
    return _share(parts[3], 1) if len(parts) > 3 else 1.0


def _solid(parts: list[float]) -> Colour | None:
    if len(parts) < 3 or (len(parts) > 3 and parts[3] < 0.5):
        return None
    return parts[0], parts[1], parts[2]


def _share(number: str, whole: float) -> float:
    return float(number[:-1]) / 100 if number.endswith("%") else float(number) / whole


def _luminance(of: Colour) -> float:
    """Return the relative luminance as WCAG 2 defines it."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in of
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
