"""Equal restrictions (twins): the cost of one more twin if there are already many.

    :Ai  rdfs:subClassOf  some p C                        classes below twins
    :Bi  owl:equivalentClass  (:A1 and some p C)          twins in definitions
    :ii  a  :Ai                                           individuals in the classes below

Half of the twins stand on the right of an axiom, half in a definition. The value is the cost of a twin among many,
divided by the cost of a twin among a quarter as many. If the rules of the W3C were applied directly, each twin would be
a subclass of each other twin, each class a subclass of each twin, and the value would be four.

Cost: a few seconds.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.model import Measurement
from benchmarks.timing import alternate, timed
from benchmarks.workspace import Workspace
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v

FEW, MANY = 500, 2_000
_ROUNDS = 3


def many_over_few(workspace: Workspace) -> Measurement:  # noqa: ARG001 - it needs no files
    """A twin among `MANY` over a twin among `FEW`."""
    load(FEW)
    pairs = alternate(lambda: load(MANY) / MANY, lambda: load(FEW) / FEW, _ROUNDS)
    return Measurement(pairs.ratio, f"{pairs} (a twin among {MANY:,} and among {FEW:,})")


def load(number: int) -> float:
    """The seconds of a first load of so many twins, reading aside."""
    materializer = Materializer(select(["owl2rl"]))
    terms = materializer.dictionary.intern(term for triple in ontology(number) for term in (*triple, v.RDF_NIL))
    rows = np.asarray(terms, dtype=np.int32).reshape(-1, 4)
    rows[:, 3] = 0
    return timed(lambda: materializer.change(Edit(added=rows)))


def ontology(number: int) -> Iterator[Triple]:
    """The triples of an ontology with so many restrictions, all of which say the same."""
    filler, property_, first = _name("C"), _name("p"), _name("A1")
    yield filler, v.RDF_TYPE, v.OWL_CLASS
    yield property_, v.RDF_TYPE, v.OWL_OBJECT_PROPERTY
    for index in range(1, number + 1):
        twin = f"_:r{index}"
        yield twin, v.OWL_ON_PROPERTY, property_
        yield twin, v.OWL_SOME_VALUES_FROM, filler
        if index % 2:
            yield _name(f"A{index}"), v.RDFS_SUB_CLASS_OF, twin
            yield _name(f"i{index}"), v.RDF_TYPE, _name(f"A{index}")
        else:
            both, start, end = f"_:b{index}", f"_:s{index}", f"_:t{index}"
            yield _name(f"B{index}"), v.OWL_EQUIVALENT_CLASS, both
            yield both, v.OWL_INTERSECTION_OF, start
            yield from ((start, v.RDF_FIRST, first), (start, v.RDF_REST, end))
            yield from ((end, v.RDF_FIRST, twin), (end, v.RDF_REST, v.RDF_NIL))


def _name(text: str) -> str:
    return f"<http://example.org/twins/{text}>"
