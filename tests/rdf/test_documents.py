"""Random documents of N-Triples, Turtle and JSON-LD are read as rdflib reads them."""

from __future__ import annotations

import logging
from typing import Any

import pyoxigraph
import pytest
from pyoxigraph import Quad, RdfFormat

from kgreason.bridges.rdflib.terms import to_oxigraph
from kgreason.terms.vocabulary import XSD
from tests.rdf.documents import GENERATORS
from tests.rdf.reading import isomorphic, lines_read
from tests.volume import many_seeds

pytestmark = pytest.mark.filterwarnings("ignore:(Dataset|ConjunctiveGraph):DeprecationWarning")
RDFLIB = {"nt": "nt", "ttl": "turtle", "jsonld": "json-ld"}
BASE = "http://e/base/doc"


def _normal(term: Any) -> Any:
    """A term of rdflib as a term of pyoxigraph: numbers by their values."""
    import rdflib

    if isinstance(term, rdflib.Literal):
        if term.language:
            return to_oxigraph(term)
        term = rdflib.Literal(str(term), datatype=term.datatype, normalize=str(term.datatype).startswith(XSD))
    return to_oxigraph(term)


def _rows(graph: Any) -> bytes:
    rows = [Quad(*map(_normal, triple)) for triple in graph]
    return pyoxigraph.serialize(rows, format=RdfFormat.N_QUADS) or b""


def _by_rdflib(document: bytes, syntax: str) -> bytes:
    import rdflib

    return _rows(rdflib.Graph().parse(data=document, format=RDFLIB[syntax], publicID=BASE))


@pytest.mark.parametrize("syntax", GENERATORS)
def test_documents_are_read_as_rdflib_reads_them(syntax: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "rdflib")  # it logs each literal that has no value
    for seed in many_seeds(0, 20):
        document = GENERATORS[syntax](seed).document().encode()
        found = lines_read(document, syntax, base=BASE)
        assert isomorphic(_by_rdflib(found, "nt"), _by_rdflib(document, syntax)), f"seed {seed}"
