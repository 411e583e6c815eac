"""Bodies of requests: read piece by piece, unpacked, and limited in size and time.

    body_file   a temporary file, for RDF        text       a short text in UTF-8

Law: a body of more than a few megabytes is never in memory as a whole. A client is dropped if it sends nothing for some
seconds. A client is also dropped if it sends less than a kilobyte a second. The limit of the size holds for the
unpacked body, so that a small packed body cannot become a huge unpacked one.

The files are in a folder that belongs to the store (`folder_of`). Only one server has a store open, so what the folder
has when a server starts was left by one that was killed.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from errno import EPERM
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempdir
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import Message, Receive

from kgreason.errors import InputError
from kgreason.server.problems import Problem
from kgreason.server.settings import Settings

_PIECE = 1 << 20
_TEXT = 1 << 24
"""The largest query, update or form, in bytes."""
_SLOWEST = 1000
"""A client must send at least this many bytes of a body a second, after the first seconds."""
_SHARES = 20
"""The wait for a piece of a body is divided into so many shares."""
_GZIP = 16 + zlib.MAX_WBITS


def folder_of(store: Path) -> Path:
    """Return the folder for the temporary files of the server of a store. Only its user may look into it."""
    name = sha256(str(store.resolve()).encode()).hexdigest()[:16]
    return Path(gettempdir()) / f"kgreason-bodies-{name}"


@contextmanager
def empty_folder(store: Path) -> Iterator[None]:
    """A context: the folder of a store is there, and empty at first. The store must be open for writing.

    Raises InputError if the folder belongs to another user, or cannot be made.
    """
    folder = folder_of(store)
    try:
        if os.path.lexists(folder):
            _check_owner(folder)
            shutil.rmtree(folder)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}; the server keeps the bodies of requests there") from error
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_owner(folder: Path) -> None:
    """Raise PermissionError if a file or folder belongs to another user, who could read or exchange what is in it."""
    if hasattr(os, "geteuid") and folder.lstat().st_uid != os.geteuid():
        raise PermissionError(EPERM, "it belongs to another user; give the server another folder with TMPDIR", folder)


@asynccontextmanager
async def body_file(request: Request, settings: Settings) -> AsyncIterator[Path]:
    """A context: write the body of a request to a temporary file, and give the file's path.

    The end of the context removes the file. Raises Problem.
    """
    with new_file(settings.store) as file:
        async for piece in _pieces(request, settings, settings.body_bytes):
            await run_in_threadpool(file.write, piece)
        await run_in_threadpool(file.flush)
        yield Path(file.name)


def new_file(store: Path) -> Any:
    """Return a new temporary file in the folder of a store. A folder that a cleaner has removed is made again.

    Raises PermissionError if another user has made the folder meanwhile.
    """
    folder = folder_of(store)
    folder.mkdir(mode=0o700, exist_ok=True)
    _check_owner(folder)
    return NamedTemporaryFile(dir=folder)


async def body_text(request: Request, settings: Settings, most: int = _TEXT) -> str:
    """Return the body of a request, of at most `most` bytes, as text. Raises Problem."""
    parts = [piece async for piece in _pieces(request, settings, min(most, settings.body_bytes))]
    try:
        return b"".join(parts).decode()
    except UnicodeDecodeError as error:
        raise Problem(400, "the body is not UTF-8 text") from error


async def _pieces(request: Request, settings: Settings, most: int) -> AsyncIterator[bytes]:
    """Yield the unpacked pieces of a body. Raises Problem if the unpacked body has more than `most` bytes."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most:
        raise _too_long(most)
    packing = request.headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip"):
        raise Problem(415, f"the content encoding {packing} is not gzip", {"Accept-Encoding": "gzip, identity"})
    pieces = _raw_pieces(request, settings.body_seconds)
    size = 0
    async for piece in pieces if packing == "identity" else _unpacked_pieces(pieces):
        size += len(piece)
        if size > most:
            raise _too_long(most)
        yield piece


def _too_long(most: int) -> Problem:
    return Problem(413, f"the body has more than {most:,} bytes", {"Connection": "close"})


async def _raw_pieces(request: Request, seconds: float) -> AsyncIterator[bytes]:
    async for piece in Request(request.scope, receive_in_time(request.receive, seconds)).stream():
        yield piece


def receive_in_time(receive: Receive, seconds: float) -> Receive:
    """Wrap `receive`, which gives the messages of a request, so that a slow client gets an error.

    The returned function raises Problem if a message takes more than `seconds`, or if the body comes too slowly. Only
    waiting for messages counts. If the event loop stands still meanwhile, that counts as at most a twentieth of
    `seconds`: the client is not blamed for it. `receive` may be cancelled while it waits, and called again; it must not
    lose a message by that.
    """
    clock, share, left = asyncio.get_running_loop().time, seconds / _SHARES, seconds

    async def receive_message() -> Message:
        nonlocal left
        least = max(0, left - seconds)
        for _ in range(_SHARES + 1):  # at the end once more, in case the message came while the loop stood still
            begun, wait = clock(), max(0, min(share, left - least))
            try:
                async with asyncio.timeout(wait):
                    message = await receive()
            except TimeoutError:
                left -= wait
                continue
            left += len(message.get("body", b"")) / _SLOWEST - min(clock() - begun, wait)
            if message["type"] == "http.disconnect":
                raise Problem(400, "the body ended too early")
            return message
        raise Problem(408, "the rest of the body did not come in time", {"Connection": "close"})

    return receive_message


async def _unpacked_pieces(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the unpacked bytes of a body in gzip format. The body may have several gzip members. Raises Problem."""
    unpacker, is_whole = zlib.decompressobj(_GZIP), True
    async for piece in pieces:
        rest = piece
        while rest:
            try:
                found = await run_in_threadpool(unpacker.decompress, rest, _PIECE)
            except zlib.error as error:
                raise Problem(400, "the body is not gzip") from error
            yield found
            rest, is_whole = unpacker.unconsumed_tail, unpacker.eof
            if is_whole:
                rest, unpacker = unpacker.unused_data, zlib.decompressobj(_GZIP)
    if not is_whole:
        raise Problem(400, "the body is gzip that is cut short")
