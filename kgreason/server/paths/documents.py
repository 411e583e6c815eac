"""RDF documents of `/store`: documents in a request become LOAD operations; asserted quads become the answer.

    body, or the files of a form -> temporary files -> LOAD operations, with base and format
    asserted quads of the graph  -> a temporary file -> the body of an answer

A blank node belongs to the file that it is read from. Each request has new files, so its blank nodes are new.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, cast

import pyoxigraph
from pyoxigraph import DefaultGraph, Quad
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from kgreason.server import body
from kgreason.server.formats import QUADS, TRIPLES, Types, format_of, media_type
from kgreason.server.paths.server_parts import check_text, server_parts
from kgreason.server.problems import Problem
from kgreason.server.queries.nesting import may_be_deep_document
from kgreason.sparql.operations import Load
from kgreason.terms.tags import parse_quads

_FORM = "multipart/form-data"
_PIECE = 1 << 18


@asynccontextmanager
async def load_operations(
    request: Request, graph: str | None, base: str, *, several: bool
) -> AsyncIterator[tuple[Load, ...]]:
    """A context: write the documents in a request to temporary files, and give a LOAD operation for each file.

    The end of the context removes the files. Triples go into the graph with the name `graph` (N-Triples text), or into
    the default graph if `graph` is None. If `several` is set, a document may also have quads, which go into the graphs
    that they name. `base` is the base of relative IRIs. Raises Problem.
    """
    types: Types = {**TRIPLES, **QUADS} if several else TRIPLES
    header = request.headers.get("content-type")
    async with AsyncExitStack() as files:
        if media_type(header) == _FORM:
            parts = _files(await files.enter_async_context(_form(request)))
            forms = [format_of(media_type(part.content_type), types) for part in parts]
            store = server_parts(request).settings.store
            paths = [await files.enter_async_context(_part_file(part, store)) for part in parts]
        else:
            forms = [format_of(media_type(header), types)]
            paths = [await files.enter_async_context(body.body_file(request, server_parts(request).settings))]
        for path, form in zip(paths, forms, strict=True):
            if await run_in_threadpool(may_be_deep_document, path, form):
                await check_text(request, "document", str(path), form, base)
        each = zip(paths, forms, strict=True)
        yield tuple(Load(path, graph, False, form, "the body", base) for path, form in each)


def _form(request: Request) -> AbstractAsyncContextManager[FormData]:
    """A context: read the form in the body of a request. Closes the files of the form at the end. Raises Problem."""
    length, settings = request.headers.get("content-length", ""), server_parts(request).settings
    if not length.isdigit() or int(length) > settings.body_bytes:
        raise Problem(413 if length else 411, f"a form needs a Content-Length of at most {settings.body_bytes:,} bytes")
    patient = Request(request.scope, body.receive_in_time(request.receive, settings.body_seconds))
    return patient.form(max_files=100, max_fields=100, max_part_size=_PIECE)


def _files(form: FormData) -> list[UploadFile]:
    """Return the files of a form. Raises Problem for a form without a file, and for a field that is not a file.

    Otherwise the text of such a field would be lost, and a PUT of a form without a file would empty the graph.
    """
    files = [each for _, each in form.multi_items() if isinstance(each, UploadFile)]
    field = next((name for name, each in form.multi_items() if not isinstance(each, UploadFile)), None)
    if field is not None:
        raise Problem(400, f"the field {field} of the form is not a file; give each document a file name")
    if not files:
        raise Problem(400, "the form has no file")
    return files


@asynccontextmanager
async def _part_file(part: UploadFile, store: Path) -> AsyncIterator[Path]:
    """A context: copy a file of a form to a temporary file, and give its path. Removes the copy at the end."""
    with body.new_file(store) as file:
        while piece := await part.read(_PIECE):
            await run_in_threadpool(file.write, piece)
        file.flush()
        yield Path(file.name)


def quads_of(lines: Iterable[bytes]) -> Iterator[Quad]:
    """Parse chunks of N-Quads lines. Yields the quads."""
    for chunk in lines:
        yield from parse_quads(chunk, lenient=True)


def default_triples(quads: Iterable[Quad]) -> Iterator[pyoxigraph.Triple]:
    """Yield the triples in the default graph. Quads of other graphs are left out."""
    return (quad.triple for quad in quads if quad.graph_name == DefaultGraph())


class StoredResponse(StreamingResponse):
    """An answer whose document is first written to a temporary file. A slow client keeps nothing open but this file."""

    @classmethod
    async def of(cls, write: Callable[[IO[bytes]], object], headers: dict[str, str]) -> StoredResponse:
        """Call `write(file)` with a temporary file, in a thread.

        Returns an answer with these headers that sends this file.
        """
        file = cast(IO[bytes], TemporaryFile())  # noqa: SIM115
        try:
            await run_in_threadpool(write, file)
            size = file.tell()
            file.seek(0)
        except BaseException:
            file.close()
            raise
        found = cls(_read(file), headers=headers | {"Content-Length": str(size)})
        found._file = file
        return found

    _file: IO[bytes]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the document, then close the temporary file."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()


async def _read(file: IO[bytes]) -> AsyncIterator[bytes]:
    while piece := await run_in_threadpool(file.read, _PIECE):
        yield piece
