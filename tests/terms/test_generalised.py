"""Only RDF triples pass."""

from __future__ import annotations

from itertools import product

from kgreason.terms.dictionary import Dictionary
from tests.tables import table

TERMS = {
    "iri": "<http://e/a>",
    "blank": "_:b",
    "literal": '"x"',
    "triple": "<<( <urn:a> <urn:b> _:c )>>",
    "relation": "r",
}
RDF = set(product(["iri", "blank"], ["iri"], ["iri", "blank", "literal", "triple"]))


@table("row", list(product(TERMS, repeat=3)))
def test_a_row_is_rdf_or_generalised(row: tuple[str, str, str]) -> None:
    dictionary = Dictionary()
    rows = dictionary.intern(TERMS[kind] for kind in row).reshape(1, 3)
    for many in (1, 500, 5000):
        assert dictionary.are_rdf(rows.repeat(many, axis=0)).tolist() == [row in RDF] * many
