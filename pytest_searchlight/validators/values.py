"""Numbers, dates, versions and URLs as people write them, read only where there is one way to read them."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

# --- numbers ----------------------------------------------------------------------------------------------

NUMBER: Final = re.compile(
    r"(?:(?<![\w.,])(?<!\d-)|(?<=\b[vV]))"
    r"[-+]?(?:\d{1,3}(?:[,\u00a0 _']\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?"
    r"(?:(?:k|K|M|bn)\b|\s(?:thousand|million|billion|trillion)\b)?(?!\d|[.,]\d|-\d)",
)
_SCALES: Final = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "million": 1e6,
    "bn": 1e9,
    "billion": 1e9,
    "trillion": 1e12,
}
_SCALE: Final = re.compile(r"[a-z]{2,}$|[km]$", re.IGNORECASE)


def read_number(text: str) -> float | int | None:
    """The number that a match of `NUMBER` stands for, or None when it is out of range."""
    scale = _SCALE.search(text)
    digits = re.sub(r"[,\u00a0 _']", "", text[: scale.start()] if scale else text)
    try:
        value = float(digits) * (_SCALES[scale.group().lower()] if scale else 1)
    except (ValueError, OverflowError):
        return None
    if abs(value) == float("inf"):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


# --- dates ------------------------------------------------------------------------------------------------

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
"""A month's name; part of larger patterns that do not tell upper from lower case."""

_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_TIME: Final = r"(?:[T\s]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?"
DATE: Final = re.compile(
    rf"""(?<!\w)(?:
        (?P<iso>\d{{4}}[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])){_TIME}
      | (?P<daymonth>{_DAY}(?:\s+of)?[\s.-]+{MONTH}\.?,?[\s-]+\d{{4}})
      | (?P<monthday>{MONTH}\.?\s+{_DAY},?\s+\d{{4}})
      | (?P<cjk>\d{{4}}\u5e74\d{{1,2}}\u6708\d{{1,2}}\u65e5)
      | (?P<slashed>\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{4}})
    )(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)


def read_date(text: str) -> date | None:
    """The day that a match of `DATE` stands for; None when it has two readings (03/04/2026) or none."""
    found = DATE.fullmatch(text)
    if found is None:
        return None
    form = found.lastgroup or ""
    numbers = [int(number) for number in re.findall(r"\d+", found[form])]
    if form in {"iso", "cjk"}:
        return _make_date(*numbers)
    if form == "slashed":
        return _read_slashed(*numbers)
    name = re.search(MONTH, text, re.IGNORECASE)
    month = _MONTHS.index(name.group()[:3].lower()) + 1 if name else 0
    return _make_date(numbers[-1], month, numbers[0])


def _read_slashed(first: int, second: int, year: int) -> date | None:
    readings = {_make_date(year, first, second), _make_date(year, second, first)} - {None}
    return readings.pop() if len(readings) == 1 else None


def _make_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# --- versions ---------------------------------------------------------------------------------------------

VERSION: Final = re.compile(
    r"(?<![\w.+-])v?\d+(?:\.\d+)*(?:[-+.]?(?:[a-z][0-9a-z]*)(?:[.-]?[0-9a-z]+)*)?(?![\w+-]|\.\w)",
    re.IGNORECASE,
)


def read_version(text: str) -> str:
    """A version in one form: ``v2.4.0`` and ``2.4`` are the same, as are ``2.0-rc1`` and ``2.0rc1``."""
    plain = text.casefold().strip().removeprefix("v").partition("+")[0]
    numbers, suffix = _RELEASE.match(plain).groups()  # type: ignore[union-attr]  # matches every text
    return re.sub(r"(?:\.0+)+$", "", numbers) + re.sub(r"[\s.-]", "", suffix)


_RELEASE: Final = re.compile(r"((?:\d+(?:\.\d+)*)?)(.*)", re.DOTALL)


# --- URLs -------------------------------------------------------------------------------------------------

URL: Final = re.compile(r"https?://[^\s<>\"'`\\{}|^]+", re.IGNORECASE)
_TRACKING: Final = re.compile(r"^(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|ref|ref_src|source)$")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@lru_cache(maxsize=1024)
def split_url(text: str) -> SplitResult | None:
    """The parts of an http or https URL, or None when it is not one with a host."""
    cleaned = _trim_url(text.strip())
    try:
        parts = urlsplit(cleaned)
        usable = parts.scheme.lower() in _DEFAULT_PORTS and bool(parts.hostname)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        return None
    return parts if usable else None


def _trim_url(text: str) -> str:
    text = text.strip("<>`'\"").rstrip(".,;:!?*_")
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1].rstrip(".,;:!?")
    return text


def read_host(parts: SplitResult) -> str:
    """The host as labels are compared: lower case, ASCII (punycode), without a closing dot."""
    host = (parts.hostname or "").rstrip(".")
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return host.lower()


@lru_cache(maxsize=1024)
def normalise_url(text: str) -> str | None:
    """A URL for comparison, without scheme, ``www.``, closing slash, fragment and tracking parameters."""
    parts = split_url(text)
    if parts is None:
        return None
    port = f":{parts.port}" if parts.port not in {None, _DEFAULT_PORTS[parts.scheme.lower()]} else ""
    kept = [
        (key, value)
        for key, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _TRACKING.match(key)
    ]
    query = f"?{urlencode(sorted(kept), errors='replace')}" if kept else ""
    host = read_host(parts).removeprefix("www.")
    return f"{host}{port}{unquote(parts.path).rstrip('/')}{query}"


def is_on_host(host: str, wanted: str) -> bool:
    """Whether `host` is `wanted` or below it, by whole labels: ``evil-a.example`` is not on ``a.example``."""
    base = wanted.casefold().strip(".").removeprefix("*.")
    return host == base or host.endswith("." + base)
