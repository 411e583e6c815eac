"""The naive validator and pySHACL agree on random pairs, where pySHACL agrees with the specification.

`DIFFERENCES` has one small case for each way in which pySHACL 0.40 differs, with the sentence that it breaks. The
random pairs leave these ways out.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import pytest
from rdflib.graph import Graph

from tests.oracle.shacl import report
from tests.oracle.shacl.drawn import NUMBERS, Knobs, Pair, pair
from tests.oracle.shacl.result import Result
from tests.oracle.shacl.turtle import graph
from tests.oracle.shacl.validator import Validator
from tests.tables import table
from tests.volume import many_seeds

pyshacl = pytest.importorskip("pyshacl", reason="pyshacl is not installed; it is no requirement of the tests")

_COMPARISONS = frozenset(
    f"sh:{name}"
    for name in ("minExclusive", "minInclusive", "maxExclusive", "maxInclusive", "lessThan", "lessThanOrEquals")
)
_ALL_LITERALS = Knobs(empty_lists=False, leave_out=_COMPARISONS)
_COMPARABLE = tuple(each for each in NUMBERS if "NaN" not in each)
_NUMBERS = Knobs(empty_lists=False, blank_nodes=False, links=False, literals=_COMPARABLE)
_LEFT_OUT = ("sh:minLength 0", r"sh:inversePath [^:]", r"(?s)Path \[ sh:(zero|one)Or.*\$PATH")


class Difference(NamedTuple):
    """A case that pySHACL sees differently: the sentence that it breaks, and how many results are right and wrong."""

    sentence: str
    data: str
    shapes: str
    right: int
    wrong: int | str


DIFFERENCES = (
    Difference(
        "sh:minExclusive: If the comparison cannot be performed, then there is a validation result.",
        ":a :p true .",
        ":s sh:targetNode :a ; sh:path :p ; sh:maxExclusive 2.5 .",
        1,
        0,
    ),
    Difference(
        "sh:maxInclusive: For each value node v where `$maxInclusive >= v` does not return true (NaN has no order).",
        ':a :p "NaN"^^xsd:double .',
        ":s sh:targetNode :a ; sh:path :p ; sh:maxInclusive 2.5e0 .",
        1,
        0,
    ),
    Difference(
        "sh:lessThan: where the first value is not less than the second value (based on SPARQL's `<`: not for IRIs).",
        ":a :p :a ; :q :b .",
        ":s sh:targetNode :a ; sh:path :p ; sh:lessThan :q .",
        1,
        0,
    ),
    Difference(
        "sh:lessThan: or where the two values cannot be compared, there is a validation result.",
        ":a :p [] ; :q 1 .",
        ":s sh:targetNode :a ; sh:path :p ; sh:lessThan :q .",
        1,
        "Cannot use sh:lessThan to compare a BlankNode",
    ),
    Difference(
        "sh:minLength: or where v is a blank node, there is a validation result (also if the value is 0).",
        ":a :p [] .",
        ":s sh:targetNode :a ; sh:path :p ; sh:minLength 0 .",
        1,
        0,
    ),
    Difference(
        "SHACL list: an IRI or a blank node that is either rdf:nil, or has exactly one value for rdf:first.",
        ":a :p 1 .",
        ":s sh:targetNode :a ; sh:or () .",
        1,
        "list with 1 or more members",
    ),
    Difference(
        "sh:sparql: There is one validation result for each solution.",
        ":a :p 1, 2 .",
        ':s sh:targetNode :a ; sh:sparql [ sh:select "SELECT $this WHERE { $this <http://e/p> ?o }" ] .',
        2,
        1,
    ),
    Difference(
        "sh:inversePath: path(p, G) is a SPARQL InversePath with path(v, G) as its elt.",
        ":b :r :a . :a :p :c .",
        ":s sh:targetNode :c ; sh:path [ sh:inversePath ( :r :p ) ] ; sh:maxCount 0 .",
        1,
        0,
    ),
    Difference(
        "$PATH: substitute with a valid SPARQL surface syntax string of the SHACL property path.",
        ":a :p :b .",
        """:s sh:targetNode :a ; sh:path [ sh:oneOrMorePath [ sh:zeroOrMorePath :p ] ] ;
            sh:sparql [ sh:select "SELECT DISTINCT $this ?value WHERE { $this $PATH ?value }" ] .""",
        2,
        "Expected SelectQuery",
    ),
)


@table("difference", DIFFERENCES)
def test_pyshacl_differs_where_the_list_says_so(difference: Difference) -> None:
    drawn = Pair((difference.data,), (difference.shapes,))
    assert len(naive(drawn)) == difference.right
    if isinstance(difference.wrong, int):
        assert sum(of_pyshacl(drawn).values()) == difference.wrong
    else:
        with pytest.raises(Exception, match=difference.wrong):
            of_pyshacl(drawn)


@pytest.mark.parametrize("knobs", [_ALL_LITERALS, _NUMBERS], ids=["all-literals", "numbers"])
def test_pyshacl_and_the_naive_validator_agree(knobs: Knobs) -> None:
    differing = [seed for seed in many_seeds(0, 300) if not agrees(pair(seed, knobs))]
    assert not differing


def agrees(drawn: Pair) -> bool:
    text = drawn.shapes_text
    if any(re.search(expression, text) for expression in _LEFT_OUT):
        return True
    mine, theirs = Counter(naive(drawn)), of_pyshacl(drawn)
    return mine.keys() == theirs.keys() if "sh:sparql" in text else mine == theirs


def naive(drawn: Pair) -> list[Result]:
    results = Validator(graph(drawn.data_text), graph(drawn.shapes_text)).report()
    return [each._replace(messages=frozenset()) for each in results]


def of_pyshacl(drawn: Pair) -> Counter[Result]:
    """Return pySHACL's results, without the messages that it writes itself."""
    data, shapes = graph(drawn.data_text), graph(drawn.shapes_text)
    _, found, text = pyshacl.validate(data, shacl_graph=shapes, inplace=True)
    assert isinstance(found, Graph), text
    counts = Counter[Result]()
    for result, count in report.read(found).items():
        counts[result._replace(messages=frozenset())] += count
    return counts
