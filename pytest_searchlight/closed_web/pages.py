"""The closed web as its origin servers would answer: an address in, a status and bytes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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


class ClosedWeb:
    """A closed web as it stood when it was read: which file answers which address, and the manifest."""

    def __init__(self, folder: Path) -> None:
        self._manifest = read_manifest(folder)
        # Addresses are looked up, never turned into paths: no address can lead out of the folder.
        self._files = {address_of(folder, path): path for path in list_files(folder) if path.parent != folder}
        self._hosts = {urlsplit(url).hostname for url in self._files}

    def open_page(self, url: str) -> Page:
        """Answer one address as the web's servers would, following at most five redirects.

        Raises:
            UnreachableError: the address is no http(s) URL, its host is unknown, or redirects do not end.
        """
        here = canonical_url(url)
        passed: list[str] = []
        while target := self._find_redirect(here):
            passed.append(here)
            here = target
            if here in passed or len(passed) > MAX_REDIRECTS:
                raise UnreachableError(f"{url}: redirects do not end ({' -> '.join([*passed, here])})")
        return self._answer(here, redirects=tuple(passed))

    def list_pages(self) -> Iterator[Page]:
        """Every page that answers 200, in address order: what a crawler of this web would keep."""
        for url in sorted(self._files):
            if url not in self._manifest.redirects and self._manifest.statuses.get(url, 200) == 200:
                yield self._answer(url, redirects=())

    def _find_redirect(self, url: str) -> str | None:
        if url in self._manifest.redirects:
            return canonical_url(urljoin(url, self._manifest.redirects[url]))
        # What every file server does: a folder asked for without its slash is found with it.
        return f"{url}/" if url not in self._files and f"{url}/" in self._files else None

    def _answer(self, url: str, *, redirects: tuple[str, ...]) -> Page:
        host = urlsplit(url).hostname
        if host not in self._hosts:
            raise UnreachableError(f"{url}: the host {host} does not exist")
        path = self._files.get(url)
        status = self._manifest.statuses.get(url, 200 if path else 404)
        if path is None:
            body = b"410 Gone\n" if status == 410 else b"404 Not Found\n"
            return Page(url, status, CONTENT_TYPES[".txt"], body, redirects=redirects)
        stated = self._manifest.content_types.get(url)
        content_type = stated or CONTENT_TYPES.get(path.suffix, CONTENT_TYPES[".txt"])
        return Page(url, status, content_type, path.read_bytes(), self._manifest.dates.get(url), redirects)


def open_page(folder: Path, url: str) -> Page:
    """Answer one address of the closed web in `folder`, as `ClosedWeb.open_page` does."""
    return ClosedWeb(folder).open_page(url)


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
        host, path = parts.hostname, quote(unquote(parts.path))
    except ValueError as error:
        raise UnreachableError(f"{url!r} is not an address: {error}") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise UnreachableError(f"{url!r} is not an address: give an absolute http(s) URL")
    return f"https://{host}{path or '/'}"


def read_manifest(folder: Path) -> Manifest:
    """Read a closed web's ``site.yaml``; a web without one is plain files."""
    path = folder / MANIFEST
    try:
        content = yaml.load(path.read_bytes(), yaml.CSafeLoader) or {} if path.exists() else {}
    except yaml.YAMLError as error:
        raise UserError(f"{path}: is not YAML: {error}") from error
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
