"""`Compression`: answers in gzip format, for clients that ask for it (`Accept-Encoding`).

    200, a body of at least 1,000 bytes   ->   Content-Encoding: gzip, and an ETag of its own: "13-5f3a9c0d.ttl-gzip"

Each piece of an answer is compressed and sent on, so nothing waits for the end. If an answer breaks off, its end is
missing in the compressed answer, too. Streams of events are sent as they are, because a compressor would keep the last
commit back. Pages for browsers (`text/html`) are sent as they are: the length of a compressed page could tell an
attacker on the network what secret the page has beside a text that the attacker chose (BREACH).

Cost: about 10 milliseconds a megabyte. Another thread compresses long pieces.
"""

from __future__ import annotations

import zlib

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgreason.server.http.conditions import compressed_etag

_LEAST = 1_000
"""Shorter bodies are not compressed, in bytes."""
_LONG = 1 << 16
"""Another thread compresses longer pieces."""
_LEVEL, _GZIP = 4, 16 + zlib.MAX_WBITS
_KINDS = ("application/", "text/", "image/svg+xml", "font/")
_PLAIN = ("text/event-stream", "application/rdf-patch", "text/x-rdf-patch", "text/html", "application/gzip")
_PLAIN_FONTS = ("font/woff",)


class Compression:
    """An ASGI application that compresses the answers of another one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        accepts = accepts_gzip(", ".join(Headers(scope=scope).getlist("accept-encoding")))
        await self._app(scope, receive, _Answer(send, is_wanted=accepts, is_head=scope["method"] == "HEAD").send)


class _Answer:
    """Sends one answer, compressed or not. The head is sent with the first piece, which may decide."""

    def __init__(self, send: Send, *, is_wanted: bool, is_head: bool) -> None:
        self._send, self._is_wanted, self._is_head = send, is_wanted, is_head
        self._head: Message | None = None
        self._packer: zlib._Compress | None = None

    async def send(self, message: Message) -> None:
        """Send a message of the answer."""
        if message["type"] == "http.response.start":
            may_be_packed = _may_be_packed(message)
            if may_be_packed or message["status"] == 304:  # which has the Vary of the answer that it stands for
                MutableHeaders(scope=message).add_vary_header("Accept-Encoding")
                if may_be_packed and self._is_wanted:
                    self._head = message
                    return
            await self._send(message)
            return
        if message["type"] != "http.response.body":
            await self._send(message)
            return
        if self._head is not None:
            head, self._head = self._head, None
            self._begin(head, message)
            await self._send(head)
        if self._packer is not None:
            message = {**message, "body": await self._pack(self._packer, message)}
        await self._send(message)

    def _begin(self, head: Message, first: Message) -> None:
        """Decide whether the answer is compressed, and change its head accordingly."""
        headers, is_all = MutableHeaders(scope=head), not first.get("more_body", False)
        length = headers.get("content-length", "")
        size = int(length) if length.isdigit() else len(first.get("body", b"")) if is_all else _LEAST
        if size < _LEAST:
            return
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        headers["Content-Encoding"] = "gzip"
        del headers["Content-Length"]
        if (tag := headers.get("etag")) is not None:
            headers["ETag"] = compressed_etag(tag)

    async def _pack(self, packer: zlib._Compress, message: Message) -> bytes:
        body, is_last = message.get("body", b""), not message.get("more_body", False)
        if self._is_head:
            return b""

        def pack() -> bytes:
            return packer.compress(body) + packer.flush(zlib.Z_FINISH if is_last else zlib.Z_SYNC_FLUSH)

        return await run_in_threadpool(pack) if len(body) > _LONG else pack()


def _may_be_packed(head: Message) -> bool:
    headers = Headers(raw=head["headers"])
    media = headers.get("content-type", "").partition(";")[0].strip().lower()
    is_text = media.startswith(_KINDS) and media not in _PLAIN and not media.startswith(_PLAIN_FONTS)
    return head["status"] == 200 and is_text and "content-encoding" not in headers


def accepts_gzip(header: str) -> bool:
    """Whether a header Accept-Encoding accepts gzip.

    >>> accepts_gzip("br, gzip;q=0.5"), accepts_gzip("gzip;q=0, *"), accepts_gzip("*"), accepts_gzip("identity")
    (True, False, True, False)
    """
    found: dict[str, float] = {}
    for part in header.split(","):
        name, *parameters = (each.strip().lower() for each in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    quality = float(parameter[2:])
                except ValueError:
                    quality = 0.0
        found[name] = quality
    gzip = found.get("gzip", found.get("x-gzip", found.get("*", 0.0)))
    return gzip > 0 and gzip >= found.get("identity", 0.0)
