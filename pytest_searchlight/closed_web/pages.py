"""The closed web as its origin servers would answer: an address in, a status and bytes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, unquote, urljoin, urlsplit

import yaml

from pytest_searchlight.closed_web.hashing import list_files
from pytest_searchlight.errors import SearchlightError, UserError

MANIFEST: Final = "site.yaml"
MAX_REDIRECTS: Final = 5
INDEX_FILE: Final = "index.html"
CONTENT_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".html": "text/html",
        ".json": "application/json",
        ".md": "text/markdown; charset=utf-8",
        ".pdf": "application/pdf",
        ".txt": "text/plain; charset=utf-8",
    }
)


SECTIONS: Final = ("redirects", "statuses", "content_types", "dates")


class UnreachableError(SearchlightError):
    """An address that no server of the closed web answers: unknown host, bad address, redirect loop."""


@dataclass(frozen=True, slots=True)
class Page:
    """What the origin answered.

    Attributes:
        url: the address that answered, after redirects.
        status: HTTP status; 404 and 410 have a short body too.
        content_type: media type with charset, as the origin declares it.
        body: the bytes, undecoded.
        modified: the date the origin states (ISO), None when it states none.
        redirects: the addresses passed on the way, in order.
    """

    url: str
    status: int
    content_type: str
    body: bytes
    modified: str | None = None
    redirects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``site.yaml`` states about addresses; every key is an address in canonical form."""

    redirects: Mapping[str, str]
    statuses: Mapping[str, int]
    content_types: Mapping[str, str]
    dates: Mapping[str, str]


def open_page(folder: Path, url: str) -> Page:
    """Answer one address as the closed web's servers would, following at most five redirects.

    Raises:
        UnreachableError: the address is no http(s) URL, its host is unknown, or redirects do not end.
    """
    manifest = read_manifest(folder)
    passed: list[str] = []
    here = canonical_url(url)
    while target := _redirect_target(folder, here, manifest):
        passed.append(here)
        here = target
        if here in passed or len(passed) > MAX_REDIRECTS:
            raise UnreachableError(f"{url}: redirects do not end ({' -> '.join([*passed, here])})")
    return _answer(folder, here, manifest, redirects=tuple(passed))


def list_pages(folder: Path) -> Iterator[Page]:
    """Every page that answers 200, in address order: what a crawler of this web would keep."""
    manifest = read_manifest(folder)
    files = (path for path in list_files(folder) if path.parent != folder)
    for url in sorted(address_of(folder, path) for path in files):
        page = _answer(folder, url, manifest, redirects=())
        if page.status == 200 and url not in manifest.redirects:
            yield page


def address_of(folder: Path, path: Path) -> str:
    """The address a file is served under; ``index.html`` stands for its folder."""
    host, *rest = path.relative_to(folder).parts
    if rest[-1] == INDEX_FILE:
        rest[-1] = ""
    return f"https://{host}/{quote('/'.join(rest))}"


def canonical_url(url: str) -> str:
    """One spelling for one address: https, lower-case host, no port, query or fragment.

    Raises:
        UnreachableError: this is no http(s) address.
    """
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname
    except ValueError as error:
        raise UnreachableError(f"{url!r} is not an address: {error}") from error
    path = unquote(parts.path)
    if parts.scheme not in {"http", "https"} or not host or "\0" in path:
        raise UnreachableError(f"{url!r} is not an address: give an absolute http(s) URL")
    return f"https://{host}{quote(path) or '/'}"


def read_manifest(folder: Path) -> Manifest:
    """Read a closed web's ``site.yaml``; a web without one is plain files."""
    path = folder / MANIFEST
    return _read_manifest(path, path.stat().st_mtime_ns if path.exists() else None)


@cache
def _read_manifest(path: Path, changed_ns: int | None) -> Manifest:
    content = {} if changed_ns is None else yaml.load(path.read_bytes(), yaml.CSafeLoader) or {}
    for section in content:
        if section not in SECTIONS:
            raise UserError(f"{path}: section {section!r} is unknown; write one of {', '.join(SECTIONS)}")
        for url in content[section] or {}:
            _demand_canonical(url, f"{path}: {section}")
    redirects, statuses, content_types, dates = (content.get(section) or {} for section in SECTIONS)
    return Manifest(redirects, statuses, content_types, {url: str(day) for url, day in dates.items()})


def _demand_canonical(url: str, place: str) -> None:
    if canonical_url(url) != url:
        raise UserError(f"{place}: {url} is not in canonical form; write it as {canonical_url(url)}")


def _redirect_target(folder: Path, url: str, manifest: Manifest) -> str | None:
    if url in manifest.redirects:
        return canonical_url(urljoin(url, manifest.redirects[url]))
    # What every file server does: a folder asked for without its slash is found with it.
    return None if url.endswith("/") or not (_path_of(folder, url) / INDEX_FILE).is_file() else f"{url}/"


def _answer(folder: Path, url: str, manifest: Manifest, *, redirects: tuple[str, ...]) -> Page:
    path = _locate_file(folder, url)
    status = manifest.statuses.get(url, 200 if path else 404)
    if path is None:
        body = b"410 Gone\n" if status == 410 else b"404 Not Found\n"
        return Page(url, status, CONTENT_TYPES[".txt"], body, redirects=redirects)
    content_type = manifest.content_types.get(url) or CONTENT_TYPES.get(path.suffix, "text/plain")
    return Page(url, status, content_type, path.read_bytes(), manifest.dates.get(url), redirects)


def _locate_file(folder: Path, url: str) -> Path | None:
    path = _path_of(folder, url)
    if url.endswith("/"):
        path /= INDEX_FILE
    return path if path.is_file() else None


def _path_of(folder: Path, url: str) -> Path:
    parts = urlsplit(url)
    host = (folder / (parts.hostname or "")).resolve()
    if host.parent != folder.resolve() or not host.is_dir():
        raise UnreachableError(f"{url}: the host {parts.hostname} does not exist")
    path = (host / unquote(parts.path).lstrip("/")).resolve()
    return path if path.is_relative_to(host) else host / "outside-of-every-host"
