"""`read`: an RDF file in any format -> batches of id columns.

    bytes -> pyoxigraph's parser and serializer (canonical N-Quads text) -> blank nodes renamed -> terms interned

The first step runs in a thread of its own, one chunk ahead of the others, which are kernels without the GIL. The
dictionary is touched by the caller's thread alone.

Invariant: a file read twice gives the same terms, blank nodes included (see `labels`). Lexical forms are kept
(`"01"^^xsd:integer` stays); language tags come in lower case, as the parser gives them.

Cost: little more than parsing alone; a few chunks of 30,000 quads are in memory at a time, never the file. An error
leaves what was interned before in the dictionary: the caller truncates it.
"""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from lzma import LZMAError
from os import PathLike
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

import pyoxigraph

from kgreason.errors import InputError, LimitError, LongTermError, RdfSyntaxError
from kgreason.rdf.counted import Counted, long_tokens
from kgreason.rdf.formats import Format, format_named, format_of, settled
from kgreason.rdf.owl import to_rdf_xml
from kgreason.rdf.problem import problem_of
from kgreason.rdf.xml_text import XmlText
from kgreason.terms.dictionary import Dictionary, Ids

CHUNK = 30_000
"""Quads in a batch, at most."""

STDIN = "<stdin>"
"""The source name of standard input."""

_HEAD = 1 << 16
_PIECE = 1 << 20
_STATED = pyoxigraph.DefaultGraph()
_BOM = b"\xef\xbb\xbf"


class Batch(NamedTuple):
    """Quads as int32 columns of one length; graph 0 is the default graph."""

    subjects: Ids
    predicates: Ids
    objects: Ids
    graphs: Ids


def read(
    path: str | PathLike[str],
    dictionary: Dictionary,
    *,
    syntax: str | None = None,
    source: str | None = None,
    base: str | None = None,
) -> Iterator[Batch]:
    """The quads of a file, their terms interned in `dictionary`; `-` is standard input.

    `syntax` is a name of `formats()` (by default the file's suffix); `source` the name that blank nodes belong to
    (the resolved path); `base` the IRI that relative IRIs are resolved against (the file's own).
    Raises InputError for a file that cannot be read and a format that is not known, RdfSyntaxError with file and
    line, LimitError when ids run out and for a term that is too long.
    """
    if str(path) == "-":
        if syntax is None:
            raise InputError("standard input has no suffix: name its RDF format")
        return read_stream(sys.stdin.buffer, dictionary, syntax=syntax, source=source or STDIN, base=base)
    return _read_file(Path(path), dictionary, syntax, source, base)


def read_stream(
    stream: BinaryIO,
    dictionary: Dictionary,
    *,
    syntax: str,
    source: str,
    owner: str | None = None,
    base: str | None = None,
) -> Iterator[Batch]:
    """The quads of a binary stream in the format of that name, as `read` gives them.

    Messages name `source`; blank nodes belong to `owner` (by default the source); relative IRIs are errors where there
    is no `base`.
    """
    return _batches(stream, dictionary, format_named(syntax), source, owner or source, base)


def parsed(path: Path) -> Iterator[pyoxigraph.Quad]:
    """The quads of a file one by one, without Numba: for those who look for a few. Raises what `read` raises."""
    form = format_of(path)
    with _input_errors(str(path)), path.open("rb") as stream, _unpacked(stream, form) as text:
        name, counted = _begun(text, form), Counted(text)
        with long_tokens(counted, str(path)):
            yield from _quads(cast(IO[bytes], counted), name, str(path), path.resolve().as_uri())


def mentions(path: Path, word: bytes) -> bool:
    """Whether the text of a file has some bytes in it, which is found out without parsing. Raises InputError."""
    tail = b""
    with _input_errors(str(path)), path.open("rb") as stream, _unpacked(stream, format_of(path)) as text:
        while piece := text.read(_PIECE):
            if word in tail + piece:
                return True
            tail = piece[1 - len(word) :]
    return False


def _read_file(
    path: Path, dictionary: Dictionary, syntax: str | None, source: str | None, base: str | None
) -> Iterator[Batch]:
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name the files in it")
    form = format_named(syntax) if syntax else format_of(path)
    with _input_errors(str(path)), path.open("rb") as stream:
        resolved = path.resolve()
        yield from _batches(stream, dictionary, form, str(path), source or str(resolved), base or resolved.as_uri())


def _batches(
    stream: BinaryIO, dictionary: Dictionary, form: Format, file: str, source: str, base: str | None
) -> Iterator[Batch]:
    from kgreason.rdf.labels import Labels
    from kgreason.rdf.tokens import encode

    with _input_errors(file), _unpacked(stream, form) as text:
        name = _begun(text, form)
        labels = Labels(source, invented=name not in ("nt", "nq"))
        with closing(_ahead(_chunks(text, name, file, base))) as chunks:
            for chunk in chunks:
                try:
                    quads = encode(labels.rename(chunk), dictionary)
                except LongTermError as error:
                    raise LimitError(f"{file}: {error}") from error
                yield Batch(*quads)


def _begun(text: io.BufferedReader, form: Format) -> str:
    """The name of the one format that a text is in; a mark of the byte order is skipped."""
    head = text.peek()
    if head.startswith(_BOM):
        text.read(len(_BOM))
    return settled(form.name, head.removeprefix(_BOM))


@contextmanager
def _unpacked(stream: BinaryIO, form: Format) -> Iterator[io.BufferedReader]:
    """A reader of the uncompressed bytes, which leaves the stream open."""
    text: io.BufferedReader = io.BufferedReader(cast(io.RawIOBase, form.unpack(stream)), _HEAD)
    try:
        yield text
    finally:
        text.detach()


def _chunks(stream: IO[bytes], name: str, file: str, base: str | None) -> Iterator[bytes]:
    """Canonical N-Quads text, a chunk of whole lines at a time."""
    counted = Counted(stream)
    quads = _quads(cast(IO[bytes], counted), name, file, base)
    with long_tokens(counted, file):
        while chunk := pyoxigraph.serialize(islice(quads, CHUNK), format=pyoxigraph.RdfFormat.N_QUADS):
            yield chunk


def _quads(stream: IO[bytes], name: str, file: str, base: str | None) -> Iterator[pyoxigraph.Quad]:
    """The quads as the library parses them."""
    if name in ("owx", "ofn"):
        stream, name = io.BytesIO(to_rdf_xml(stream.read(), name, file)), "rdf"
    xml = XmlText(stream, file) if name == "rdf" else None
    text, form = cast(IO[bytes], xml or stream), pyoxigraph.RdfFormat.from_extension(name)
    try:
        quads = pyoxigraph.parse(text, form, base_iri=base)
    except ValueError as error:
        raise InputError(f"{file}: {error}") from error
    if name == "n3":
        return map(partial(_unquoted, file), quads)
    return _checked(quads, xml) if xml else quads


def _checked(quads: Iterator[pyoxigraph.Quad], xml: XmlText) -> Iterator[pyoxigraph.Quad]:
    """The quads of a document, which has to be well-formed to its end."""
    try:
        yield from quads
    except SyntaxError as error:
        if error.lineno is None:
            xml.check()  # where the document is not well-formed, this names the place
        raise
    xml.check()


def _unquoted(file: str, quad: pyoxigraph.Quad) -> pyoxigraph.Quad:
    """A quad that its document states. What stands in a formula of N3 it only quotes, which no RDF graph can."""
    if quad.graph_name != _STATED:
        raise RdfSyntaxError(file, None, None, f"a formula of N3 ({{ {quad.triple} }}) is no RDF")
    return quad


def _ahead(chunks: Iterator[bytes]) -> Generator[bytes, None, None]:
    """The same chunks, the next one made in another thread while one is in use."""
    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(next, chunks, b"")
        while chunk := coming.result():
            coming = worker.submit(next, chunks, b"")
            yield chunk


@contextmanager
def _input_errors(file: str) -> Iterator[None]:
    """Turn what the library and the operating system raise into one clear error."""
    try:
        yield
    except SyntaxError as error:
        raise RdfSyntaxError(file, error.lineno, error.offset, problem_of(error)) from error
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from error
    except (EOFError, zlib.error, LZMAError) as error:
        raise InputError(f"{file}: the compressed data is damaged or cut short") from error
