"""`/backup`: a copy of the store as a tar file, made while others read and write.

    GET /backup   ->   store/manifest.json, store/journal, ...        as `kgreason backup` copies them

The copy is made beside the store, so that files that never change become hard links. It is removed when the answer has
ended, and a copy that a killed server has left is removed at the next start. To restore a store, unpack the file: the
folder `store` in it is a store. Law: the file holds the state after one commit; an answer that breaks off lacks the end
of a tar file, and its last chunk.
"""

from __future__ import annotations

import asyncio
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from kgreason.errors import StoreError
from kgreason.server.paths.server_parts import server_parts
from kgreason.server.problems import Problem, busy_problem

_PIECE, _BLOCK = 1 << 20, tarfile.BLOCKSIZE


async def backup(request: Request) -> Response:
    """Send a copy of the store as a tar file, with the history. Unpack it to restore the store."""
    state, graph = request.app.state, server_parts(request).writer.graph
    if getattr(state, "is_copying", False):
        raise busy_problem("backups")
    state.is_copying = True
    folder: TemporaryDirectory[str] | None = None
    try:
        folder = await run_in_threadpool(_new_folder, server_parts(request).settings.store)
        copy = Path(folder.name) / "store"
        commit = await run_in_threadpool(graph.backup, copy)
    except BaseException:
        state.is_copying = False
        if folder is not None:
            _remove(folder)
        raise
    headers = {
        "Content-Type": "application/x-tar",
        "Content-Disposition": f'attachment; filename="kgreason-{commit}.tar"',
        "Kgreason-Commit": str(commit),
        "Cache-Control": "no-store",
    }
    return _TarResponse(folder, copy, headers)


class _TarResponse(StreamingResponse):
    """The answer with a copy of a store. Its end removes the copy."""

    def __init__(self, folder: TemporaryDirectory[str], copy: Path, headers: dict[str, str]) -> None:
        super().__init__(_tar(copy), headers=headers)
        self._folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            scope["app"].state.is_copying = False
            _remove(self._folder)


def _remove(folder: TemporaryDirectory[str]) -> None:
    """Remove a folder in another thread. This does not wait, so that it also works in a request that was cancelled."""
    asyncio.get_running_loop().run_in_executor(None, folder.cleanup)


def _prefix(store: Path) -> str:
    return f".{store.resolve().name}.backup-"


def _new_folder(store: Path) -> TemporaryDirectory[str]:
    """Make a folder for the copy of a store: beside the store, or elsewhere if nobody may write there."""
    try:
        return TemporaryDirectory(prefix=_prefix(store), dir=store.resolve().parent, ignore_cleanup_errors=True)
    except OSError:
        try:
            return TemporaryDirectory(prefix="kgreason-backup-", ignore_cleanup_errors=True)
        except OSError as error:
            raise Problem(507, f"there is no place for a copy of the store: {error.strerror or error}") from error


def remove_leftovers(store: Path) -> None:
    """Remove the copies that a killed server of this store has left. A store has one server at a time."""
    with suppress(OSError):
        for path in store.resolve().parent.iterdir():
            if path.name.startswith(_prefix(store)):
                shutil.rmtree(path, ignore_errors=True)


def _tar(copy: Path) -> Iterator[bytes]:
    """Yield a tar file with the folder `copy`, which nobody changes. Raises StoreError if somebody does.

    The files have no owner, so whoever unpacks them owns them.
    """
    for path in [copy, *sorted(copy.rglob("*"))]:
        info = tarfile.TarInfo(path.relative_to(copy.parent).as_posix())
        info.mtime = int(path.stat().st_mtime)
        info.mode, info.type = (0o755, tarfile.DIRTYPE) if path.is_dir() else (0o644, tarfile.REGTYPE)
        info.size = 0 if path.is_dir() else path.stat().st_size
        yield info.tobuf(tarfile.PAX_FORMAT)
        left = info.size
        if left:
            with path.open("rb") as file:
                while left:
                    piece = file.read(min(left, _PIECE))
                    if not piece:
                        raise StoreError(f"{path.name} has become shorter while it was copied")
                    left -= len(piece)
                    yield piece
            yield bytes(-info.size % _BLOCK)
    yield bytes(2 * _BLOCK)
