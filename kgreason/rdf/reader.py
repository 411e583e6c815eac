"""`read`: read an RDF file in any format as batches of id columns.

    bytes -> canonical N-Quads text -> rename blank nodes -> intern terms

N-Triples and N-Quads are cut into blocks (`lines`), and `threads()` threads read the blocks. Few lines of a block need
a parser (`canonicalization`). A thread interns the terms of its block in a dictionary of the block's own, and the
caller's thread adds the terms of the blocks to the dictionary, block by block. So terms have the same ids for any
number of threads, namely in the order in which they appear in the text.

pyoxigraph's parser and serializer make the text of all other formats. They have the GIL most of the time, and run in a
thread of their own, one chunk ahead. The other steps are compiled kernels, which run without the GIL. Only the caller's
thread uses the dictionary.

Invariant: reading a file twice gives the same terms, including blank nodes (see `labels`). Lexical forms are kept
(`"01"^^xsd:integer` stays). Language tags are in lower case, as the parser gives them.

Cost: N-Triples are read at the speed of hashing their terms, other formats at the speed of their parser. A few blocks,
or chunks of 30,000 quads, are in memory at a time. After an error, the terms before it stay in the dictionary.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from stat import S_ISREG
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyoxigraph

from kgreason.errors import InputError, RdfSyntaxError
from kgreason.interrupts import at_once, let_out, result
from kgreason.progress import SILENT, Progress
from kgreason.rdf.counting_stream import CountingStream, LineStream, long_tokens
from kgreason.rdf.document_prefixes import DocumentPrefixes
from kgreason.rdf.formats import Format, exact_format, format_mistake, format_named, format_of, head_in_utf_8
from kgreason.rdf.json_ld.contexts import Contexts, Finder, Place
from kgreason.rdf.json_ld.document import JsonLd
from kgreason.rdf.json_ld.tags import SharedText, with_written_tags
from kgreason.rdf.owl import translation, with_blank_nodes
from kgreason.rdf.problem import input_errors
from kgreason.rdf.xml.owl_xml import BLANK
from kgreason.rdf.xml.rdf_xml import RdfXml
from kgreason.spans import span
from kgreason.terms.dictionary import Dictionary, Ids
from kgreason.terms.tags import CarrierStream, correct_error, with_tags
from kgreason.terms.untagged_literals import PROBLEM, WORD, untagged_literal
from kgreason.threads import map_in_order

if TYPE_CHECKING:
    from kgreason.rdf.labels import Labels
    from kgreason.rdf.lines.canonicalization import Blocks, Rest
    from kgreason.rdf.lines.skipped_lines import Skipped

CHUNK = 30_000
"""The largest number of quads in a batch that pyoxigraph parses."""
_FIRST, _LARGE = 16, 1 << 24
"""The number of quads in the first batch. After a batch of more bytes than `_LARGE` the next ones have fewer quads."""
_LONG, _TIMES, _FREE = 2_000, 100, 1 << 26
"""Quads of more than `_LONG` bytes each may be a hundred times as long as the document, and 64 MiB are free."""
_TOO_LONG = "the prefixes or the base of this document make its terms far longer than the document is"

STDIN = "<stdin>"
"""The source name of standard input."""

_MANY = 1 << 20
"""An array of more quads grows by an eighth, since the operating system moves it without a copy."""
_HEAD = 1 << 16
_PIECE = 1 << 20
_STATED = pyoxigraph.DefaultGraph()
_BOM = b"\xef\xbb\xbf"
_XML = ("rdf", "owx")
"""The formats whose reader needs the byte order mark."""
_LINES = ("nt", "nq", "ttl", "trig", "n3")
"""The formats in which a language tag stands behind an @."""


class Batch(NamedTuple):
    """Quads as four int32 columns of the same length; graph 0 is the default graph."""

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
    name: str | None = None,
    base: str | None = None,
    threads: int | None = None,
    find: Finder | None = None,
    beside: bool = True,
    skipped: Skipped | None = None,
    prefixes: DocumentPrefixes | None = None,
) -> Iterator[Batch]:
    """Read the quads of a file and intern their terms in `dictionary`. The path `-` is standard input.

    `syntax` is a name of `formats()` (default: the file's suffix). `source` is the name that blank nodes belong to
    (default: the resolved path). `name` is the name of the file in messages (default: the path). `base` is the IRI
    against which relative IRIs are resolved (default: the file's URI). `threads` is how many threads may parse
    (default: see `kgreason.threads`). `find` returns the file of a JSON-LD context that a document names, by its IRI in
    angle brackets. With `beside` the document may also name contexts in files of its folder; a document that somebody
    sent must not. With `skipped` malformed lines of N-Triples and N-Quads are left out, and added to `skipped`.
    `prefixes` gets the prefixes that the document declares.

    Raises InputError for a file that cannot be read and for an unknown format.
    Raises RdfSyntaxError, with file and line, for a file that does not parse. Raises LimitError if a term is too long
    or if there is no id left.
    """
    if str(path) == "-":
        if syntax is None:
            raise InputError("standard input has no suffix: name its RDF format")
        return read_stream(
            sys.stdin.buffer,
            dictionary,
            syntax=syntax,
            source=source or STDIN,
            base=base,
            threads=threads,
            find=find,
            skipped=skipped,
            prefixes=prefixes,
        )
    path, name = Path(path), name or str(path)
    folder = path.resolve().parent if beside else None
    return _read_file(path, dictionary, syntax, source, _Text(name, base, threads, find, folder, skipped, prefixes))


def read_stream(
    stream: BinaryIO,
    dictionary: Dictionary,
    *,
    syntax: str,
    source: str,
    owner: str | None = None,
    base: str | None = None,
    threads: int | None = None,
    find: Finder | None = None,
    skipped: Skipped | None = None,
    prefixes: DocumentPrefixes | None = None,
) -> Iterator[Batch]:
    """Read the quads of a binary stream in the format `syntax`, as `read` does.

    `source` is the name of the stream in messages. `owner` is the name that the blank nodes of the stream belong to
    (default: `source`). Without `base` a relative IRI is an error.
    """
    about = _Text(source, base, threads, find, None, skipped, prefixes)
    return _read_stream(stream, dictionary, format_named(syntax), owner or source, about)


def _read_stream(stream: BinaryIO, dictionary: Dictionary, form: Format, owner: str, about: _Text) -> Iterator[Batch]:
    with input_errors(about.file):
        yield from _batches(stream, dictionary, form, owner, about)


def read_files(
    paths: Iterable[str | PathLike[str]],
    dictionary: Dictionary,
    *,
    syntax: str | None = None,
    progress: Progress = SILENT,
    threads: int | None = None,
    find: Finder | None = None,
    skipped: Skipped | None = None,
    prefixes: DocumentPrefixes | None = None,
) -> npt.NDArray[np.int32]:
    """Read the quads of files, int32[n, 4]. Graph 0 is the default graph. Terms and errors are as for `read`."""
    quads, end = np.empty((0, 4), dtype=np.int32), 0  # one array that grows: parts would leave holes in the memory
    with progress("reading") as report:
        how: dict[str, Any] = {"threads": threads, "find": find, "skipped": skipped, "prefixes": prefixes}
        for path in paths:
            for batch in read(path, dictionary, syntax=syntax, **how):
                start, end = end, end + len(batch.subjects)
                if end > len(quads):
                    quads.resize((2 * end if end < _MANY else end + end // 8, 4), refcheck=False)
                np.stack(batch, axis=1, out=quads[start:end])
                let_out()
                report(len(batch.subjects))
    quads.resize((end, 4), refcheck=False)
    return quads


def check_files(paths: Iterable[str | PathLike[str]], *, syntax: str | None = None, find: Finder | None = None) -> None:
    """Raise the error of `read_files` that the first `CHUNK` quads of a file call for. No kernel is needed.

    Standard input, pipes and devices are not read, because they can be read only once.
    """
    for path in map(Path, paths):
        if str(path) != "-" and (path.is_file() or path.is_dir() or not path.exists()):
            about = _Text(str(path), None, None, find, path.resolve().parent, None)
            with input_errors(about.file), _open_file(path, syntax, about) as (stream, form, more):
                _check(stream, form, more)


def check_stream(stream: BinaryIO, *, syntax: str, source: str) -> None:
    """Raise the error of `read_stream` that the first `CHUNK` quads call for. No kernel is needed."""
    with input_errors(source):
        _check(stream, format_named(syntax), _Text(source, None, None, None, None, None))


def _check(stream: BinaryIO, form: Format, about: _Text) -> None:
    from kgreason.rdf.lines.canonicalization import Rest

    with _uncompressed(stream, form) as text:
        next(_chunks(Rest(text, 0), _format_of(text, form, about.file), about), None)


def quads_of_file(path: Path) -> Iterator[pyoxigraph.Quad]:
    """Read the quads of a file one by one, without Numba, for callers that need few quads. Raises errors as `read`."""
    form = format_of(path)
    with input_errors(str(path)), path.open("rb") as stream, _uncompressed(stream, form) as text:
        name, counted = _format_of(text, form, str(path)), CountingStream(text)
        with long_tokens(counted, str(path)):
            about = _Text(str(path), path.resolve().as_uri(), None, None, path.resolve().parent, None, None)
            yield from _quads(cast(IO[bytes], counted), name, about)


def contains_word(path: Path, word: bytes) -> bool:
    """Whether the uncompressed text of a file contains the bytes `word`. No RDF is parsed. Raises InputError."""
    tail = b""
    with input_errors(str(path)), path.open("rb") as stream, _uncompressed(stream, format_of(path)) as text:
        while piece := text.read(_PIECE):
            if word in tail + piece:
                return True
            tail = piece[1 - len(word) :]
    return False


class _Text(NamedTuple):
    """A text that is read: its name in messages, its base IRI, and how to read it (see `read`).

    `folder` is where contexts of JSON-LD may lie that the text names by a relative IRI, or None. `prefixes` gets the
    prefixes of the text, if it is not None.
    """

    file: str
    base: str | None
    threads: int | None
    find: Finder | None
    folder: Path | None
    skipped: Skipped | None
    prefixes: DocumentPrefixes | None = None


def _read_file(
    path: Path, dictionary: Dictionary, syntax: str | None, source: str | None, about: _Text
) -> Iterator[Batch]:
    with input_errors(about.file), _open_file(path, syntax, about) as (stream, form, more):
        yield from _batches(stream, dictionary, form, source or str(path.resolve()), more)


@contextmanager
def _open_file(path: Path, syntax: str | None, about: _Text) -> Iterator[tuple[BinaryIO, Format, _Text]]:
    """A context with the bytes of a file, its format, and what `about` says with the base IRI of the file."""
    if path.is_dir():
        raise InputError(f"{about.file}: is a folder; name the files in it")
    form = format_named(syntax) if syntax else format_of(path)
    with path.open("rb", buffering=0) as stream:
        yield cast(BinaryIO, stream), form, about._replace(base=about.base or path.resolve().as_uri())


def _batches(stream: BinaryIO, dictionary: Dictionary, form: Format, source: str, about: _Text) -> Iterator[Batch]:
    from kgreason.rdf.labels import Labels
    from kgreason.rdf.lines.canonicalization import Blocks, Rest, UnparsedError

    with _uncompressed(stream, form) as text:
        name = _format_of(text, form, about.file)
        rest, labels = Rest(text, 0), Labels(source, invented=name not in ("nt", "nq"))
        if name in ("nt", "nq"):
            blocks = Blocks(text)
            try:
                yield from _batches_of_blocks(blocks, dictionary, name, labels, about)
                return
            except UnparsedError:
                rest = blocks.rest()
        yield from _batches_of_chunks(rest, dictionary, name, about, labels)


def _batches_of_blocks(
    blocks: Blocks, dictionary: Dictionary, name: str, labels: Labels, about: _Text
) -> Iterator[Batch]:
    """Read N-Triples or N-Quads text. Raises UnparsedError at a block that pyoxigraph must read as part of the text."""
    from kgreason.rdf.lines.canonicalization import canonical_lines
    from kgreason.rdf.lines.skipped_lines import BadLine
    from kgreason.rdf.tokens import encode

    def read_block(block: bytes) -> tuple[Dictionary, Ids, list[BadLine]]:
        terms, bad = Dictionary(()), list[BadLine]()
        lines = canonical_lines(block, name, None if about.skipped is None else bad)
        return terms, encode(labels.rename(lines), terms), bad

    with closing(map_in_order(read_block, blocks, about.threads)) as found:
        for terms, quads, bad in found:
            with span("intern"):
                batch = Batch(*dictionary.merge(terms)[quads])
            before = blocks.note_done()
            if about.skipped is not None:
                about.skipped.note(about.file, before, bad)
            yield batch


def _batches_of_chunks(rest: Rest, dictionary: Dictionary, name: str, about: _Text, labels: Labels) -> Iterator[Batch]:
    """Read text in the format `name` with pyoxigraph."""
    from kgreason.rdf.tokens import encode

    with closing(_read_ahead(_chunks(rest, name, about))) as chunks:
        for chunk in chunks:
            with span("intern"):
                batch = Batch(*encode(labels.rename(chunk), dictionary))
            yield batch


def _format_of(text: io.BufferedReader, form: Format, file: str) -> str:
    """Skip a byte order mark, and return the name of the format of the text.

    `form` is the format that the caller or the file's name gives. It may stand for several formats (`owl`, `xml`); the
    first bytes of the text decide between these. Raises RdfSyntaxError, which names `file`, for a text that begins as
    another format does.
    """
    head = text.peek()
    start = head_in_utf_8(head).removeprefix(_BOM)
    name = exact_format(form.name, start)
    if head.startswith(_BOM) and name not in _XML:
        text.read(len(_BOM))
    if problem := format_mistake(name, start):
        raise RdfSyntaxError(file, 1, 1, problem)
    return name


class _InterruptibleStream(io.RawIOBase):
    """A stream that may wait for its bytes, as a pipe does and a file does not. Ctrl-C ends the waiting at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = cast(io.RawIOBase, stream)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        with at_once():
            return self._stream.readinto(buffer)


@contextmanager
def _uncompressed(stream: BinaryIO, form: Format) -> Iterator[io.BufferedReader]:
    """A context with a reader of the uncompressed bytes of a stream. The stream stays open when the context ends."""
    bytes_: Any = form.unpack(stream)
    is_file = isinstance(bytes_, io.FileIO) and S_ISREG(os.fstat(bytes_.fileno()).st_mode)
    text: io.BufferedReader = io.BufferedReader(bytes_ if is_file else _InterruptibleStream(bytes_), _HEAD)
    try:
        yield text
    finally:
        text.detach()


def _chunks(rest: Rest, name: str, about: _Text) -> Iterator[bytes]:
    """Turn a text into canonical N-Quads text, in chunks of whole lines."""
    text = cast(IO[bytes], CarrierStream(rest.text)) if name in _LINES else rest.text
    counted = CountingStream(text, rest.before)
    quads = _quads(cast(IO[bytes], counted), name, about)
    try:
        with long_tokens(counted, about.file):
            for chunk in map(with_tags, _pieces(quads, counted, about.file)):
                if term := untagged_literal(chunk):  # the parsers of JSON-LD, N3 and RDF/XML let these literals pass
                    raise RdfSyntaxError(about.file, counted.line_of(WORD), None, f"{term}: {PROBLEM}")
                yield chunk
    except SyntaxError as error:
        if name in _LINES:
            correct_error(error, counted.text_of(error.lineno + rest.before) if error.lineno else None)
        error.lineno = error.lineno and error.lineno + rest.before
        if about.skipped is not None:
            error.msg += "; only lines of N-Triples and N-Quads can be skipped"
        raise


def _pieces(quads: Iterator[pyoxigraph.Quad], counted: CountingStream, file: str) -> Iterator[bytes]:
    """Yield quads as N-Quads text, in batches that are smaller if the quads are long.

    Raises RdfSyntaxError for a document that becomes far longer than it is, by a long prefix or base.
    """
    rows, long = min(_FIRST, CHUNK), 0
    while chunk := pyoxigraph.serialize(islice(quads, rows), format=pyoxigraph.RdfFormat.N_QUADS):
        if len(chunk) > _LONG * rows:
            long += len(chunk)
            if long > _TIMES * counted.total + _FREE:
                raise RdfSyntaxError(file, counted.line(), None, _TOO_LONG)
        yield chunk
        rows = min(4 * rows, CHUNK) if len(chunk) < _LARGE else max(rows // 4, 1)


def _quads(stream: IO[bytes], name: str, about: _Text) -> Iterator[pyoxigraph.Quad]:
    """Parse a stream in the format `name` with pyoxigraph; OWL formats are translated to RDF/XML first."""
    file, base = about.file, about.base
    if name == "jsonld":
        return _json_ld_quads(stream, about)
    if name in ("owx", "ofn", "obo"):
        plain, rest = translation(stream.read(), name, file, base)
        return chain(pyoxigraph.parse(plain, pyoxigraph.RdfFormat.N_QUADS), _owl_quads(rest, about))
    xml = RdfXml(stream, file) if name == "rdf" else None
    text, form = cast(IO[bytes], xml or stream), pyoxigraph.RdfFormat.from_extension(name)
    lines = LineStream(text)
    try:
        quads = pyoxigraph.parse(cast(IO[bytes], lines) if name == "n3" else text, form, base_iri=base)
    except ValueError as error:
        raise InputError(f"{file}: {error}") from error
    if about.prefixes is not None:
        about.prefixes.watch(xml or quads)
    if name == "n3":
        return map(partial(_check_no_formula, file, lines), quads)
    return _rdf_xml_quads(quads, xml) if xml else quads


def _owl_quads(document: bytes, about: _Text) -> Iterator[pyoxigraph.Quad]:
    """Parse RDF/XML that horned-owl has written.

    It is plain XML. So only language tags need `RdfXml` in front of the parser, which takes six times as long.
    """
    if b"xml:lang" in document:
        quads = _quads(io.BytesIO(document), "rdf", about)
    else:
        plain = pyoxigraph.parse(document, pyoxigraph.RdfFormat.RDF_XML, base_iri=about.base)
        if about.prefixes is not None:
            about.prefixes.watch(plain)
        quads = plain
    return map(with_blank_nodes, quads) if BLANK.encode() in document else quads


def _json_ld_quads(stream: IO[bytes], about: _Text) -> Iterator[pyoxigraph.Quad]:
    """Parse JSON-LD. If the parser's error has no line, it gets the line that the parser has read."""
    document = JsonLd(stream, Contexts(about.find, Place(about.base, about.folder)), about.file)
    text = SharedText(document)
    lines = LineStream(text.checked)
    try:
        quads = pyoxigraph.parse(cast(IO[bytes], lines), pyoxigraph.RdfFormat.JSON_LD, base_iri=about.base)
        if about.prefixes is not None:
            about.prefixes.watch(quads)
        yield from with_written_tags(quads, document, text, about.base)
    except SyntaxError as error:
        error.lineno = (error.lineno or lines.line) if document.has_lines else None
        error.offset = error.offset if document.has_lines else None
        raise
    except ValueError as error:
        raise InputError(f"{about.file}: {error}") from error


def _rdf_xml_quads(quads: Iterator[pyoxigraph.Quad], xml: RdfXml) -> Iterator[pyoxigraph.Quad]:
    """Yield the quads that the parser reads from `xml`. An error of the parser gets its line."""
    try:
        for quad in quads:
            yield xml.restore(quad)
    except SyntaxError as error:
        correct_error(error, None)
        error.lineno = xml.line
        raise


def _check_no_formula(file: str, lines: LineStream, quad: pyoxigraph.Quad) -> pyoxigraph.Quad:
    """Return the quad as it is. Raises RdfSyntaxError for a quad in a formula of N3, because RDF has no formulas."""
    if quad.graph_name != _STATED:
        triple = with_tags(str(quad.triple).encode()).decode()
        raise RdfSyntaxError(file, lines.line, None, f"a formula of N3 ({{ {triple} }}) is not RDF")
    return quad


def _read_ahead(chunks: Iterator[bytes]) -> Generator[bytes, None, None]:
    """Yield the chunks as they are. While the caller uses a chunk, another thread makes the next one."""
    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(next, chunks, b"")
        while chunk := result(coming):
            coming = worker.submit(next, chunks, b"")
            yield chunk
