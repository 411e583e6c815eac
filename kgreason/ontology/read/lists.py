"""RDF lists read from a schema, or the fault that breaks one.

A list is a chain of cells that ends in rdf:nil; each cell has exactly one rdf:first and one rdf:rest. Anything else (a
missing link, two links, a cycle) is a fault, which is reported and never repaired by a guess. Two links are a *fork*:
the tables have a list for each choice there. There may be very many choices, so forks are left to the generic rules,
which walk lists cell by cell. A list and a fault both name the cells that were visited. They depend on the triples of
these subjects alone; so an edit can find the axioms that it touches.

Cost: linear in the length of the list.
"""

from __future__ import annotations

from dataclasses import dataclass

from kgreason.ontology.read.schema import Schema
from kgreason.rules.model import Constant, Triple
from kgreason.terms.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST


@dataclass(frozen=True, slots=True)
class RdfList:
    """The members of a list in order, and the triples of its cells."""

    members: tuple[Constant, ...]
    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """The cell at which a list, or a rule made of lists, breaks, and why; `cells` are all cells visited."""

    cell: Constant
    problem: str
    cells: tuple[Constant, ...]
    is_fork: bool = False


def read_list(schema: Schema, head: Constant) -> RdfList | Fault:
    """The list that starts at `head`, or its fault; rdf:nil is the empty list."""
    members: list[Constant] = []
    triples: list[Triple] = []
    cells: dict[Constant, None] = {}
    cell = head
    while cell != RDF_NIL:
        problem = "the list runs in a circle" if cell in cells else _problem(schema, cell)
        cells[cell] = None
        if problem:
            return Fault(cell, problem, tuple(cells), is_fork=_is_fork(schema, cell))
        (member,) = schema.objects(cell, RDF_FIRST)
        (rest,) = schema.objects(cell, RDF_REST)
        members.append(member)
        triples += ((cell, RDF_FIRST, member), (cell, RDF_REST, rest))
        cell = rest
    return RdfList(tuple(members), tuple(triples))


def _is_fork(schema: Schema, cell: Constant) -> bool:
    """Whether a list goes on from a cell in more than one way."""
    counts = [len(schema.objects(cell, predicate)) for predicate in (RDF_FIRST, RDF_REST)]
    return min(counts) > 0 and max(counts) > 1


def _problem(schema: Schema, cell: Constant) -> str | None:
    """Why `cell` is not a list cell; None if it is one."""
    for name, predicate in (("rdf:first", RDF_FIRST), ("rdf:rest", RDF_REST)):
        if problem := unless_one(name, len(schema.objects(cell, predicate))):
            return problem
    return None


def unless_one(name: str, count: int) -> str | None:
    """What is wrong if there are `count` values instead of one; None if `count` is 1."""
    return None if count == 1 else f"{count} values of {name}" if count else f"{name} is missing"
