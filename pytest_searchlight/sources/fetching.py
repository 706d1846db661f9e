"""Asks a public origin for one page: each hop checked and pinned, every size and the time bounded."""

from __future__ import annotations

import asyncio
import html
import re
import zlib
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import httpx

from pytest_searchlight.sources.addresses import HTTP_REFUSED, AddressError, Destination, parse_destination
from pytest_searchlight.sources.policy import CapturePolicy
from pytest_searchlight.sources.records import FetchError, OriginResponse

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_META_TAG: Final = re.compile(rb"<meta\b[^>]{0,1000}", re.IGNORECASE)
_REFRESH: Final = re.compile(rb"http-equiv\s*=\s*[\"']?\s*refresh", re.IGNORECASE)
_REFRESH_TARGET: Final = re.compile(
    rb"content\s*=\s*[\"']?\s*\d{1,2}\s*[;,]\s*url\s*=\s*[\"']?([^\"'>\s]+)", re.IGNORECASE
)
_LARGEST_SIGNPOST_BYTES: Final = 4096
_GZIP: Final = frozenset({"gzip", "x-gzip"})
_GZIP_MARK: Final = b"\x1f"
_GZIP_WINDOW: Final = 31
"""What tells zlib to expect gzip's own header."""


def fetch(url: str, *, policy: CapturePolicy) -> OriginResponse:
    """Ask for `url` within the bounds of `policy`.

    Raises:
        AddressError: our rules do not let us fetch it, or an address on the way.
        FetchError: nothing readable came.
    """
    try:
        return asyncio.run(_fetch_in_time(url, policy))
    except TimeoutError as error:
        raise FetchError(f"took longer than {policy.wall_clock_s:g} s") from error
    except (httpx.InvalidURL, UnicodeError) as error:
        raise FetchError(f"redirects to what is no address: {error}") from error
    except (httpx.HTTPError, OSError) as error:
        raise FetchError(f"{type(error).__name__}: {error}") from error


async def _fetch_in_time(url: str, policy: CapturePolicy) -> OriginResponse:
    async with asyncio.timeout(policy.wall_clock_s):
        # Environment variables could send us through a proxy that resolves names by itself.
        client = httpx.AsyncClient(verify=policy.trust(), trust_env=False, timeout=policy.wall_clock_s)
        async with client:
            return await _follow(client, url, policy)


async def _follow(client: httpx.AsyncClient, url: str, policy: CapturePolicy) -> OriginResponse:
    secured = False
    for _ in range(policy.max_redirects + 1):
        destination = parse_destination(url, allow_http=policy.allow_http)
        answered = await _ask_securely(client, destination, policy)
        secured = secured or destination.is_secured
        if isinstance(answered, OriginResponse):
            return replace(answered, secured=secured)
        url = str(answered)
    raise FetchError(f"redirects more than {policy.max_redirects} times")


async def _ask_securely(
    client: httpx.AsyncClient, destination: Destination, policy: CapturePolicy
) -> OriginResponse | httpx.URL:
    """As `_ask`; where an http address has no https form, the address is what is wrong."""
    try:
        return await _ask(client, destination, policy)
    except (FetchError, httpx.HTTPError, OSError) as error:
        if not destination.is_secured:
            raise
        raise AddressError(f"{HTTP_REFUSED}; its https form: {type(error).__name__}: {error}") from error


async def _ask(
    client: httpx.AsyncClient, destination: Destination, policy: CapturePolicy
) -> OriginResponse | httpx.URL:
    """The page, or where its origin sends us instead."""
    address = await policy.choose_address(destination)
    client.cookies.clear()
    request = client.build_request(
        "GET",
        destination.url.copy_with(host=str(address)),
        headers={
            "Host": destination.url.netloc.decode("ascii"),
            "User-Agent": policy.user_agent,
            "Accept": "text/html, application/pdf, application/json, text/*;q=0.9, */*;q=0.5",
            "Accept-Encoding": "gzip",
        },
        # The connection goes to the checked address; the certificate must still be the host's.
        extensions={"sni_hostname": destination.host},
    )
    response = await client.send(request, stream=True)
    try:
        location = response.headers.get("location")
        if response.status_code in _REDIRECTS and location:
            return destination.url.join(location)
        body = await _read_body(response, policy)
        target = find_refresh(body) if response.status_code == httpx.codes.OK else None
        if target is not None and (onward := destination.url.join(target)) != destination.url:
            return onward
        return OriginResponse(
            url=str(destination.url),
            status=response.status_code,
            content_type=response.headers.get("content-type", ""),
            body=body,
        )
    finally:
        await response.aclose()


def find_refresh(body: bytes) -> str | None:
    """Where a page that is a mere signpost sends its readers; None when it is more, or sends nobody."""
    tags = _META_TAG.findall(body) if len(body) <= _LARGEST_SIGNPOST_BYTES else []
    targets = (_REFRESH_TARGET.search(tag) for tag in tags if _REFRESH.search(tag))
    target = next(filter(None, targets), None)
    return html.unescape(target[1].decode("utf-8", "replace")) if target else None


async def _read_body(response: httpx.Response, policy: CapturePolicy) -> bytes:
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in _GZIP | {"identity", ""}:
        raise FetchError(f"is encoded as {encoding!r}, which was not asked for")
    body = _Gunzip(policy.max_body_bytes) if encoding in _GZIP else _Plain()
    async for chunk in _limit(response.aiter_raw(), most_bytes=policy.max_wire_bytes):
        body.feed(chunk)
    return body.finish()


async def _limit(chunks: AsyncIterator[bytes], *, most_bytes: int) -> AsyncIterator[bytes]:
    count = 0
    async for chunk in chunks:
        count += len(chunk)
        if count > most_bytes:
            raise FetchError(f"is larger than {most_bytes} bytes")
        yield chunk


class _Plain:
    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def feed(self, chunk: bytes) -> None:
        self._pieces.append(chunk)

    def finish(self) -> bytes:
        return b"".join(self._pieces)


class _Gunzip:
    """Decompresses as it comes, and never more than the limit."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._body = bytearray()
        self._member = zlib.decompressobj(_GZIP_WINDOW)
        self._has_begun = False

    def feed(self, chunk: bytes) -> None:
        self._has_begun = True
        while chunk:
            if self._member.eof:
                if not chunk.startswith(_GZIP_MARK):
                    return  # what pads the end is no part of the page
                self._member = zlib.decompressobj(_GZIP_WINDOW)
            try:
                self._body += self._member.decompress(chunk, self._most_bytes - len(self._body) + 1)
            except zlib.error as error:
                raise FetchError(f"is no gzip, as it says: {error}") from error
            if len(self._body) > self._most_bytes:
                raise FetchError(f"is larger than {self._most_bytes} bytes once decompressed")
            chunk = self._member.unused_data

    def finish(self) -> bytes:
        if self._has_begun and not self._member.eof:
            raise FetchError("ends before its gzip does")
        return bytes(self._body)
