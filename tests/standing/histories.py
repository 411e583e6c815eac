"""Random histories with standing queries: what was told, added up, is the answer of each query after every step.

A step is a commit of facts and rules, a SPARQL update, a what-if, a commit that is refused or fails, a commit taken
back, or (of a store on disk) closing and opening.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from kgreason import KnowledgeGraph
from kgreason.errors import ContradictionError, RuleError
from kgreason.graph.input.terms import text_of
from kgreason.graph.standing.standing_query import RowChange
from tests.histories.individuals import transactions
from tests.standing.queries import CLASSES, GRAPHS, LITERALS, NAMES, PREDICATES, Queries

PREFIXES = {
    "": "http://e/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
}
_TEXT = "".join(f"@prefix {name}: <{namespace}> . " for name, namespace in PREFIXES.items())
_SCHEMA = (
    ":p rdfs:subPropertyOf :q",
    ":p owl:inverseOf :r",
    ":p a owl:TransitiveProperty",
    ":q a owl:FunctionalProperty",
    ":D rdfs:subClassOf :C",
    ":q rdfs:range :C",
)
_RULES = (
    "@rule turn [?y, :q, ?x] :- [?x, :p, ?y] .",
    "@rule loop [?x, a, :C] :- [?x, :p, ?x] .",
    "@rule more [?x, :r, ?m] :- [?x, :q, ?n], BIND(?n + 1 AS ?m), FILTER(?m < 9) .",
    "@rule lone [?x, a, :D] :- [?x, a, :C], NOT EXISTS ?y IN ([?x, :p, ?y]) .",
    "@rule count [?x, :s, ?n] :- AGGREGATE([?x, :p, ?y] ON ?x BIND COUNT(?y) AS ?n) .",
)
_REFUSED = ":a a owl:Nothing ."
Rows = Counter[tuple[str | None, ...]]


class Told:
    """A standing query, and the rows that it told, added up. Makes sure that no row disappears that was not there."""

    def __init__(self, graph: KnowledgeGraph, sparql: str) -> None:
        self.sparql, self.rows, self.calls = sparql, Rows(), list[RowChange]()
        self.query = graph.standing(sparql, self._tell, prefixes=PREFIXES)

    def _tell(self, change: RowChange) -> None:
        assert change.error is None, self.sparql
        assert not self.calls or change.appeared or change.disappeared, self.sparql
        assert not set(change.appeared) & set(change.disappeared), self.sparql
        self.calls.append(change)
        self.rows.subtract(change.disappeared)
        assert all(count >= 0 for count in self.rows.values()), self.sparql
        self.rows.update(change.appeared)

    def check(self, graph: KnowledgeGraph) -> None:
        """Compare with the answer of the query now: as a bag, or as a set if the query says REDUCED."""
        expected = answer(graph, self.sparql)
        expected = Counter(set(expected)) if "REDUCED" in self.sparql.split("{")[0] else expected
        assert +self.rows == expected, self.sparql
        assert Counter(self.query.rows) == expected, self.sparql


def answer(graph: KnowledgeGraph, sparql: str) -> Rows:
    """The rows of a query as a bag; of ASK one row or none."""
    found: Any = graph.query(sparql, prefixes=PREFIXES)
    if not hasattr(found, "variables"):
        return Counter([()] if found else [])
    return Counter(tuple(None if term is None else text_of(term) for term in row) for row in found)


def follow(seed: int, queries: int | Sequence[str], steps: int, path: Path | None = None) -> tuple[int, int]:
    """Follow a random history in memory or in a store at `path`, with these queries, or with so many random ones.

    Returns how many of the queries were answered from deltas, and how often rows were told.
    """
    random = Random(seed)
    drawn = Queries(random)
    texts = [drawn.text() for _ in range(queries)] if isinstance(queries, int) else queries
    options: dict[str, Any] = {
        "rules": [random.choice(["none", "none", "owl2rl"])],
        "same_as": random.choice(["aliases", "representatives", "rules"]),
        "on_contradiction": random.choice(["keep", "refuse"]),
        "history": "all",
    }
    graph = KnowledgeGraph.open(path, **options)
    told = 0
    try:
        with suppress(ContradictionError):
            graph.add(_TEXT + " ".join(_quad(random) for _ in range(12)))
        standing = _begun(graph, texts)
        for _ in range(steps):
            if path is not None and random.random() < 0.3:
                graph.close()
                graph = KnowledgeGraph.open(path, **options)
                told += sum(len(each.calls) for each in standing)
                standing = _begun(graph, texts)
            _step(random, graph)
            for each in standing:
                each.check(graph)
        return sum(each.query.is_incremental for each in standing), told + sum(len(each.calls) for each in standing)
    finally:
        graph.close()


def _begun(graph: KnowledgeGraph, texts: Sequence[str]) -> list[Told]:
    standing = [Told(graph, text) for text in texts]
    for each in standing:
        each.check(graph)
    return standing


def _step(random: Random, graph: KnowledgeGraph) -> None:
    """Make a random commit, or something that changes nothing."""
    kind = random.choice(["commit"] * 6 + ["update", "what if", "fails", "refused", "revert"])
    if kind == "revert" and graph.commit:
        graph.revert(random.randint(max(1, graph.commit - 3), graph.commit))
        return
    try:
        if kind == "update":
            subject, predicate = random.choice(NAMES), random.choice(PREDICATES)
            graph.update(
                f"DELETE {{ ?x {predicate} ?y }} INSERT {{ ?y {predicate} {subject} }} "
                f"WHERE {{ ?x {predicate} ?y FILTER(isIRI(?y)) }}",
                prefixes=PREFIXES,
            )
            return
        for tx in transactions(graph, [kind]):
            _edit(random, tx)
            if kind == "refused":
                tx.add(_TEXT + _REFUSED)
    except (ContradictionError, RuleError):  # RuleError: the rule to remove is not there
        pass


def _edit(random: Random, tx: Any) -> None:
    tx.remove(_TEXT + _some(random, 6)).add(_TEXT + _some(random, 8))
    if random.random() < 0.4:
        (tx.add_rules if random.random() < 0.6 else tx.remove_rules)(_TEXT + random.choice(_RULES))


def _some(random: Random, most: int) -> str:
    """Return a TriG text of random triples, some of them in named graphs."""
    return " ".join(_quad(random) for _ in range(random.randint(0, most)))


def _quad(random: Random) -> str:
    name, node = random.choice(NAMES), random.choice([*NAMES, "_:n"])
    object_ = random.choice([*NAMES, *NAMES, "_:n", random.choice(LITERALS)])
    triple = random.choice(
        [
            *[f"{node} {random.choice(PREDICATES)} {object_}"] * 8,
            *[f"{node} a {random.choice(CLASSES)}"] * 2,
            f"{name} :p <<( {node} :q {random.choice(NAMES)} )>>",
            f"{name} owl:sameAs {random.choice(NAMES)}",
            random.choice(_SCHEMA),
        ]
    )
    return f"{random.choice(GRAPHS)} {{ {triple} . }}" if random.random() < 0.15 else f"{triple} ."
