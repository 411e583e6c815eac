"""Random histories of which every third transaction comes to nothing: a what-if, one that is refused, one that fails.

Law: the graph is equal to one that has made the other transactions alone. Terms of a transaction that comes to nothing
leave the dictionary, and their ids are given away again. So this is a test of everything that remembers ids, and of
everything that a rollback has to take back.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import KgreasonError, StoreError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.transaction import Transaction

PREFIXES = {
    "": "http://e/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
HEADER = "".join(f"@prefix {name}: <{iri}> . " for name, iri in PREFIXES.items())
NEVER = "@rule never false :- [?x, :never, ?y] ."
_RULES = (
    "r(?x, ?x) :- [?x, :p, ?x], FILTER(isIRI(?x)) .",
    "s(?x, ?n) :- [?x, :q, ?v], BIND(?v + 1 AS ?n) .",
    "[?x, :large, ?n] :- s(?x, ?n), FILTER(?n > 2) .",
    "t(?x) :- [?x, :p, ?y], NOT [?y, :p, ?x] .",
    "[?x, :count, ?n] :- AGGREGATE([?x, :p, ?y] ON ?x BIND COUNT(?y) AS ?n) .",
    "far(?x, 0) :- u(?x) . far(?y, ?c) :- near(?x, ?d), [?x, :p, ?y], BIND(?d + 1 AS ?c) ."
    " near(?y, ?d) :- AGGREGATE(far(?y, ?c) ON ?y BIND MIN(?c) AS ?d) .",
    'k(?x, ?b) :- [?x, :p, ?y], BIND(SKOLEM("room", ?x) AS ?b) .',
    "[?x, :p, ?z] :- [?x, :p, ?y], [?y, :p, ?z] .",
    "d(?x) :- DATA [?x, :p, ?y] .",
    "[?x, owl:sameAs, ?y] :- [?x, :same, ?y] .",
    "w(?x, ?y) :- u(?x), v(?x, ?y) .",
    "i(?x) :- [?y, :q, ?x], [?x, a, xsd:integer] .",
    "[?x, a, :C] :- u(?x) .",
    "[:C, rdfs:subClassOf, :E] :- u(?x) .",
    "@rule odd false :- t(?x), u(?x) .",
    "[?x, :q, ?m] :- [?x, :up, ?n], BIND(?n + 1 AS ?m) . [?x, :up, ?m] :- [?x, :up, ?n], BIND(?n + 1 AS ?m) .",
)
_AXIOMS = (
    ":C rdfs:subClassOf :D .",
    ":p rdfs:domain :C .",
    ":p rdfs:subPropertyOf :q .",
    ":q a owl:FunctionalProperty .",
    ":p owl:inverseOf :pp .",
    ":q rdfs:range xsd:integer .",
    ":C rdfs:subClassOf :only . :only a owl:Restriction ; owl:onProperty :p ; owl:hasValue :{0} .",
    ":D owl:oneOf :list . :list rdf:first :{0} ; rdf:rest rdf:nil .",
    ":o a owl:Ontology ; owl:imports <http://e/imported> .",
    ":C owl:equivalentClass :{0} .",
)
IMPORTED = (
    "<http://e/imported> a <http://www.w3.org/2002/07/owl#Ontology> . <http://e/{0}> <http://e/p> <http://e/new> ."
)
_UPDATES = (
    "INSERT DATA {{ {0} }} ; INSERT {{ ?y :p ?x }} WHERE {{ ?x :p ?y }}",
    "DELETE {{ ?x :q ?v }} INSERT {{ ?x :q 2 }} WHERE {{ ?x :q ?v }} ; DELETE DATA {{ {0} }}",
    "INSERT DATA {{ GRAPH :g {{ {0} }} }} ; INSERT {{ ?x :p :m }} WHERE {{ GRAPH :g {{ ?x ?p ?y }} }}",
    "DELETE WHERE {{ ?x :p :a }} ; INSERT {{ ?x :large 9 }} WHERE {{ ?x :large ?n }} ; INSERT DATA {{ {0} }}",
    "DELETE DATA {{ {0} }} ; INSERT {{ ?x :seen ?y }} WHERE {{ ?x :count ?y }} ; INSERT DATA {{ {0} }}",
)
_VALUES = ('"1"^^xsd:integer', '"01"^^xsd:integer', "1.0", '"x"', '"x"@en', "2", '"07"^^xsd:int', '"no"^^xsd:integer')


class _StopError(Exception):
    """Ends a transaction from within."""


class Edits(NamedTuple):
    """What a transaction does, as calls of its methods: the name of the method, and a text or the rows.

    A call of `update` is one of the graph, and the only one.
    """

    calls: tuple[tuple[str, Any], ...]

    def make(self, tx: Transaction) -> None:
        for name, given in self.calls:
            if name in ("insert", "delete"):
                relation, rows = given
                getattr(tx.relation(relation, len(rows[0])), name)(rows)
            elif name == "stumble":
                with contextlib.suppress(KgreasonError):
                    tx.add(given, prefixes=PREFIXES)
            elif name.endswith("rules"):
                getattr(tx, name)(HEADER + given)
            else:
                getattr(tx, name)(given, prefixes=PREFIXES)


class Draw:
    """Draws transactions."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._rules = random.sample(_RULES, random.randint(2, 7))
        self._are_axioms = random.random() < 0.6

    def edits(self, *, is_dud: bool) -> Edits:
        random = self._random
        if not is_dud and random.random() < 0.2:
            return Edits((("update", random.choice(_UPDATES).format(self._triple())),))
        calls = [self._call() for _ in range(random.randint(1, 5))]
        if random.random() < 0.6:  # first, as the first new terms get the ids that were given away before
            calls.insert(0, self._rule(is_added=True) if is_dud else self._fact(self._name(), is_added=True))
        if not is_dud and random.random() < 0.2:
            calls.insert(random.randrange(len(calls) + 1), ("stumble", f":{self._name()} :{self._name()} :x . :y :z"))
        return Edits(tuple(calls))

    def _call(self) -> tuple[str, Any]:
        random = self._random
        is_added, kind = random.random() < 0.7, random.random()
        if kind < 0.2:
            return self._rule(is_added=is_added or random.random() < 0.5)
        if kind < 0.45:
            return self._fact(random.choice(["u", "v", self._name()]), is_added=is_added)
        sign = "add" if is_added else "remove"
        if kind < 0.55 and self._are_axioms:
            return sign, random.choice(_AXIOMS).format(self._name())
        return sign, self._triple()

    def _rule(self, *, is_added: bool) -> tuple[str, Any]:
        return "add_rules" if is_added else "remove_rules", self._random.choice(self._rules)

    def _fact(self, relation: str, *, is_added: bool) -> tuple[str, Any]:
        row = tuple(f"http://e/{self._name()}" for _ in range(2 if relation == "v" else 1))
        return "insert" if is_added else "delete", (relation, [row])

    def _triple(self) -> str:
        random = self._random
        subject, object_ = f":{self._name()}", f":{self._name()}"
        return random.choice(
            [
                f"{subject} :p {object_} .",
                f"{subject} :p {subject} .",
                f"{subject} :q {random.choice(_VALUES)} .",
                f"{subject} :same {object_} .",
                f"{subject} owl:sameAs {object_} .",
                f"{subject} a :{random.choice('CDE')} .",
                f"{subject} :{self._name()} {random.choice(_VALUES)} .",
            ]
        )

    def _name(self) -> str:
        """One of a few names, or a name that is probably new."""
        random = self._random
        return random.choice("abc") if random.random() < 0.6 else f"n{random.randrange(100)}"


class Dud(NamedTuple):
    """A transaction that comes to nothing."""

    kind: str
    edits: Edits

    def make(self, graph: KnowledgeGraph) -> None:
        with contextlib.suppress(_StopError, KgreasonError):
            getattr(self, f"_{self.kind}")(graph)

    def _what_if(self, graph: KnowledgeGraph) -> None:
        with graph.what_if(reasons=len(self.edits.calls) % 2) as tx:
            self.edits.make(tx)
        tx.delta.to_patch()

    def _stop(self, graph: KnowledgeGraph) -> None:
        with graph.transaction() as tx:
            self.edits.make(tx)
            raise _StopError

    def _refuse(self, graph: KnowledgeGraph) -> None:
        """Be refused, as the graph refuses contradictions."""
        with graph.transaction() as tx:
            self.edits.make(tx)
            tx.add_rules(HEADER + NEVER).add(":fresh :never :more .", prefixes=PREFIXES)

    def _endless(self, graph: KnowledgeGraph) -> None:
        """Reach the limit of a recursion."""
        with graph.transaction() as tx:
            self.edits.make(tx)
            tx.add_rules(HEADER + "endless(?m) :- endless(?n), BIND(?n + 1 AS ?m) . endless(0) :- u(?x) .")
            tx.relation("u", 1).insert([("http://e/fresh",)])

    def _spend(self, graph: KnowledgeGraph) -> None:
        """Run out of the budget."""
        live = graph._committer()
        live.budget = 0
        try:
            with graph.transaction() as tx:
                self.edits.make(tx)
                tx.add_rules(HEADER + "[?x, :spent, ?y] :- [?x, :p, ?y], [?y, :p, ?z] .")
                tx.add(":fresh :p :fresh .", prefixes=PREFIXES)
        finally:
            live.budget = None

    def _update(self, graph: KnowledgeGraph) -> None:
        """Fail in the last operation of an update, after the others were tried."""
        update = "INSERT DATA { :fresh :p :m }; INSERT { ?x :p ?x } WHERE { ?x :p ?y }; LOAD <file:///missing.ttl>"
        graph.update(update, prefixes=PREFIXES)

    def _unwritten(self, graph: KnowledgeGraph) -> None:
        """Fail after the evaluation, as nothing can be written."""

        def fail(*_: object) -> None:
            raise StoreError("no space left")

        with pytest.MonkeyPatch.context() as patch:
            for name in ("commit", "commit_stage"):
                patch.setattr(graph._home, name, fail)
            with graph.transaction() as tx:
                self.edits.make(tx)


KINDS = ("what_if", "what_if", "stop", "refuse", "endless", "spend", "update", "unwritten")


def committed(graph: KnowledgeGraph, edits: Edits) -> Delta | str:
    """Commit the edits. Returns the delta, or the name of the error that refused them."""
    try:
        if edits.calls[0][0] == "update":
            return graph.update(edits.calls[0][1], prefixes=PREFIXES).delta
        with graph.transaction() as tx:
            edits.make(tx)
    except KgreasonError as error:
        return type(error).__name__
    return tx.delta


def content(delta: Delta) -> tuple[Any, ...]:
    """What a delta says, without the work."""
    return delta.commit, sorted(delta.to_patch().splitlines()), delta.rules, repr(delta)


def options(random: Random, folder: Path) -> dict[str, Any]:
    """Options of `KnowledgeGraph.open`, with a document that can be imported."""
    document = folder / "imported.ttl"
    document.write_text(IMPORTED.format(random.choice("abc")))
    rules = random.choice(["none", "rdfs", "owl2rl", "owl2rl"])
    return {
        "rules": rules,
        "schema": random.choice(["axioms", "axioms", "data"]),
        "same_as": random.choice(["aliases", "representatives", "rules"]),
        "on_contradiction": "refuse",
        "history": random.choice(["none", "all"]),
        "strategy": random.choice(["update", "bootstrap", "auto"]),
        "most_rounds": 12,
        "most_made_terms": 60,
        "catalogue": {"http://e/imported": document},
    }


READS: tuple[Callable[[KnowledgeGraph], object], ...] = (
    lambda graph: list(graph.relation("u", 1)),
    lambda graph: list(graph.match(None, "<http://e/q>", None)),
    lambda graph: graph.contradictions(),
    lambda graph: graph.warnings,
    lambda graph: graph.rules(costs=True),
    lambda graph: graph.stats(),
    lambda graph: list(graph.dump_relations()),
)
"""Questions after which a graph may remember something."""
