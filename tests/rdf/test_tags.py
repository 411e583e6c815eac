"""Language tags keep the letters in which they were written, in every format that is read."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from typing import Any

import pyoxigraph
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyoxigraph import Literal, RdfFormat

from kgreason.errors import RdfSyntaxError
from kgreason.rdf.lines import canonicalization
from kgreason.rdf.reader import read_stream
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.tags import (
    CarrierStream,
    canonical_lines,
    carrier,
    has_capitals,
    literal_with_tag,
    parse_quads,
    with_carriers,
    with_small_tag,
    with_tags,
)
from tests.rdf.reading import lines_read
from tests.tables import table

_CASES: st.SearchStrategy[Callable[[str], str]] = st.sampled_from((str.upper, str.lower, str.title, str))
TAGS = st.tuples(
    st.sampled_from(["en", "de-AT", "zh-Hant-HK", "x-Klingon", "i-klingon", "en-GB-oed", "de-1996", "en-a-bb-x-Cc"]),
    _CASES,
).map(lambda pair: pair[1](pair[0]))
TEXTS = st.text(st.sampled_from("aZ@- '\"\\\n\té🐘<>^.#"), max_size=8) | st.sampled_from(
    ['"@EN', "'x'@de-AT .", "a@B.Org"]
)
LITERALS = st.lists(st.tuples(TEXTS, TAGS), min_size=1, max_size=5)


def _quoted(text: str) -> str:
    return str(Literal(text))


def _turtle(literals: list[tuple[str, str]]) -> str:
    long = [f"{_quoted(text)} #@EN\n @{tag}" for text, tag in literals]
    return f"@prefix e: <http://A@EN/> . <http://e/s> <http://e/p> {', '.join(long)} . # @DE-at \n e:x e:y e:z ."


def _lines(literals: list[tuple[str, str]]) -> str:
    return "".join(f"<http://e/s> <http://e/p> {_quoted(text)}@{tag} .\n" for text, tag in literals)


def _rdf_xml(literals: list[tuple[str, str]]) -> str:
    inside = "".join(f'<p xml:lang="{tag}">{_escaped(text)}</p>' for text, tag in literals)
    spaces = 'xmlns="http://e/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    return (
        f'<rdf:RDF {spaces} xml:lang="DE"><rdf:Description rdf:about="http://e/s">{inside}</rdf:Description></rdf:RDF>'
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _json_ld(literals: list[tuple[str, str]]) -> str:
    values = [{"@value": text, "@language": tag} for text, tag in literals]
    (text, tag), *_ = literals
    context = {"@language": tag, "p": "http://e/p", "map": {"@id": "http://e/p", "@container": "@language"}}
    return json.dumps({"@context": context, "@id": "http://e/s", "p": [*values, text], "map": {tag: [text, "m"]}})


def _owl_xml(literals: list[tuple[str, str]]) -> str:
    inside = "".join(
        f'<AnnotationAssertion><AnnotationProperty IRI="http://e/p"/><IRI>http://e/s</IRI>'
        f'<Literal xml:lang="{tag}">{_escaped(text)}</Literal></AnnotationAssertion>'
        for text, tag in literals
    )
    return f'<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://e/o">{inside}</Ontology>'


def _functional(literals: list[tuple[str, str]]) -> str:
    quoted = ((text.replace("\\", "\\\\").replace('"', '\\"'), tag) for text, tag in literals)
    axioms = [f'AnnotationAssertion(<http://e/p> <http://e/s> "{text}"@{tag})' for text, tag in quoted]
    return f"Ontology(<http://e/o> {' '.join(axioms)})"


WRITERS: dict[str, Callable[[list[tuple[str, str]]], str]] = {
    "nt": _lines,
    "nq": _lines,
    "ttl": _turtle,
    "trig": lambda literals: f"{{ {_lines(literals)} }}",
    "n3": _turtle,
    "rdf": _rdf_xml,
    "jsonld": _json_ld,
    "owx": _owl_xml,
    "ofn": _functional,
}


@pytest.mark.parametrize("syntax", WRITERS)
@given(literals=LITERALS)
def test_every_format_keeps_the_letters_of_tags(syntax: str, literals: list[tuple[str, str]]) -> None:
    if syntax == "ofn":  # its parser has its own idea of these tags
        literals = [
            (text, "En-gb" if re.search("oed|klingon|-a-", tag, re.IGNORECASE) else tag) for text, tag in literals
        ]
    found = lines_read(WRITERS[syntax](literals).encode(), syntax).decode().splitlines()
    wanted = {f"<http://e/s> <http://e/p> {_quoted(text)}@{tag} ." for text, tag in literals}
    if syntax == "jsonld":
        wanted.add(f'<http://e/s> <http://e/p> "m"@{literals[0][1]} .')
    if syntax in ("ttl", "n3"):
        wanted.add("<http://A@EN/x> <http://A@EN/y> <http://A@EN/z> .")
    assert {line for line in found if "http://e/p" in line or "A@EN" in line} - _declared(syntax) == wanted


def _declared(syntax: str) -> set[str]:
    annotation = "<http://www.w3.org/2002/07/owl#AnnotationProperty>"
    typed = f"<http://e/p> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> {annotation} ."
    return {typed} if syntax in ("owx", "ofn") else set()


class _Slow(io.RawIOBase):
    """A stream that gives few bytes at a time."""

    def __init__(self, text: bytes, size: int) -> None:
        self._text, self._size = io.BytesIO(text), size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._text.read(min(self._size, len(buffer)))
        buffer[: len(piece)] = piece
        return len(piece)


@example(text=b'"a"@ENG . ', size=1)
@example(text=b"\n@EN", size=1)
@example(text=b"\r \t@EN", size=1)
@example(text=b"'@ZZ@", size=1)
@given(text=st.text(st.sampled_from("aZ9@-\"' \né"), max_size=60).map(str.encode), size=st.integers(1, 9))
def test_a_stream_of_pieces_is_carried_as_the_whole_text(text: bytes, size: int) -> None:
    stream = CarrierStream(_Slow(text, size))  # type: ignore[arg-type]
    found = b"".join(iter(lambda: stream.read(7), b""))
    assert found == with_carriers(text)
    assert with_tags(found) == text


@pytest.mark.parametrize("short", range(-3, 12))
def test_a_tag_may_end_where_a_piece_of_the_file_ends(short: int) -> None:
    row = '<http://e/s> <http://e/p> "a"@ENG  .\n'
    text = "#" + "x" * ((1 << 16) - len(row) - short) + "\n" + row
    assert lines_read(text.encode(), "ttl") == b'<http://e/s> <http://e/p> "a"@ENG .\n'


def test_a_text_without_capital_letters_in_tags_is_not_copied() -> None:
    for text in (b'<http://E/A> <e:b> "X"@en-gb, "@" .', b"@prefix E: <e:> ."):
        assert with_carriers(text) is text
        assert with_tags(text) is text


def test_escapes_beside_a_tag_in_a_string_stay() -> None:
    text = '<e:a> <e:b> "@EN\\u0061b" .'
    assert canonical_lines(text.encode(), RdfFormat.N_QUADS) == b'<e:a> <e:b> "@ENab" .\n'


@pytest.mark.parametrize("syntax", ["nt", "ttl", "trig", "n3"])
@pytest.mark.parametrize(
    "wrong",
    [
        '"x"@toolonglang',
        '"x"@EN-',
        '"x"@EN-toolonglang',
        '"x"@E',
        '"x"@EN-X',
        '"x"@EN-u',
        '"x"@EN@DE',
        '"x"@EN--RTL',
        "é",
    ],
)
def test_errors_are_where_pyoxigraph_finds_them(syntax: str, wrong: str) -> None:
    line = f'<e:a> <e:b> "é@DE"@en-GB . <e:a> <e:b> "ü"@DE, {wrong} .\n'
    line = line if syntax != "nt" else f"<e:A@B> <e:b> {wrong} .\n"
    text = f'<e:a> <e:b> "é@DE"@en-GB .\n{line}'.encode()
    with pytest.raises(SyntaxError) as told:
        list(pyoxigraph.parse(text, RdfFormat.from_extension(syntax)))
    with pytest.raises(RdfSyntaxError) as found:
        lines_read(text, syntax)
    assert (found.value.line, found.value.column) == (told.value.lineno, told.value.offset)
    assert "x-" not in str(found.value)


def test_skipped_lines_have_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    from kgreason.rdf.lines.skipped_lines import Skipped

    monkeypatch.setattr(canonicalization, "BLOCK", 90)
    text = b'<e:a> <e:b> "x"@en-GB .\n<e:a> <e:b> "x"@EN-toolonglang .\n' * 5
    skipped, dictionary = Skipped(), Dictionary()
    list(read_stream(io.BytesIO(text), dictionary, syntax="nt", source="s", skipped=skipped))
    assert skipped.count == 5
    assert dictionary.find(['"x"@en-GB']).all()


@given(literals=LITERALS)
def test_terms_of_pyoxigraph_have_tags_as_they_are_written(literals: list[tuple[str, str]]) -> None:
    lines = "".join(f"<e:s> <e:p> <<( <e:s> <e:p> {_quoted(text)}@{tag} )>> .\n" for text, tag in literals)
    lines += _lines(literals)
    assert pyoxigraph.serialize(parse_quads(lines.encode()), format=RdfFormat.N_QUADS) == lines.encode()
    for text, tag in literals:
        assert (literal_with_tag(text, tag).value, literal_with_tag(text, tag).language) == (text, tag)
    with pytest.raises(ValueError, match="subtag"):
        literal_with_tag("x", "EN-toolonglang")


def test_a_tag_may_have_a_base_direction() -> None:
    (quad,) = parse_quads(b'<e:s> <e:p> "x"@ar-EG--rtl .')
    assert str(quad.object) == '"x"@ar-EG--rtl'
    assert isinstance(quad.object, Literal)
    assert quad.object.direction is not None


@given(literals=LITERALS)
def test_the_dictionary_finds_the_tags_with_capital_letters(literals: list[tuple[str, str]]) -> None:
    dictionary = Dictionary()
    before = len(dictionary)
    texts = [f"{_quoted(text)}@{tag}" for text, tag in literals]
    texts += [
        '"A"',
        '"A"^^<http://E/A>',
        "<http://E/A>",
        "_:A",
        f'"a"@en-{"abcdefgh-" * 20}X',
        f'"a"@en{"-abcdefgh" * 20}',
    ]
    dictionary.intern(texts)
    found = set(dictionary.decode(dictionary.literals_with_capitals(before)))
    assert found == {text for text in texts if has_capitals(text)}
    assert all(with_small_tag(text) != text for text in found)


_MARK = re.compile(r"x-([a-z0-9]{8})-")
_HEAD = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"><rdf:Description>'


@pytest.mark.parametrize("tag", ["EN_us", "EN@x", "EN-toolonglang", "EN-"])
def test_an_error_of_rdf_xml_shows_no_carrier(tag: str) -> None:
    with pytest.raises(RdfSyntaxError) as found:
        lines_read(f'{_HEAD}<e:p xml:lang="{tag}">x</e:p></rdf:Description></rdf:RDF>'.encode(), "rdf")
    assert tag.lower() in str(found.value).lower()
    assert not _MARK.search(str(found.value))


def test_a_formula_is_shown_as_it_is_written() -> None:
    with pytest.raises(RdfSyntaxError, match='"x"@EN '):
        lines_read(b'<e:a> <e:b> { <e:a> <e:b> "x"@EN } .', "n3")


@table("hidden", ['" <e:g> .\n<e:evil> <e:b> "y', '"', "", "en", "EN_us", "EN\n", " EN", "EN-toolonglang", "\udcff"])
def test_a_carrier_in_a_text_becomes_nothing_but_a_tag(hidden: str) -> None:
    """Whoever knows the mark can write tags in strings, no more."""
    (mark,) = set(_MARK.findall(carrier("EN")))
    digits = hidden.encode(errors="surrogateescape").hex()
    forged = f"x-{mark}-{digits}-{mark}"
    lines = f'<e:a> <e:b> "{forged}" .\n<e:a> <e:b> "x"@EN .\n'.encode()
    assert canonical_lines(lines, RdfFormat.N_QUADS) == lines
    assert with_tags(forged.encode()) == forged.encode()


def test_a_string_without_an_end_is_looked_at_once() -> None:
    """Each start inside of the string would look at the rest again: for this text, at 40 GB."""
    text = b'"' + rb"\"" * 200_000 + b' @Foo "@Foo'
    with pytest.raises(SyntaxError):
        list(parse_quads(text))


def test_a_text_behind_no_string_does_not_grow() -> None:
    text = b'<e:a> <e:b@Foo> "hi @Foo and a@B.Org" .'
    assert with_carriers(text) == text
    for text in (b'"x"@EN', b"'x' \t @EN", b'"""x"""\n@EN', b'"x" # it\n  @EN'):
        assert len(with_carriers(text)) > len(text)


def test_quads_between_tags_are_those_of_the_parser() -> None:
    rest = "".join(f'<e:a> <e:b> "{number} a@Foo.Org, hi @Foo" .\n' for number in range(200))
    lines = f'{rest}<e:a> <e:b> "x"@EN .\n{rest}<e:a> <e:b> "y" @De-at .\n<e:a> <e:b> "z"@en .\n{rest}'
    wanted = lines.replace('" @', '"@')
    assert "".join(f"{quad} .\n" for quad in parse_quads(lines.encode())) == wanted
    with pytest.raises(SyntaxError, match="eight characters") as told:
        list(parse_quads(f'{lines}<e:a> <e:b> "x"@EN-toolonglang .\n'.encode()))
    assert told.value.lineno == lines.count("\n") + 1


def test_json_ld_takes_tags_of_the_same_node() -> None:
    en, small_en = ({"@value": "x", "@language": tag} for tag in ("EN", "en"))
    nodes: list[dict[str, Any]] = [{"@id": "_:a b", "http://e/p": en}, {"@id": "_:c", "http://e/p": small_en}]
    nodes += [{"http://e/p": [en, small_en]}] * 50  # the numbers that stand for them have some zeros before them
    found = lines_read(json.dumps(nodes).encode(), "jsonld").decode().splitlines()
    assert [re.sub(r"_:\S+", "_:b", line) for line in found] == [
        f'_:b <http://e/p> "x"@{tag} .' for tag in ("en", *["EN", "en"] * 50)
    ]
