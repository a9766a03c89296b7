"""Units, symbols and abbreviations, and how they are spoken in English."""

from collections.abc import Mapping

# One and many, after a number.
UNITS: Mapping[str, tuple[str, str]] = {
    "%": ("percent", "percent"), "‰": ("per mille", "per mille"),
    "pp": ("percentage point", "percentage points"),
    "kg": ("kilogram", "kilograms"), "g": ("gram", "grams"), "mg": ("milligram", "milligrams"),
    "µg": ("microgram", "micrograms"), "ng": ("nanogram", "nanograms"), "t": ("tonne", "tonnes"),
    "km": ("kilometre", "kilometres"), "m": ("metre", "metres"),
    "cm": ("centimetre", "centimetres"),
    "mm": ("millimetre", "millimetres"), "µm": ("micrometre", "micrometres"),
    "nm": ("nanometre", "nanometres"), "ha": ("hectare", "hectares"), "ft": ("foot", "feet"),
    "mi": ("mile", "miles"), "lb": ("pound", "pounds"), "lbs": ("pound", "pounds"),
    "oz": ("ounce", "ounces"), "l": ("litre", "litres"), "L": ("litre", "litres"),
    "ml": ("millilitre", "millilitres"), "mL": ("millilitre", "millilitres"),
    "µl": ("microlitre", "microlitres"), "µL": ("microlitre", "microlitres"),
    "dl": ("decilitre", "decilitres"), "dL": ("decilitre", "decilitres"),
    "°C": ("degree Celsius", "degrees Celsius"),
    "°F": ("degree Fahrenheit", "degrees Fahrenheit"), "°": ("degree", "degrees"),
    "K": ("kelvin", "kelvin"), "s": ("second", "seconds"), "sec": ("second", "seconds"),
    "ms": ("millisecond", "milliseconds"), "µs": ("microsecond", "microseconds"),
    "ns": ("nanosecond", "nanoseconds"), "min": ("minute", "minutes"), "h": ("hour", "hours"),
    "hr": ("hour", "hours"), "hrs": ("hour", "hours"), "d": ("day", "days"),
    "Hz": ("hertz", "hertz"), "kHz": ("kilohertz", "kilohertz"), "MHz": ("megahertz", "megahertz"),
    "GHz": ("gigahertz", "gigahertz"), "W": ("watt", "watts"), "kW": ("kilowatt", "kilowatts"),
    "MW": ("megawatt", "megawatts"), "GW": ("gigawatt", "gigawatts"),
    "Wh": ("watt-hour", "watt-hours"), "kWh": ("kilowatt-hour", "kilowatt-hours"),
    "MWh": ("megawatt-hour", "megawatt-hours"), "GWh": ("gigawatt-hour", "gigawatt-hours"),
    "TWh": ("terawatt-hour", "terawatt-hours"), "V": ("volt", "volts"),
    "mV": ("millivolt", "millivolts"), "kV": ("kilovolt", "kilovolts"),
    "mA": ("milliampere", "milliamperes"), "mAh": ("milliampere-hour", "milliampere-hours"),
    "J": ("joule", "joules"), "kJ": ("kilojoule", "kilojoules"), "MJ": ("megajoule", "megajoules"),
    "kcal": ("kilocalorie", "kilocalories"), "cal": ("calorie", "calories"),
    "N": ("newton", "newtons"), "Pa": ("pascal", "pascals"), "hPa": ("hectopascal", "hectopascals"),
    "kPa": ("kilopascal", "kilopascals"), "MPa": ("megapascal", "megapascals"),
    "dB": ("decibel", "decibels"), "lx": ("lux", "lux"), "lm": ("lumen", "lumens"),
    "cd": ("candela", "candelas"), "ppm": ("part per million", "parts per million"),
    "ppb": ("part per billion", "parts per billion"), "mol": ("mole", "moles"),
    "mmol": ("millimole", "millimoles"), "µmol": ("micromole", "micromoles"),
    "IU": ("international unit", "international units"), "B": ("byte", "bytes"),
    "kB": ("kilobyte", "kilobytes"), "KB": ("kilobyte", "kilobytes"),
    "MB": ("megabyte", "megabytes"), "GB": ("gigabyte", "gigabytes"),
    "TB": ("terabyte", "terabytes"), "KiB": ("kibibyte", "kibibytes"),
    "MiB": ("mebibyte", "mebibytes"), "GiB": ("gibibyte", "gibibytes"),
    "Mbit": ("megabit", "megabits"), "kbit": ("kilobit", "kilobits"),
    "mph": ("mile per hour", "miles per hour"), "rpm": ("revolution per minute",
    "revolutions per minute"), "fps": ("frame per second", "frames per second"),
    "px": ("pixel", "pixels"),
}  # fmt: skip
POWERS: Mapping[str, str] = {"²": "square", "³": "cubic", "2": "square", "3": "cubic"}
CURRENCIES: Mapping[str, tuple[str, str, str]] = {
    "$": ("dollar", "dollars", "cents"), "€": ("euro", "euros", "cents"),
    "£": ("pound", "pounds", "pence"), "¥": ("yen", "yen", "sen"),
    "₹": ("rupee", "rupees", "paise"),
}  # fmt: skip
CODES: Mapping[str, str] = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "US$": "$"}
SCALES: Mapping[str, str] = {
    "k": "thousand", "K": "thousand", "m": "million", "M": "million", "mn": "million",
    "bn": "billion", "B": "billion", "b": "billion", "tn": "trillion", "T": "trillion",
}  # fmt: skip
# With a full stop; the first that matches is replaced, in lower and upper case.
ABBREVIATIONS: Mapping[str, str] = {
    "e.g.": "for example", "i.e.": "that is", "et al.": "and others", "etc.": "and so on",
    "vs.": "versus", "cf.": "compare", "approx.": "approximately", "ca.": "about", "a.k.a.": "also"
    " known as", "resp.": "respectively", "incl.": "including", "excl.": "excluding",
    "Dr.": "Doctor", "Prof.": "Professor", "Mr.": "Mister", "Mrs.": "Missis", "Ms.": "Miz",
    "Jr.": "Junior", "Sr.": "Senior", "Inc.": "Incorporated", "Ltd.": "Limited", "Corp.":
    "Corporation", "U.S.": "U S", "U.K.": "U K", "a.m.": "A M", "p.m.": "P M", "w/o": "without",
    "w/": "with ",
}  # fmt: skip
# Before a number only.
BEFORE_NUMBERS: Mapping[str, str] = {
    "Fig.": "Figure", "Figs.": "Figures", "Eq.": "Equation", "Sec.": "Section", "Ch.": "Chapter",
    "Vol.": "Volume", "No.": "Number", "Nos.": "Numbers", "Nr.": "Number", "p.": "page",
    "pp.": "pages", "c.": "about", "Tab.": "Table", "Art.": "Article", "§": "section",
    "№": "number", "#": "number", "~": "about", "≈": "about", "∼": "about",
    "±": "plus or minus", "<": "less than",
    ">": "more than", "≤": "at most", "≥": "at least", "=": "equals", "≠": "not equal to",
    "×": "times", "&lt;": "less than",
}  # fmt: skip
SYMBOLS: Mapping[str, str] = {
    "&": "and", "+": "plus", "=": "equals", "≈": "is about", "±": "plus or minus", "×": "times",
    "÷": "divided by", "<": "less than", ">": "more than", "≤": "at most", "≥": "at least",
    "≠": "is not", "→": "to", "⇒": "so", "↔": "to and from", "°": "degrees", "§": "section",
    "%": "percent", "∞": "infinity", "√": "square root of", "@": "at", "#": "number", "€": "euros",
    "£": "pounds", "$": "dollars", "½": "one half", "¼": "one quarter", "¾": "three quarters",
    "⅓": "one third", "⅔": "two thirds", "²": "squared", "³": "cubed", "α": "alpha", "β": "beta",
    "γ": "gamma", "δ": "delta", "Δ": "delta", "ε": "epsilon", "η": "eta", "θ": "theta",
    "κ": "kappa", "λ": "lambda", "μ": "mu", "π": "pi", "ρ": "rho", "σ": "sigma", "Σ": "sum",
    "τ": "tau", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Ω": "omega", "™": "", "®": "",
    "©": "copyright", "†": "", "‡": "", "•": "", "·": "", "″": "inches", "′": "minutes",
}  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
SHORT_MONTHS: Mapping[str, str] = {
    **{month[:3]: month for month in MONTHS if month != "May"}, "Sept": "September",
}  # fmt: skip
# Written in capitals, and read as words.
READ_AS_WORDS = frozenset(
    ("AIDS", "ASCII", "BASIC", "COVID", "CRISPR", "DARPA", "FIFA", "GIF", "HEPA", "JPEG", "JSON",
     "LASER", "LED", "NAFTA", "NASA", "NATO", "NICE", "NOAA", "OPEC", "PIN", "RADAR", "RAID", "RAM",
     "ROM", "SARS", "SCOTUS", "SIM", "SONAR", "SWAT", "UEFA", "UNESCO", "UNICEF", "YAML")
)  # fmt: skip
ROMAN: Mapping[str, int] = {
    "II": 2, "III": 3, "IV": 4, "VI": 6, "VII": 7, "VIII": 8, "IX": 9, "XI": 11, "XII": 12,
}  # fmt: skip
