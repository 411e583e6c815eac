"""Random histories of data, axioms and shapes: each commit adds and removes some of each.

Shapes are edited by their statements: all values of one predicate of one shape come or go together, so the shapes graph
stays well-formed. Paths and queries of shapes stay from the first commit on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from random import Random
from typing import NamedTuple

from kgreason import KnowledgeGraph
from kgreason.graph.transaction import Transaction
from tests.oracle.shacl.drawn import CLASSES, LITERALS, PREDICATES, PREFIXES, Knobs, Shapes, triple

_OTHER_SPELLINGS = {'"01"^^xsd:integer', "2.0", '"1"^^xsd:boolean', '"2024-05-01T14:00:00+02:00"^^xsd:dateTime'}
ONE_SPELLING = tuple(each for each in LITERALS if each not in _OTHER_SPELLINGS)
"""Literals of different values: the materialized graph has a value once for all its spellings."""

_OWL = "<http://www.w3.org/2002/07/owl#"


class Statements(NamedTuple):
    """All statements of a shape with one predicate."""

    shape: str
    predicate: str
    lines: tuple[str, ...]

    @property
    def stays(self) -> bool:
        """Whether a shapes graph without them may be ill-formed."""
        may_go = self.predicate in ("sh:condition", "sh:order", "sh:deactivated")
        is_of_a_rule = self.shape.endswith("-rule") and not may_go
        return self.predicate == "sh:path" or self.shape.endswith("-select") or is_of_a_rule


class Commit(NamedTuple):
    """What one commit adds and removes."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    shapes_added: tuple[Statements, ...]
    shapes_removed: tuple[Statements, ...]

    def make(self, transaction: Transaction) -> None:
        """Make the edits of this commit in a transaction."""
        transaction.remove(PREFIXES + "\n".join(self.removed))
        transaction.add(PREFIXES + "\n".join(self.added))
        for each in self.shapes_removed:
            gone = [
                found for found in transaction.shapes.triples() if found[:2] == (_iri(each.shape), _iri(each.predicate))
            ]
            transaction.shapes.remove("".join(f"{' '.join(found)} .\n" for found in gone))
        lines = [line for each in self.shapes_added for line in each.lines]
        transaction.shapes.add(PREFIXES + "\n".join(lines))


def history(
    drawn: Random, commits: int, knobs: Knobs, shapes: Callable[[Random, Knobs], list[str]] | None = None
) -> Iterator[Commit]:
    """Draw the commits of a history. `shapes` draws the statements of all its shapes."""
    every = sorted(shapes(drawn, knobs) if shapes else Shapes(drawn, knobs).statements(), key=_key)
    groups = [Statements(*key, tuple(lines)) for key, lines in groupby(every, _key)]
    present, data = set[Statements](), set[str]()
    for number in range(commits):
        share = 0.7 if number == 0 else 0.2
        toggled = [each for each in groups if (number == 0 if each.stays else drawn.random() < share)]
        come, gone = [e for e in toggled if e not in present], [e for e in toggled if e in present]
        present ^= set(toggled)
        removed = tuple(each for each in sorted(data) if drawn.random() < 0.25)
        added = dict.fromkeys(
            (axiom(drawn) if drawn.random() < 0.2 else triple(drawn, knobs))
            for _ in range(drawn.randint(0, knobs.triples // (1 + (number > 0))))
        )
        data = data.difference(removed).union(added)
        yield Commit(tuple(added), removed, tuple(come), tuple(gone))


def axiom(drawn: Random) -> str:
    """Draw an axiom of RDFS or OWL."""
    one, two = drawn.choice(PREDICATES), drawn.choice(PREDICATES)
    return drawn.choice(
        (
            f"{one} rdfs:subPropertyOf {two} .",
            f"{one} rdfs:domain {drawn.choice(CLASSES)} .",
            f"{one} rdfs:range {drawn.choice(CLASSES)} .",
            f"{drawn.choice(CLASSES)} rdfs:subClassOf {drawn.choice(CLASSES)} .",
            f"{one} {_OWL}inverseOf> {two} .",
            f"{one} a {_OWL}TransitiveProperty> .",
            f"{one} a {_OWL}SymmetricProperty> .",
        )
    )


def _key(line: str) -> tuple[str, str]:
    shape, predicate, *_ = line.split(" ", 2)
    return shape, predicate


def _iri(name: str) -> str:
    spaces = {
        "": "http://e/",
        "sh": "http://www.w3.org/ns/shacl#",
    }
    prefix, local = name.split(":") if name != "a" else ("", "")
    return f"<{spaces[prefix]}{local}>" if name != "a" else "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def follow(graph: KnowledgeGraph, commits: Iterator[Commit], check: Callable[[KnowledgeGraph], object]) -> None:
    """Make the commits of a history, with a check after each."""
    for commit in commits:
        with graph.transaction() as transaction:
            commit.make(transaction)
        check(graph)
