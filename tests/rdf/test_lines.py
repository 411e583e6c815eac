"""N-Triples and N-Quads are read as pyoxigraph reads the whole text, whatever the blocks and the number of threads."""

from __future__ import annotations

import io
import re
from typing import TypeAlias

import pyoxigraph
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat

from kgreason.errors import LimitError, RdfSyntaxError
from kgreason.rdf.labels import Labels
from kgreason.rdf.lines import canonicalization
from kgreason.rdf.problem import problem_of
from kgreason.rdf.reader import read_stream
from kgreason.terms.dictionary import Dictionary

XSD = "http://www.w3.org/2001/XMLSchema#"
PLAIN = [
    '<http://e/a> <http://e/b> "x"@en .',
    "_:a <http://e/b#c> <http://e/c%20d?x=1:2/@> .",
    f'<urn:a:b> <tag:x> "a\\"\\\\\\n\\r\\t é \u2028"^^<{XSD}integer> .',
    "<http://e:80/a> <file:///b> _:b_1 .",
    "_:e6c09528a7cdb0371226a1b8a833a0c4 <a:b> _:00ff .",
]
OTHERS = [
    f'<a:b> <a:> "a"^^<{XSD}string> .',
    '<http://u@h/a>\t<http://[::1]/>  "x"@en-GB. # text',
    '<http://é/a> <http://e/\\u0041> "\ufffe \x7f" .\r',
    "<a:b> <a:c> <<( <a:b> <a:c> _:x )>> .",
    "",
    "# text",
    "<a:b> <a:c>",
    "<a:d> .",
    "<a:b> <a:c> <a:d> . <a:e> <a:f> <a:g> .",
    '<a:b> <a:c> "a',
    "<a:b> <http://e:x> <//c> .",
    '"a" <a:b> <a:c> .',
    "<a:b> <a:c> <a:d> <http://e/graph> .",
]
lines = st.one_of(st.sampled_from(PLAIN), st.sampled_from(PLAIN), st.sampled_from(OTHERS))
insertions = st.tuples(st.integers(0), st.sampled_from([*map(chr, range(128)), "é", "%41", "//", "^^", "\\u0041"]))


_Result: TypeAlias = bytes | tuple[str, int | None, int | None]


def _result_of_parser(document: bytes, syntax: str) -> _Result:
    try:
        quads = pyoxigraph.parse(document, RdfFormat.from_extension(syntax))
        text = pyoxigraph.serialize(quads, format=RdfFormat.N_QUADS) or b""
    except SyntaxError as error:
        return problem_of(error), error.lineno, error.offset
    return Labels("s", invented=False).rename(text)


def _with_small_tags(found: _Result) -> _Result:
    """What was read, with language tags as pyoxigraph writes them; `test_tags` is about their letters."""
    return re.sub(rb'"@[A-Za-z0-9-]+', lambda tag: tag[0].lower(), found) if isinstance(found, bytes) else found


def _read(document: bytes, syntax: str) -> _Result:
    dictionary = Dictionary()
    try:
        batches = list(read_stream(io.BytesIO(document), dictionary, syntax=syntax, source="s"))
    except RdfSyntaxError as error:
        return error.problem, error.line, error.column
    return b"".join(dictionary.lines(*batch) for batch in batches)


@given(
    st.lists(lines, max_size=8),
    st.none() | insertions,
    st.sampled_from(["", "\n"]),
    st.sampled_from(["nt", "nq"]),
    st.sampled_from([1, 50, 1 << 20]),
    st.sampled_from([1, 1 << 12]),
    st.sampled_from(["1", "2"]),
)
@example(["<a:b> <a:c>", "<a:d> ."], None, "", "nt", 1, 1, "2")
@example([PLAIN[0], "", '<a:b> <a:c> "a', PLAIN[0]], None, "", "nt", 1, 1, "2")
def test_the_text_is_read_as_a_whole(
    rows: list[str], inserted: tuple[int, str] | None, end: str, syntax: str, block: int, least: int, threads: str
) -> None:
    document = "\n".join(rows) + end
    if inserted:
        at = inserted[0] % (len(document) + 1)
        document = document[:at] + inserted[1] + document[at:]
    text = document.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonicalization, "BLOCK", block)
        patch.setenv("KGREASON_THREADS", threads)
        assert _with_small_tags(_read(text, syntax)) == _result_of_parser(text, syntax)


@pytest.mark.parametrize("line", PLAIN)
def test_a_plain_line_needs_no_parser(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonicalization, "pyoxigraph", None)
    text = f"{line}\n".encode() * 3
    assert canonicalization.canonical_lines(text, "nt") is text
    assert canonicalization.canonical_lines(text, "nq") is text
    assert canonicalization.canonical_lines(text[:-1], "nq") == text


@pytest.mark.parametrize("line", OTHERS)
def test_plain_lines_behind_others_need_no_parser(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[bytes]()

    def parsed(lines: bytes, _name: str) -> bytes:
        seen.append(lines)
        return b"..."

    monkeypatch.setattr(canonicalization, "_parse", parsed)
    many = f"{PLAIN[0]}\n".encode() * 1000
    found = canonicalization.canonical_lines(many + line.encode() + b"\n" + many, "nt")
    assert sum(map(len, seen)) < 5000
    assert found == many + b"..." + many[len(seen[0]) - len(line.encode()) - 1 :]


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_ids_do_not_depend_on_blocks_and_threads(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    document = b"".join(b'<a:%d> <a:p> "%d" .\n_:x <a:q>  <a:%d> .\n' % (i % 97, i % 61, i) for i in range(500))
    whole = Dictionary()
    (batch,) = read_stream(io.BytesIO(document), whole, syntax="nq", source="s")
    monkeypatch.setattr(canonicalization, "BLOCK", 1000)
    monkeypatch.setenv("KGREASON_THREADS", threads)
    pieces = Dictionary()
    batches = list(read_stream(io.BytesIO(document), pieces, syntax="nq", source="s"))
    assert len(batches) > 10
    assert [column.tolist() for column in batch] == [
        [each for part in parts for each in part.tolist()] for parts in zip(*batches, strict=True)
    ]
    assert whole.decode(range(1, len(whole) + 1)) == pieces.decode(range(1, len(pieces) + 1))


def test_the_first_error_of_the_text_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonicalization, "BLOCK", 1)
    monkeypatch.setenv("KGREASON_THREADS", "3")
    line, wrong = b"<a:b> <a:c> <a:d> .\n", b"<a:b> <a:c> .\n"
    assert _read(line * 9 + wrong + line + wrong, "nt") == _result_of_parser(line * 9 + wrong, "nt")
    long = b'<a:b> <a:c> "' + b"x" * 17_000_000 + b'" .\n'
    with pytest.raises(LimitError, match=r"^s:4: a literal, or another token"):
        _read(line * 3 + long + wrong, "nt")
