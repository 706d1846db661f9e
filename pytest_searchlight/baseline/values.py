"""Values: what can be read out of a piece of text, by kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, TypeAlias

from pytest_searchlight.baseline.words import STOP_WORDS

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""What may stand in a deliverable."""


@dataclass(frozen=True)
class Value:
    """Something found in a text, and where: `value` as the deliverable would state it."""

    value: str | float | int
    start: int
    end: int
    unit: str = ""


# --- dates -------------------------------------------------------------------------------------------------

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier",
            "february feb februar février",
            "march mar märz mars",
            "april apr avril",
            "may mai",
            "june jun juni juin",
            "july jul juli juillet",
            "august aug août",
            "september sep sept septembre",
            "october oct oktober octobre",
            "november nov novembre",
            "december dec dezember décembre",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH: Final = "(?P<name>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_DAY: Final = r"(?P<day>[0-3]?\d)"
_DATES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d.-]){_YEAR}[-/](?P<month>[01]?\d)[-/]{_DAY}(?![\d-])",
        rf"(?<!\d){_DAY}(?:st|nd|rd|th|\.|er)?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}\b",
        rf"\b{_MONTH}\s+{_DAY}(?:st|nd|rd|th)?,?\s+{_YEAR}\b",
        rf"(?<!\d){_YEAR}年\s?(?P<month>[01]?\d)月\s?{_DAY}日",
        rf"(?<![\d.]){_DAY}\.\s?(?P<month>[01]?\d)\.\s?{_YEAR}(?!\d)",
    )
)
_MONTH_ONLY: Final = (
    re.compile(rf"\b{_MONTH}\s+{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"(?<![\d-]){_YEAR}-(?P<month>[01]\d)(?![\d-])"),
)


def find_dates(text: str) -> Iterator[Value]:
    """Full dates, as ``YYYY-MM-DD``; forms that two countries read differently are left alone."""
    for pattern in _DATES:
        for match in pattern.finditer(text):
            day = _make_date(match, day=int(match["day"]))
            if day:
                yield Value(day.isoformat(), match.start(), match.end())


def find_months(text: str) -> Iterator[Value]:
    """Months, as ``YYYY-MM``; the month of a full date counts."""
    for found in find_dates(text):
        yield Value(str(found.value)[:7], found.start, found.end)
    for pattern in _MONTH_ONLY:
        for match in pattern.finditer(text):
            day = _make_date(match, day=1)
            if day:
                yield Value(day.isoformat()[:7], match.start(), match.end())


def find_years(text: str) -> Iterator[Value]:
    """Years from 1900 to 2099, as integers."""
    for match in re.finditer(r"(?<![\d.])(?:19|20)\d\d(?![\d.]\d|\d)", text):
        yield Value(int(match.group()), match.start(), match.end())


def _make_date(match: re.Match[str], *, day: int) -> date | None:
    parts = match.groupdict()
    month = _MONTHS[parts["name"].casefold()] if parts.get("name") else int(parts["month"])
    try:
        return date(int(parts["year"]), month, day)
    except ValueError:
        return None


# --- versions, numbers -------------------------------------------------------------------------------------

_VERSION: Final = re.compile(
    r"(?<![\w.-])[vV]?(?P<version>\d+(?:\.\d+){1,3}(?:[-.+]?(?:alpha|beta|rc|dev|pre|post|lts|a|b)[-.]?\d*)?)"
    r"(?![\w%]|\.\d|-\w|\s?(?:%|percent|[kKMGT]i?B\b|ms\b|seconds?\b|minutes?\b|hours?\b|days?\b))"
)
_NAMED_VERSION: Final = re.compile(
    r"\b(?:version|release|revision|edition|level|v)\s?(?P<version>\d+[a-z]?)(?![\w.]*\d)", re.IGNORECASE
)
_NUMBER: Final = re.compile(
    r"(?<![\w.,-])(?P<currency>[$€£¥]\s?)?"
    r"(?P<number>[-\u2212]?(?:\d{1,3}(?:[,'\u2019\u00a0\u202f\u2009 ]\d{3})+(?:\.\d+)?"
    r"|\d+,\d{1,2}(?!\d)|\d+(?:\.\d+)?))"
    r"(?![\d]|[.,]\d)(?P<scale>\s?(?:thousand|million|billion|mn|bn|k|M)(?![\w]))?"
    r"(?P<unit>\s?%|[\s-]?[^\W\d_]+(?:/[^\W\d_]+)?)?"
)
_RELEASE_BEFORE: Final = re.compile(r"\b(?:before|since|until|from|version|release|v\.?)\s$", re.IGNORECASE)
_COUNT_WORDS: Final = """
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_WORD_NUMBERS: Final = {word: number for number, word in enumerate(_COUNT_WORDS.split(), start=2)}
"""Without "one", which is a pronoun more often than a number."""
_WORD_NUMBER: Final = re.compile(
    r"\b(?P<word>" + "|".join(_WORD_NUMBERS) + r")\b(?:[\s-](?P<unit>[a-z]+))?", re.IGNORECASE
)
_SCALES: Final = {"thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_CURRENCIES: Final = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy"}


def find_versions(text: str) -> Iterator[Value]:
    """Version numbers without a leading ``v``; a bare integer only when a word says it is one."""
    taken = [(found.start, found.end) for found in (*find_dates(text), *find_urls(text))]
    for pattern in (_VERSION, _NAMED_VERSION):
        for match in pattern.finditer(text):
            if not any(start < match.end() and match.start() < end for start, end in taken):
                yield Value(match["version"], match.start("version"), match.end("version"))


def find_numbers(text: str) -> Iterator[Value]:
    """Numbers with the word or sign after them as `unit`; dates and versions with two dots are none."""
    taken = [(found.start, found.end) for found in (*find_dates(text), *find_urls(text))]
    taken += [(f.start, f.end) for f in find_versions(text) if str(f.value).count(".") > 1]
    for match in _NUMBER.finditer(text):
        start, end = match.span("number")
        is_release = "." in match["number"] and _RELEASE_BEFORE.search(text, max(0, start - 20), start)
        if not is_release and not any(a < end and start < b for a, b in taken):
            unit = _CURRENCIES.get((match["currency"] or "").strip()) or _clean_unit(match["unit"])
            yield Value(_read_number(match["number"], match["scale"]), start, end, unit)
    for match in _WORD_NUMBER.finditer(text):
        number = _WORD_NUMBERS[match["word"].casefold()]
        yield Value(number, match.start("word"), match.end("word"), _clean_unit(match["unit"]))


def _clean_unit(unit: str | None) -> str:
    return (unit or "").strip(" -\u00a0").casefold()


def _read_number(text: str, scale: str | None) -> float | int:
    plain = text.replace("\u2212", "-")
    plain = (
        plain.replace(",", ".")
        if re.fullmatch(r"-?\d+,\d{1,2}", plain)
        else re.sub(r"[,'\u2019\s]", "", plain)
    )
    number = float(plain) * _SCALES.get((scale or "").strip().casefold(), 1)
    return int(number) if number.is_integer() else number


_UNITS: Final[Mapping[str, tuple[str, float]]] = {
    spelling: (dimension, factor)
    for dimension, factor, spellings in (
        ("time", 0.001, "ms millisecond milliseconds"),
        ("time", 1, "s sec secs second seconds"),
        ("time", 60, "min mins minute minutes"),
        ("time", 3600, "h hr hrs hour hours"),
        ("time", 86_400, "d day days"),
        ("time", 604_800, "week weeks"),
        ("months", 1, "month months"),
        ("months", 12, "year years yr yrs"),
        ("bytes", 1, "b byte bytes"),
        ("bytes", 1e3, "kb kilobyte kilobytes"),
        ("bytes", 1024, "kib kibibyte kibibytes"),
        ("bytes", 1e6, "mb megabyte megabytes"),
        ("bytes", 1_048_576, "mib mebibyte mebibytes"),
        ("bytes", 1e9, "gb gigabyte gigabytes"),
        ("bytes", 1_073_741_824, "gib gibibyte gibibytes"),
        ("bytes", 1e12, "tb terabyte terabytes"),
        ("length", 0.001, "mm millimetre millimetres millimeter millimeters"),
        ("length", 0.01, "cm centimetre centimetres centimeter centimeters"),
        ("length", 1, "m metre metres meter meters"),
        ("length", 1000, "km kilometre kilometres kilometer kilometers"),
        ("mass", 1, "g gram grams"),
        ("mass", 1000, "kg kilogram kilograms"),
        ("power", 1, "w watt watts"),
        ("power", 1000, "kw kilowatt kilowatts"),
        ("share", 1, "% percent percentage pct"),
        ("usd", 1, "usd dollar dollars"),
        ("eur", 1, "eur euro euros"),
        ("gbp", 1, "gbp pound pounds"),
    )
    for spelling in spellings.split()
}


def is_unit(word: str) -> bool:
    """Whether `word` spells a unit of measure."""
    return word.casefold() in _UNITS


def convert_number(number: float, *, unit: str, wanted: str) -> float | int | None:
    """`number` in the unit `wanted`, or None when the two units measure different things."""
    if unit == wanted or wanted not in _UNITS:
        return number
    if unit not in _UNITS or _UNITS[unit][0] != _UNITS[wanted][0]:
        return None
    converted = round(number * _UNITS[unit][1] / _UNITS[wanted][1], 9)
    return int(converted) if float(converted).is_integer() else converted


# --- addresses, codes, names -------------------------------------------------------------------------------

_URL: Final = re.compile(r"https?://[^\s<>\"'`)\]}|]+")
_EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_QUOTED: Final = re.compile(r"[`“\"](?P<text>[^`“”\"\n]{1,80})[`”\"]")
_CODE: Final = re.compile(
    r"(?<![\w/.-])(?:--?[a-z][\w-]+(?:=\S+)?|(?=[\w.:/+-]*[A-Za-z])(?=[\w.:/+-]*(?:\d|_|[A-Z]-|-[A-Z]|\w\.\w|[A-Z]{2}))"
    r"[A-Za-z0-9][\w.:/+-]*[\w+])"
)
_NAME_WORD: Final = r"[^\W\d_a-zß-öø-ÿ][\w'\u2019&.-]*[\w]|[^\W\d_a-zß-öø-ÿ]"
_NAME: Final = re.compile(
    rf"(?<![\w/.@-])(?:{_NAME_WORD})"
    rf"(?:\s(?:(?:of|for|the|and|on|de|der|van|von|du|la|le|del|di|zu|&)\s){{0,2}}(?:{_NAME_WORD}|\d+(?:\.\d+)*)(?![\w]))*"
)


def find_urls(text: str) -> Iterator[Value]:
    """Web addresses, without the punctuation that follows them."""
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,:;!?")
        yield Value(url, match.start(), match.start() + len(url))


def find_emails(text: str) -> Iterator[Value]:
    """Mail addresses."""
    return (Value(match.group(), *match.span()) for match in _EMAIL.finditer(text))


def find_quoted(text: str) -> Iterator[Value]:
    """What stands in quotation marks or back-ticks."""
    return (Value(match["text"].strip(), *match.span("text")) for match in _QUOTED.finditer(text))


def find_codes(text: str) -> Iterator[Value]:
    """Things that are written like identifiers: flags, codes, dotted and hyphenated names."""
    yield from find_quoted(text)
    for match in _CODE.finditer(text):
        if "://" not in match.group():
            yield Value(match.group().rstrip(".:"), *match.span())


def find_names(text: str) -> Iterator[Value]:
    """Capitalised names; runs of capitalised stop words are none."""
    for match in _NAME.finditer(text):
        start, words = match.start(), match.group().split(" ")
        while words and words[0].casefold() in STOP_WORDS:
            start += len(words.pop(0)) + 1
        if words:
            name = " ".join(words).rstrip(".'\u2019")
            yield Value(name, start, start + len(name))


def find_phrases(text: str) -> Iterator[Value]:
    """Whatever looks like a value of its own: quoted, written like an identifier, or capitalised."""
    yield from find_codes(text)
    yield from find_names(text)


def find_pattern(text: str, pattern: str) -> Iterator[Value]:
    """Space-free pieces of `text` that a JSON Schema `pattern` accepts."""
    try:
        accepts: Callable[[str], object] = re.compile(pattern).search
    except re.error:
        return
    for match in re.finditer(r"[^\s,;()\[\]\"'`“”]+", text):
        piece = match.group().rstrip(".:!?")
        if accepts(piece):
            yield Value(piece, match.start(), match.start() + len(piece))
