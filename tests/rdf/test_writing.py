"""What is written can be read: by kgreason, and by rdflib as far as rdflib knows RDF 1.2. Or nothing is written."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, serialize

from kgreason.bridges.rdflib.terms import to_oxigraph
from kgreason.errors import InputError
from kgreason.rdf.writing import write
from kgreason.terms import vocabulary as v
from tests.cli.calling import error_of
from tests.rdf.reading import isomorphic, lines_read
from tests.tables import table
from tests.terms import unusual_terms as unusual
from tests.volume import many

PREFIXES = {"rdf": v.RDF, "rdfs": v.RDFS, "owl": v.OWL, "xsd": v.XSD}
pytestmark = pytest.mark.filterwarnings("ignore:(Dataset|ConjunctiveGraph):DeprecationWarning")
RDFLIB = {"nt": "nt", "nq": "nquads", "ttl": "turtle", "trig": "trig", "n3": "n3", "rdf": "xml", "jsonld": "json-ld"}
TYPE = NamedNode(f"{v.RDF}type")
S, P = NamedNode("http://e/s"), NamedNode("http://e/p")

_names = st.sampled_from(
    [
        *(
            f"http://e/{name}"
            for name in ("a", "é", "1", "a.b", "-a", "a:b", "%41a", "x'y", "a&b", "", "\u0300a", "🐘")
        ),
        *("http://e#", "urn:x", "mailto:a@b", "http://www.w3.org/2000/xmlns/a", f"{v.RDFS}a/b", f"{v.RDFS}1", v.RDFS),
        *(f"{v.RDF}{name}" for name in ("type", "li", "about", "Description", "_1", "first", "nil", "Bag", "ID")),
        *(f"{v.XSD}{name}" for name in ("integer", "decimal", "boolean", "double")),
    ]
).map(NamedNode)
_numbers = st.builds(
    lambda text, name: Literal(text, datatype=NamedNode(f"{v.XSD}{name}")),
    st.sampled_from(["1", "01", "+1", "1.", ".5", "1e0", "true", "1", " 1", "INF", "x", ""]),
    st.sampled_from(["integer", "decimal", "double", "boolean"]),
)
_texts = st.sampled_from(
    [
        "\r",
        "\r\n",
        "\x00",
        "\x0b",
        "\ufffe",
        "\uffff",
        "\x85\u2028",
        "]]>",
        "<&>",
        '"""',
        "'''\\",
        "\ufeff",
        " a ",
        "\U0001fffe",
    ]
).map(Literal)
_nodes = _names | unusual.iris | unusual.blanks | st.sampled_from(["1", "_1", "b1", "a.b", "0a"]).map(BlankNode)
_objects = _nodes | unusual.objects | _texts | _numbers
_triples = st.builds(Triple, _nodes, _names | unusual.iris, _objects) | st.builds(
    Triple, _nodes, st.just(TYPE), _objects
)


_prefixes = st.sampled_from([{"": "http://e/"}, {"": "urn:x:", "oxprefix": "http://e/"}, {"": v.RDF}, {}]).map(
    lambda more: {**PREFIXES, **more}
)


def _text(rows: Sequence[Triple | Quad], syntax: str, prefixes: Mapping[str, str] = PREFIXES) -> bytes | None:
    out = io.BytesIO()
    try:
        write(rows, out, syntax, prefixes)
    except InputError:
        return None
    return out.getvalue()


def _lines(rows: Sequence[Triple | Quad]) -> bytes:
    return serialize(cast(list[Quad], rows), format=RdfFormat.N_QUADS) or b""


def _as_rdflib_has_it(rows: Sequence[Triple | Quad], prefixes: Mapping[str, str]) -> bool:
    """Whether rdflib reads all terms: it knows neither RDF 1.2 nor labels of all letters."""
    plain = {*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"}
    return not any(
        isinstance(term, Triple)
        or (isinstance(term, Literal) and term.direction is not None)
        or (isinstance(term, BlankNode) and not plain.issuperset(term.value))
        or (isinstance(term, NamedNode) and term.value.startswith(tuple(prefixes.values())) and term.value[-1] in ".-")
        for row in rows
        for term in row
    )


def _by_rdflib(document: bytes, syntax: str) -> list[Quad]:
    import rdflib

    named = syntax in ("nq", "trig", "jsonld")
    graph: Any = rdflib.Dataset() if named else rdflib.Graph()
    graph.parse(data=document, format=RDFLIB[syntax])
    rows = graph.quads() if named else ((*triple, None) for triple in graph)
    return [_quad(*row) for row in rows]


def _quad(subject: Any, predicate: Any, object_: Any, graph: Any) -> Quad:
    terms: list[Any] = [to_oxigraph(term) for term in (subject, predicate, object_)]
    is_default = graph is None or str(graph) == "urn:x-rdflib:default"
    return Quad(*terms, *([] if is_default else [cast(Any, to_oxigraph(graph))]))


def _normal(rows: Sequence[Triple | Quad]) -> list[Quad]:
    """The rows with the literals that rdflib makes of numbers without quotation marks."""
    import rdflib

    def normal(term: Any) -> Any:
        if isinstance(term, Literal) and term.datatype.value.startswith(v.XSD) and not term.language:
            literal = rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value), normalize=True)
            return to_oxigraph(literal)
        return term

    return [Quad(*map(normal, row)) for row in rows]


@pytest.mark.parametrize("syntax", RDFLIB)
@settings(max_examples=many(20))
@given(st.lists(_triples, max_size=4), _prefixes)
def test_written_triples_are_read_back_or_refused(syntax: str, rows: list[Triple], prefixes: dict[str, str]) -> None:
    document = _text(rows, syntax, prefixes)
    if document is None:
        assert syntax in ("n3", "rdf", "jsonld")
        return
    assert isomorphic(lines_read(document, syntax), _lines(rows))
    if _as_rdflib_has_it(rows, prefixes):
        assert isomorphic(_lines(_normal(_by_rdflib(document, syntax))), _lines(_normal(rows)))


@pytest.mark.parametrize("syntax", ["nq", "trig", "jsonld"])
@settings(max_examples=many(10))
@given(st.lists(unusual.quads, max_size=4))
def test_named_graphs_are_read_back(syntax: str, rows: list[Quad]) -> None:
    document = _text(rows, syntax)
    if document is not None:
        assert isomorphic(lines_read(document, syntax), _lines(rows))


REFUSED = [
    *(("rdf", Triple(S, P, Literal(text)), f"the character U\\+{ord(text):04X}") for text in "\x00\x08\x1f\ufffe"),
    ("rdf", Triple(S, NamedNode("http://e/1"), S), "<http://e/1>: in RDF/XML a predicate must end in an XML name"),
    ("rdf", Triple(S, NamedNode(f"{v.RDF}li"), S), "rdf-syntax-ns#li>: RDF/XML reserves this name"),
    ("rdf", Triple(S, P, Triple(S, P, Literal("\x07"))), "the character U\\+0007"),
    ("n3", Triple(S, P, Triple(S, P, S)), "<<.*>>: Notation3 has no such term"),
    ("jsonld", Triple(S, P, Triple(S, P, S)), "<<.*>>: JSON-LD has no triple terms"),
]


@table(("syntax", "row", "problem"), REFUSED)
def test_an_error_names_the_term_that_a_format_cannot_say(syntax: str, row: Triple, problem: str) -> None:
    with pytest.raises(InputError, match=f"^the graph cannot be written as {syntax}: .*{problem}"):
        write([row], io.BytesIO(), syntax)


@pytest.mark.parametrize("prefix", ["1a", "xml", "xmlns"])
def test_a_prefix_that_xml_does_not_have_is_an_error(prefix: str) -> None:
    with pytest.raises(InputError, match=f"the prefix {prefix}"):
        write([], io.BytesIO(), "rdf", {prefix: "http://e/"})


def test_classes_that_are_no_xml_names_are_written_as_rdf_type() -> None:
    rows = [Triple(S, TYPE, NamedNode(name)) for name in ("http://e/1", "http://e/C", f"{v.RDF}li", "http://e#")]
    for some, default in product((rows, rows[::-1]), ({}, {"": "http://e/"}, {"": "http://f/"})):
        document = _text(some, "rdf", {**PREFIXES, **default})
        assert document is not None
        assert isomorphic(lines_read(document, "rdf"), _lines(rows))
        assert isomorphic(_lines(_by_rdflib(document, "rdf")), _lines(rows))


def test_a_dump_that_is_refused_prints_nothing(tmp_path: Path) -> None:
    from kgreason import KnowledgeGraph

    with KnowledgeGraph.open(tmp_path / "store", rules="none") as graph:
        graph.add(*((S, P, n) for n in range(2000)), (S, P, Triple(S, P, S)))
    for syntax in ("n3", "jsonld"):
        assert "has no" in error_of("dump", "-l", tmp_path / "store", "--format", syntax)
