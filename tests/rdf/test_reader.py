"""Every format says what pyoxigraph says it says, and bad input gets one clear error."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Quad, RdfFormat

from kgreason.errors import InputError, LimitError, RdfSyntaxError
from kgreason.rdf import reader
from kgreason.rdf.lines import canonicalization
from kgreason.rdf.reader import Batch, read, read_files, read_stream
from kgreason.rdf.xml.rdf_xml import RdfXml
from kgreason.terms import dictionary as dictionary_module
from kgreason.terms.dictionary import Dictionary
from tests.rdf.reading import isomorphic, lines_of_file, lines_read
from tests.terms.unusual_terms import lines_of, quads

TURTLE = """@prefix : <http://e/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
_:a :p "01"^^xsd:integer, 1.50, "x"@EN, [ :q ( 1 "two" _:a ) ], <relative>, "s"^^xsd:string .
:s :q <<( _:a :b <<( _:a :b "x \\" ) > y"@en )>> )>> .
<< :a :b :c >> :d :e .
"""
RDF_XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
<rdf:Description rdf:nodeID="n1"><e:p rdf:parseType="Resource"><e:q rdf:nodeID="n2"/></e:p>
<e:r rdf:datatype="http://e/d">t</e:r></rdf:Description></rdf:RDF>
"""
JSON_LD = """{"@context": {"@vocab": "http://e/"}, "@id": "_:x", "p": [{"q": 1}, {"q": 2.5, "r": {"@list": [1, "a"]}}],
"@graph": [{"@id": "_:g", "p": {"@id": "_:x"}}]}
"""
N3 = '@prefix : <http://e/> . :a :p "x", [ :q 1 ] .'
TRIG = "@prefix : <http://e/> . :a :p :b . _:g { :a :p _:g } GRAPH :h { [] :p ( 1 ) }"
DOCUMENTS = {"ttl": TURTLE, "rdf": RDF_XML, "jsonld": JSON_LD, "n3": N3, "trig": TRIG}
BASE = "http://base/document"


def _by_pyoxigraph(document: bytes, syntax: str) -> bytes:
    return lines_of(pyoxigraph.parse(document, RdfFormat.from_extension(syntax), base_iri=BASE))


@pytest.mark.parametrize("syntax", DOCUMENTS)
def test_every_format_reads_as_pyoxigraph_reads_it(syntax: str) -> None:
    document = DOCUMENTS[syntax].encode()
    lines = lines_read(document, syntax, base=BASE)
    assert lines.count(b"\n") > 1
    assert isomorphic(lines.replace(b"@EN", b"@en"), _by_pyoxigraph(document, syntax))


@given(st.lists(quads, max_size=6), st.sampled_from(["nt", "nq", "ttl", "trig"]))
def test_odd_terms_are_read_in_every_format(rows: list[Quad], syntax: str) -> None:
    form = RdfFormat.from_extension(syntax)
    assert form is not None
    if not form.supports_datasets:
        rows = [Quad(*row.triple) for row in rows]
    document = pyoxigraph.serialize(rows if form.supports_datasets else [row.triple for row in rows], format=form)
    assert isomorphic(lines_read(document or b"", syntax), lines_of(rows))


def test_lexical_forms_and_language_tags_are_kept() -> None:
    lines = lines_read(TURTLE.encode(), "ttl", base=BASE)
    for text in (b'"01"^^', b'"1.50"^^', b'"x"@EN ', b'"s" .', b"<http://base/relative>"):
        assert text in lines


def test_many_chunks_are_read_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "CHUNK", 7)
    monkeypatch.setattr(canonicalization, "BLOCK", 240)
    document = b"".join(b"<http://e/%d> <http://e/p> _:b%d .\n" % (i, i % 3) for i in range(100))
    for syntax, sizes in [("ttl", [7] * 14 + [2]), ("nt", [8] * 12 + [4])]:
        batches = list(read_stream(io.BytesIO(document), Dictionary(), syntax=syntax, source="s"))
        assert [batch.subjects.size for batch in batches] == sizes
    prefix = lines_read(b"_:x <http://e/p> _:x .\n", "nt", "s").split(b"xx ")[0][2:]
    assert lines_read(document, "nt", "s") == document.replace(b"_:", b"_:" + prefix + b"x")


def test_a_reading_that_is_given_up_leaves_the_stream_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonicalization, "BLOCK", 1)
    stream = io.BytesIO(b"<http://e/a> <http://e/p> _:b .\n" * 9)
    batches = read_stream(stream, Dictionary(), syntax="nt", source="s")
    assert next(batches).subjects.size == 1
    del batches
    assert not stream.closed


def test_lubm_is_read_as_it_is_written(shared_data: Path) -> None:
    path = shared_data / "lubm" / "lubm1.nt.gz"
    assert lines_of_file(path) == gzip.decompress(path.read_bytes())


@pytest.mark.parametrize(("suffix", "module"), [(".gz", gzip), (".bz2", bz2), (".xz", lzma)])
def test_compressed_files(tmp_path: Path, suffix: str, module: SimpleNamespace) -> None:
    plain, packed = tmp_path / "a.b.ttl", tmp_path / f"a.b.ttl{suffix}"
    plain.write_text(N3)
    packed.write_bytes(module.compress(N3.encode()))
    assert isomorphic(lines_of_file(packed), lines_of_file(plain))
    packed.write_bytes(module.compress(N3.encode() * 9)[:-20])
    with pytest.raises(InputError, match=rf"a\.b\.ttl\{suffix}: the compressed data is damaged or cut short"):
        lines_of_file(packed)


def test_relative_iris_are_resolved_against_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a b.ttl"
    path.write_text("<#x> <y> <> .")
    assert lines_of_file(path).decode() == f"<{path.as_uri()}#x> <{path.parent.as_uri()}/y> <{path.as_uri()}> .\n"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(N3.encode()))))
    dictionary = Dictionary()
    batches = list(read("-", dictionary, syntax="n3.gz"))
    assert isomorphic(dictionary.lines(*batches[0]), lines_read(N3.encode(), "n3"))
    with pytest.raises(InputError, match="name its RDF format"):
        read("-", dictionary)


def test_a_byte_order_mark_is_skipped() -> None:
    assert lines_read(b"\xef\xbb\xbf<http://e/a> <http://e/b> <http://e/c> .\n", "nt").startswith(b"<http://e/a>")


def test_an_empty_document_has_no_batch() -> None:
    assert list(read_stream(io.BytesIO(b""), Dictionary(), syntax="nt", source="s")) == []


@pytest.mark.parametrize(
    ("syntax", "document", "line", "column", "problem"),
    [
        ("nt", b"<http://e/a> <http://e/b> <http://e/c> .\n\n<http://e/a> x\n", 3, 14, "must be an IRI"),
        ("ttl", b"\n<http://e/a b> <http://e/b> 1 .", 2, 1, "Invalid IRI code point"),
        ("ttl", b'<http://e/a> <http://e/b> "\xff" .', 1, 28, "this is not UTF-8: save the file in the encoding UTF-8"),
        (
            "rdf",
            b"<e:x xmlns:e='http://e/' e:y='\xff'/>",
            1,
            None,
            r"this is not UTF-8 \(the byte 0xFF\): save the file",
        ),
        ("ttl", b"<urn:a> is <urn:b> .", 1, 9, "'is' is not a term: write an IRI as"),
        ("ttl", b"<urn:a> <urn:p> True .", 1, 17, "'True' is not a term: write true in small letters"),
        ("ttl", b"<urn:a> <urn:p> FALSE .", 1, 17, "'FALSE' is not a term: write false in small letters"),
        ("ttl", b"<urn:a> <urn:p> (<urn:b> .", 1, 26, r"before \. has no object, or the \) of a list is missing"),
        (
            "nt",
            b"# text\n@prefix : <urn:> .\n:a :b :c .",
            1,
            1,
            "looks like Turtle, not like N-Triples; pass the format t",
        ),
        ("nq", b"PREFIX : <urn:>\n:a :b :c .", 1, 1, "looks like TriG, not like N-Quads; pass the format trig"),
        (
            "owl",
            b"Prefix: : <http://e/>\n\nOntology: <http://e/o>\n",
            1,
            1,
            "OWL in Manchester syntax, which is not RDF; save",
        ),
        ("owl", b"# made\nOntology: <http://e/o>\n", 1, 1, "this is OWL in Manchester syntax"),
        ("owl", b"Class: Cat\n  SubClassOf: Animal\n", 1, 1, "this is OWL in Manchester syntax"),
        ("jsonld", b'{"@id": 3', 1, 10, "must be followed by"),
        ("rdf", b"", 1, 1, "no element found"),
        ("rdf", b"<rdf:RDF></rdf:RDF>", 1, 1, "unbound prefix"),
        ("jsonld", b'{\n"@context":\n"http://e/", "a": 1}', 3, None, "<http://e/> is neither in a catalogue nor in"),
        ("jsonld", b'{"\\u0040context": "http://e/", "a": 1}\n', 1, None, "put the context into the file"),
        ("jsonld", b'[{"@id": "http://e/s",\n"http://e/p": {"@value": [1]}},\n{}]', 2, None, "@value value must be"),
        ("nq", b"PREFIX <http://e/a> <http://e/b> <http://e/c> .", 1, 1, "The subject of a triple must"),
        ("nq", b"@base <http://e/a", 1, 1, "The subject of a triple must"),
        ("nq", b'BASE <http://e/b> "1" <http://e/g> .\n', 1, 1, "The subject of a triple must"),
        ("n3", b"@prefix : <urn:> .\n:a :p 1 .\n{ :a :b :c } :d :e .\n:a :p 2 .\n", 3, None, "is not RDF"),
    ],
)
def test_a_syntax_error_names_file_line_and_column(
    tmp_path: Path, syntax: str, document: bytes, line: int | None, column: int | None, problem: str
) -> None:
    path = tmp_path / f"bad.{syntax}"
    path.write_bytes(document)
    with pytest.raises(RdfSyntaxError, match=problem) as caught:
        lines_of_file(path)
    assert (caught.value.source, caught.value.line, caught.value.column) == (str(path), line, column)
    assert "Parser error" not in str(caught.value)


XML = (
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">\n'
    b'<rdf:Description rdf:about="http://e/a"><e:b>one</e:b></rdf:Description>\n'
    b'<e:C rdf:about="http://e/d"/>\n</rdf:RDF>'
)


def test_xml_that_is_cut_short_is_an_error_wherever() -> None:
    assert len(lines_read(XML, "rdf").splitlines()) == 2
    for end in range(len(XML)):
        with pytest.raises(RdfSyntaxError):
            lines_read(XML[:end], "rdf")
    with pytest.raises(RdfSyntaxError, match="5:1: not well-formed XML: junk after document element"):
        lines_read(XML + b"\n" + XML, "rdf")


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 1 << 16])
def test_line_ends_of_xml_are_line_feeds(piece: int) -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or piece, piece))

    document = XML.replace(b"\n", b"\r\n").replace(b"one", b"\r\nb\rc\n\r\rd&#13;\r\n")
    text = RdfXml(Slow(document), "s")
    read = b"".join(iter(lambda: text.read(7), b""))
    assert b">\nb\nc\n\n\nd&#13;\n<" in read
    assert rb'"\nb\nc\n\n\nd\r\n"' in lines_read(document, "rdf")


def test_long_tokens_and_much_used_entities_of_xml() -> None:
    long = b"x" * 3_000_000
    assert long in lines_read(XML.replace(b"one", b"<!--" + long + b"-->" + long), "rdf")
    many = XML.replace(b"<rdf:RDF", b'<!DOCTYPE rdf:RDF [<!ENTITY e "' + long[:20_000] + b'">]><rdf:RDF', 1)
    assert long in lines_read(many.replace(b"one", b"&e;" * 150), "rdf")


def test_a_formula_of_n3_is_no_rdf() -> None:
    text = b"@prefix : <http://e/> . :a :says %s . :c :d :e ."
    assert len(lines_read(text % b":b", "n3").splitlines()) == 2
    for formula in (b"{ :moon :of :cheese }", b"{ :a :b :c } . { :x :y :z } => { :p :q :r }"):
        with pytest.raises(RdfSyntaxError, match=r"a formula of N3 \(\{ <http://e/"):
            lines_read(text % formula, "n3")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.nt").mkdir()
    (tmp_path / "bad.nt.gz").write_bytes(b"hello")
    for name, problem in [
        ("missing.nt", "No such file"),
        ("folder.nt", "is a folder"),
        ("bad.nt.gz", "Not a gzipped file"),
        ("a.omn", "is OWL in Manchester syntax, which is not RDF; save the ontology as RDF/XML or Turtle"),
        ("a.txt", "known RDF format; known formats are nt, nq, ttl"),
        ("a.gz", "known RDF format"),
        ("plain", "known RDF format"),
    ]:
        with pytest.raises(InputError, match=problem) as caught:
            lines_of_file(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)


def test_an_unknown_format_and_an_invalid_base() -> None:
    with pytest.raises(InputError, match=r"unknown RDF format 'txt'; known formats are nt, nq, .*\.gz, \.bz2, \.xz"):
        lines_read(b"", "txt")
    with pytest.raises(InputError, match="Invalid base IRI"):
        lines_read(b"<> <> <> .", "ttl", base="no iri")


def test_a_failed_read_can_be_rolled_back(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary()
    before = len(dictionary)
    monkeypatch.setattr(reader, "CHUNK", 1)
    with pytest.raises(RdfSyntaxError):
        list(read_stream(io.BytesIO(N3.encode() + b"\n oops"), dictionary, syntax="n3", source="s"))
    assert len(dictionary) > before
    dictionary.truncate(before)
    assert dictionary.find(["<http://e/a>"]).tolist() == [0]
    monkeypatch.setattr(dictionary_module, "MAX_ID", before)
    document = b"".join(b"<http://e/%d> <http://e/p> _:b%d .\n" % (i, i) for i in range(2000))
    with pytest.raises(LimitError):
        list(read_stream(io.BytesIO(document), dictionary, syntax="nt", source="s"))


@pytest.mark.parametrize("sizes", [[], [0], [5], [700, 300, 7], [1] * 40, [100] * 60])
@pytest.mark.parametrize("many", [50, 1 << 20])
def test_batches_of_all_files_are_gathered_in_order(
    monkeypatch: pytest.MonkeyPatch, many: int, sizes: list[int]
) -> None:
    random = np.random.default_rng(1)
    batches = [Batch(*random.integers(0, 1 << 30, size=(4, size), dtype=np.int32)) for size in sizes]
    monkeypatch.setattr(reader, "_MANY", many)
    monkeypatch.setattr(reader, "read", lambda *_, **__: iter(batches))
    found = read_files(["a", "b"], Dictionary.__new__(Dictionary))
    assert found.dtype == np.int32
    expected = [np.stack(batch, axis=1) for batch in batches * 2]
    assert np.array_equal(found, np.concatenate([np.empty((0, 4), dtype=np.int32), *expected]))


def test_a_long_prefix_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each use of the prefix is as long as the prefix."""
    monkeypatch.setattr("kgreason.rdf.reader._FREE", 1 << 20)
    monkeypatch.setattr("kgreason.rdf.reader._TIMES", 10)
    long = f"http://e/{'x' * 20_000}"
    for document, syntax in (
        (f"@prefix p: <{long}> .\n" + "p:a p:b p:c .\n" * 200, "ttl"),
        (f"@base <{long}/> .\n" + "<a> <b> <c> .\n" * 200, "ttl"),
        (json.dumps({"@context": {"@vocab": long}, "@graph": [{"p": 1}] * 200}), "jsonld"),
    ):
        with pytest.raises(RdfSyntaxError, match="make its terms far longer than the document is"):
            lines_read(document.encode(), syntax)
    assert lines_read(f"@prefix p: <{long}> . p:a p:b p:c .".encode(), "ttl").count(long.encode()) == 3
    text = "".join(f'<http://e/{each}> <http://e/p> "{"x" * 5_000}" .\n' for each in range(1_000))
    assert len(lines_read(text.encode(), "ttl")) == len(text)
