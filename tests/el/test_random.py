"""Random ontologies and their histories: the rules of owl2el.dl find what the completion rules of EL++ find."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.el.ontologies import KNOBS, Knobs, axioms_of, named, triples_of
from tests.oracle.el import BOTTOM, TOP, Axiom, subsumptions
from tests.oracle.graph import Triple
from tests.oracle.vocabulary import RDF, RDFS
from tests.volume import many_seeds

_SUB, _TYPE = f"<{RDFS}subClassOf>", f"<{RDF}type>"


def expected(axioms: list[Axiom]) -> set[Triple]:
    """The subsumptions of named classes, and the types of individuals, that follow from axioms."""
    found = subsumptions(axioms)
    if (TOP, BOTTOM) in found:
        return {(named(TOP), _SUB, named(BOTTOM))}
    pairs = {pair for pair in found if TOP not in pair and pair[0] != BOTTOM and not pair[1].startswith("i")}
    return {(named(c), _TYPE if c.startswith("i") else _SUB, named(d)) for c, d in pairs}


def present(graph: KnowledgeGraph) -> set[Triple]:
    """The subsumptions and types in a graph, of names."""
    rows = [(str(s), str(p), str(o)) for p in (_SUB, _TYPE) for s, p, o, *_ in graph.match(None, p, None)]
    own = {row for row in rows if "_:" not in row[0] + row[2] and not row[2].endswith("Property>")}
    if (named(TOP), _SUB, named(BOTTOM)) in own:
        return {(named(TOP), _SUB, named(BOTTOM))}
    return {(s, p, o) for s, p, o in own if named(TOP) not in (s, o) and s != named(BOTTOM) and s != o}


@pytest.mark.parametrize("seed", many_seeds(0, 10))
@pytest.mark.parametrize("knobs", KNOBS, ids=map(str, range(len(KNOBS))))
def test_random_ontologies(knobs: Knobs, seed: int) -> None:
    axioms = axioms_of(Random(seed), knobs)
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        with graph.transaction() as tx:
            for number, axiom in enumerate(axioms):
                tx.add(*triples_of(number, axiom))
        assert present(graph) == expected(axioms)


@pytest.mark.parametrize("seed", many_seeds(0, 6))
def test_random_histories(seed: int, tmp_path: Path) -> None:
    """Axioms come and go; some edits are only tried, and the store is opened again."""
    random = Random(seed)
    pool = list(enumerate(axioms_of(random, Knobs(individuals=2, axioms=18))))
    there: set[int] = set()
    for _ in range(3):
        with KnowledgeGraph.open(tmp_path / "store", rules=["owl2el"]) as graph:
            for _ in range(4):
                drawn = {number for number, _ in random.sample(pool, 4)}
                with graph.what_if() if random.random() < 0.3 else graph.transaction() as tx:
                    for number in drawn:
                        edit = tx.remove if number in there else tx.add
                        edit(*triples_of(*pool[number]))
                if tx.delta.commit:
                    there ^= drawn
                assert present(graph) == expected([pool[number][1] for number in sorted(there)])
