"""Which addresses may be fetched: an absolute http(s) URL of a public host, in any spelling."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from pytest_searchlight.errors import SearchlightError

if TYPE_CHECKING:
    import httpx

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_RESERVED: Final = tuple(
    map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20", "fec0::/10"))
)
"""Blocks that lead nowhere public, of which Python says otherwise, or does so in some versions."""

_OWN_NAMES: Final = re.compile(r"[^.]+|(?:.+\.)?(?:localhost|local|internal|invalid|home\.arpa)")
"""Names that no public resolver knows: RFC 6761, 6762, 8375, ICANN's "internal", any without a point."""

_TRACKING: Final = re.compile(
    r"utm_\w+|[gdwy]clid|[gw]braid|fbclid|msclkid|twclid|srsltid|mc_[ce]id|_g[al]|_hs(enc|mi)|igshid|ref_src",
    re.IGNORECASE,
)


HTTP_REFUSED: Final = "is http, which only a catalog may allow"


class AddressError(SearchlightError):
    """An address that our rules do not let us fetch; the message is the reason."""


@dataclass(frozen=True, kw_only=True)
class Destination:
    """An address that may be asked, if all that its host resolves to may be connected to.

    `is_secured` marks the https form of an address that is written with http.
    """

    url: httpx.URL
    host: str
    port: int
    is_secured: bool


def parse_destination(url: str, *, allow_http: bool) -> Destination:
    """Take an address apart; where http is not allowed, an http address becomes its https form.

    Raises:
        AddressError: it may not be fetched, whatever its host is.
    """
    parsed = _parse_page_address(url)
    is_secured = parsed.scheme == "http" and not allow_http
    if is_secured:
        parsed = _secure(parsed)
    if parsed.userinfo:
        raise AddressError("holds credentials")
    host = _read_host(parsed)
    if _read_literal(host) is None and _OWN_NAMES.fullmatch(host):
        raise AddressError(f"{host} is no public name")
    port = (443 if parsed.scheme == "https" else 80) if parsed.port is None else parsed.port
    if not 0 < port < 65536:
        raise AddressError(f"has port {port}, which does not exist")
    page = parsed.copy_with(fragment=None)
    return Destination(
        url=page, host=page.raw_host.decode("ascii").removesuffix("."), port=port, is_secured=is_secured
    )


def _secure(url: httpx.URL) -> httpx.URL:
    if url.port is not None:  # httpx leaves out the usual one
        raise AddressError(f"{HTTP_REFUSED}, and on port {url.port} it has no https form")
    return url.copy_with(scheme="https")


def names_page(url: str, *, admits: Callable[[IpAddress], bool]) -> bool:
    """Whether `url` is written so that anybody could open it; what is not says nothing of any capture.

    A name that turns out to stand for a private host is another matter: only a resolver knows.

    Args:
        url: the address as cited.
        admits: which addresses anybody may connect to.
    """
    try:
        host = _read_host(_parse_page_address(url))
    except AddressError:
        return False
    literal = _read_literal(host)
    return admits(literal) if literal is not None else not _OWN_NAMES.fullmatch(host)


def _read_host(url: httpx.URL) -> str:
    return url.host.removesuffix(".")


def _read_literal(host: str) -> IpAddress | None:
    """The address that `host` spells out, in any way that a resolver takes for one; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def _parse_page_address(url: str) -> httpx.URL:
    import httpx

    try:
        parsed = httpx.URL(url)
        host = _read_host(parsed)  # here a host in Punycode is decoded
    except (httpx.InvalidURL, ValueError) as error:
        raise AddressError(f"is no address: {error}") from error
    if parsed.scheme not in {"http", "https"} or not host:
        raise AddressError("is no absolute http(s) URL")
    if "%" in host and ":" not in host:  # in an IPv6 address it stands before the interface
        raise AddressError(f"is no address: {host!r} is no host")
    return parsed


def is_public(address: IpAddress) -> bool:
    """Whether an address is anybody's on the open Internet, also where IPv6 wraps an IPv4 address."""
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    if any(address in block for block in _RESERVED):
        return False
    return all(part.is_global for part in _list_wrapped(address))


def _list_wrapped(address: IpAddress) -> list[ipaddress.IPv4Address]:
    if isinstance(address, ipaddress.IPv4Address):
        return []
    wrapped = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        wrapped.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [part for part in wrapped if part is not None]


@lru_cache(maxsize=4096)
def canonical_source_url(url: str) -> str:
    """`url` without fragment and without parameters that only tell where a reader came from."""
    try:
        parts = urlsplit(url.strip())
        pairs = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return url.strip()
    kept = [pair for pair in pairs if not _TRACKING.fullmatch(pair[0])]
    # A query without tracking stays as it is written: an origin may care how it is spelled.
    query = parts.query if kept == pairs else urlencode(kept)
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path, query, ""))
