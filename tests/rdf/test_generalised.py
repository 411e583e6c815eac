"""Only RDF triples pass."""

from __future__ import annotations

from itertools import product

import pytest

from kgreason.rdf.generalised import is_rdf
from kgreason.terms.dictionary import Dictionary

TERMS = {
    "iri": "<http://e/a>",
    "blank": "_:b",
    "literal": '"x"',
    "triple": "<<( <urn:a> <urn:b> _:c )>>",
    "relation": "r",
}
RDF = set(product(["iri", "blank"], ["iri"], ["iri", "blank", "literal", "triple"]))


@pytest.mark.parametrize("row", list(product(TERMS, repeat=3)), ids="-".join)
def test_a_row_is_rdf_or_generalised(row: tuple[str, str, str]) -> None:
    dictionary = Dictionary()
    columns = [dictionary.intern([TERMS[kind]]) for kind in row]
    assert is_rdf(dictionary, *columns).tolist() == [row in RDF]
