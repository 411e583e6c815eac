"""Read RDF lists from a schema, or find the fault in a list.

A list is a chain of cells that ends in rdf:nil; each cell has exactly one rdf:first and one rdf:rest. Anything else is
a *fault*: a cell without rdf:first or rdf:rest, a cell with several values of one of them, or a cycle. A fault is
reported and never repaired by a guess. A cell with several values is a *fork*: by the W3C tables, each choice of a
value gives a list. There may be very many choices, so forks are left to the generic rules, which walk along lists cell
by cell.

The result, a list or a fault, names all cells that were visited. It depends on the triples of these cells alone. So an
edit changes the list only if it changes a triple of one of these cells.

Cost: linear in the length of the list.
"""

from __future__ import annotations

from dataclasses import dataclass

from kgreason.ontology.read.schema import Schema
from kgreason.rules.model import Constant, Triple
from kgreason.terms import vocabulary as v


@dataclass(frozen=True, slots=True)
class RdfList:
    """The members of a list in order, and the triples of its cells."""

    members: tuple[Constant, ...]
    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a list or a SWRL rule cannot be read: the wrong cell or node (`cell`), and the problem in words.

    `cells` are all cells and nodes that were visited. `is_fork`: whether `cell` is a fork: it has rdf:first and
    rdf:rest, and more than one value of at least one of these two.
    """

    cell: Constant
    problem: str
    cells: tuple[Constant, ...]
    is_fork: bool = False


def read_list(schema: Schema, head: Constant) -> RdfList | Fault:
    """Read the list that starts at `head`. Returns the list or its fault; rdf:nil is the empty list."""
    members: list[Constant] = []
    triples: list[Triple] = []
    cells: dict[Constant, None] = {}
    cell = head
    while cell != v.RDF_NIL:
        firsts, rests = schema.objects(cell, v.RDF_FIRST), schema.objects(cell, v.RDF_REST)
        problem = problem_of_count("rdf:first", len(firsts)) or problem_of_count("rdf:rest", len(rests))
        problem = "the list runs in a circle" if cell in cells else problem
        cells[cell] = None
        if problem:
            counts = len(firsts), len(rests)
            return Fault(cell, problem, tuple(cells), is_fork=min(counts) > 0 and max(counts) > 1)
        (member,), (rest,) = firsts, rests
        members.append(member)
        triples += ((cell, v.RDF_FIRST, member), (cell, v.RDF_REST, rest))
        cell = rest
    return RdfList(tuple(members), tuple(triples))


def problem_of_count(name: str, count: int) -> str | None:
    """Return None if `count`, the number of values of `name`, is 1; else the problem in words."""
    return None if count == 1 else f"{count} values of {name}" if count else f"{name} is missing"
