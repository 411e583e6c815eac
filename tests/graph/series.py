"""A series of commits of every kind, and what the graph shows after each of them.

Commits are small enough for the journal, or large enough for a snapshot (more than `SMALL` rows), and make checkpoints
due every few commits. A SPARQL update of several operations is one commit.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from kgreason.graph import commits
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rules.formatter import format_program
from kgreason.rules.program import Program
from kgreason.store.homes import disk

from .views import View, lasting, view

SMALL = 60
ROUNDS = 4
PREFIX = """@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
Part: TypeAlias = Callable[[KnowledgeGraph], object]


class Step(NamedTuple):
    """One call of the graph, which makes all of its parts; each of them alone is one commit."""

    name: str
    parts: tuple[Part, ...]
    whole: Part


def _edit(
    name: str,
    *,
    removed: str = "",
    added: str = "",
    lines: str = "",
    rules: str = "",
    rules_removed: tuple[str, ...] = (),
) -> Step:
    """A transaction: texts in Turtle or TriG, lines of N-Quads, rules as text or by name."""

    def commit(graph: KnowledgeGraph) -> None:
        with graph.transaction() as tx:
            tx.remove(PREFIX + removed).add(PREFIX + added).add_lines(lines.encode())
            for text in rules_removed:
                tx.remove_rules(PREFIX + text if ":-" in text else text)
            tx.add_rules(PREFIX + rules)

    return Step(name, (commit,), commit)


def _update(name: str, *operations: str) -> Step:
    """A SPARQL update."""

    def commit(graph: KnowledgeGraph) -> None:
        graph.update("PREFIX : <http://e/> " + " ; ".join(operations))

    return Step(name, (commit,), commit)


def _round(n: int) -> list[Step]:
    """Commits of every kind, which leave some of what they made to the next round."""
    m, p, q = f"_:m{n}", "<http://e/p>", "<http://e/q>"
    many = "".join(f":x{n} :p :y{n}_{i} . :y{n}_{i} a :A{n} .\n" for i in range(SMALL))
    shown = "[?x, :s, ?x] :- hub(?x) ."
    return [
        _edit("an axiom and facts", added=f":A{n} rdfs:subClassOf :B{n} . :p rdfs:domain :A{n} . :x{n} :p :y{n} ."),
        _edit("a fact", added=f":y{n} :p :z{n} ."),
        _edit("a transitive property", added=":p a owl:TransitiveProperty ."),
        _edit("blank nodes", lines=f"<http://e/x{n}> {p} {m} .\n{m} {q} {m} <http://e/g> .\n_:k {p} {m} .\n"),
        _edit(
            "rules", rules=f"@rule conv{n} [?y, :q{n}, ?x] :- [?x, :p, ?y] . @rule r{n} hub(?x) :- [?x, :q{n}, ?y] ."
        ),
        _update("a SPARQL update", f"DELETE {{ ?x :p :z{n} }} INSERT {{ ?x :r ?x }} WHERE {{ ?x :p :z{n} ; a :B{n} }}"),
        _edit("many facts", added=many),
        _edit("spellings", added=f':x{n} :n "01"^^xsd:integer, 1, "+1"^^xsd:integer .'),
        _edit("named graphs", added=f":g{n} {{ :x{n} :p :y{n} . :w{n} :p :x{n} }}", removed=f":x{n} :p :y{n} ."),
        _edit("a rule for another", rules=shown, rules_removed=() if n % 2 else (f"conv{n}",)),
        _update(
            "an update of three commits",
            f"INSERT DATA {{ :u{n} :p :x{n} }}",
            f"INSERT {{ ?x a :U{n} }} WHERE {{ :u{n} :p ?x }}",
            f"DELETE WHERE {{ ?x a :U{n} ; :p :y{n}_1 }}",
        ),
        _edit("a spelling goes", removed=f':x{n} :n "01"^^xsd:integer .'),
        _edit("no transitive property", removed=":p a owl:TransitiveProperty ."),
        _edit(
            "everything at once",
            removed=f":A{n} rdfs:subClassOf :B{n} .",
            added=f":A{n} rdfs:subClassOf :C{n} . :g {{ :v{n} a :A{n} }}",
            rules=f"[?x, a, :H] :- [?x, :r, ?x], [?x, a, :C{n}] .",
            rules_removed=(f"r{n}", shown),
        ),
        _edit("many facts go", removed=many),
    ]


SERIES = [step for n in range(ROUNDS) for step in _round(n)]
ENDS = list(accumulate(len(step.parts) for step in SERIES))
"""The number of the last commit of each step."""


def often() -> None:
    """Have deltas go the bulk way, and checkpoints be due, in this process."""
    for owner, name, value in (
        (commits, "SMALL", SMALL),
        (disk, "_SMALLEST", 1_000),
        (disk, "_SHARE", 1 << 40),
    ):
        setattr(owner, name, value)


def states() -> list[View]:
    """What the graph shows after each commit, from none on; after each round that is what it shows from scratch."""
    with KnowledgeGraph.open() as graph:
        found = [lasting(view(graph))]
        for step in SERIES:
            for part in step.parts:
                part(graph)
                found.append(lasting(view(graph)))
                assert graph._home.last == len(found) - 1
            if step.name == SERIES[-1].name:
                assert from_scratch(graph) == found[-1]
    return found


def from_scratch(graph: KnowledgeGraph) -> View:
    """What another graph shows that is given the same asserted quads and rules at once."""
    with KnowledgeGraph.open() as fresh:
        with fresh.transaction() as tx:
            tx.add_lines(b"".join(graph.dump(asserted=True, graphs=True)))
            tx.add_rules(format_program(Program(graph._committer().materializer.own)))
        return lasting(view(fresh))
