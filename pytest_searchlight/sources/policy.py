"""What a capture may do: its bounds, and which addresses it may connect to."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_searchlight.sources.addresses import AddressError, Destination, IpAddress, is_public

if TYPE_CHECKING:
    import ssl

Resolve = Callable[[str, int], Awaitable[list[IpAddress]]]
"""Gives every address of a host and port."""


async def resolve_host(host: str, port: int) -> list[IpAddress]:
    """Every address that the system's resolver gives, also for odd spellings of one. Raises OSError."""
    import asyncio

    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(address[0]) for *_, address in found]


@lru_cache(maxsize=1)
def trust_public_authorities() -> ssl.SSLContext:
    """The public authorities, read once: loading them takes longer than a capture."""
    import httpx

    return httpx.create_ssl_context(trust_env=False)


@dataclass(frozen=True, kw_only=True)
class CapturePolicy:
    """The bounds of a capture.

    Attributes:
        allow_http: whether plain http may be fetched, a catalog's choice; else its https form is asked for.
        wall_clock_s: for one address, from resolving its name to the last byte, redirects included.
        decode_s: for a decoder that runs in a process of its own.
        max_redirects: hops that are followed.
        max_wire_bytes: bytes of a body as they come.
        max_body_bytes: bytes of a body after decompression.
        user_agent: how the capture introduces itself.
        resolve: how a host's addresses are found.
        admits: which addresses may be connected to; all of a host's must be.
        trust: gives the certificates that are trusted.
    """

    allow_http: bool = False
    wall_clock_s: float = 30.0
    decode_s: float = 30.0
    max_redirects: int = 5
    max_wire_bytes: int = 10_000_000
    max_body_bytes: int = 20_000_000
    user_agent: str = "Mozilla/5.0 (compatible; Searchlight source capture)"
    resolve: Resolve = field(default=resolve_host)
    admits: Callable[[IpAddress], bool] = field(default=is_public)
    trust: Callable[[], ssl.SSLContext] = field(default=trust_public_authorities)

    async def choose_address(self, destination: Destination) -> IpAddress:
        """The address to connect to. Raises AddressError unless all of the host's are admitted."""
        try:
            addresses = await self.resolve(destination.host.strip("[]"), destination.port)
        except UnicodeError as error:
            raise AddressError(f"has a host that cannot be asked for: {error}") from error
        if not addresses:
            raise AddressError(f"{destination.host} has no address")
        for address in addresses:
            if not self.admits(address):
                raise AddressError(f"{destination.host} has an address that is not public")
        return addresses[0]
