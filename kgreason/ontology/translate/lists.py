"""The rows of OWL 2 RL/RDF that read a list, in the order of the tables (OWL 2 Profiles, section 4.3).

A list of up to `LONG` members gives the rules of the table as they are: a rule with a body atom for each member, or a
rule for each pair of members. For a longer list both would cost the square of its length. So its rules walk along the
list, with the relations of rulesets/owl2rl.dl and with the same meaning:

    cls-int1, prp-spo2, prp-key    list_all, list_path, list_shared: a rule for each `_PART` cells, from the end
    prp-adp, cax-adc               list_holds, list_held: a rule for each member says which cells hold something
    eq-diff2, eq-diff3             no rule

The generic rules compare the members of such a list in pairs (`generic.needed_rules.rules_reading_lists`); `WALKED`
has the kinds of these axioms. A rule for one member of a long list names the triples that lead to the list and the cell
of this member, but not the other cells: otherwise n rules would name n cells each.

Law: the facts are those of the rules of the table. Cost: rules, atoms and sources in proportion to the length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise

from kgreason.ontology.read.axioms import Collection
from kgreason.ontology.read.rows import X, Y, equality_rules, rule
from kgreason.rules.model import FALSE, Atom, Constant, Rule, Term, Triple, Variable, triple, type_atom
from kgreason.terms import vocabulary as v

LONG = 16
"""A list with more members is long."""
_LONG_KEY = 13
"""A key with more properties is long: the fact of a contradiction has no room for the variables and properties of one
rule. It has at most 32 columns; these are the relation, the name of the rule, two individuals, a class, and two columns
for each property."""
_PART = 5
"""So many members a rule reads that walks along a list. With the cell after them the rule has 6 atoms, which the engine
joins in any order (`engine.program.shapes`)."""
_PART_OF_KEY = 2
"""The same for a key, where a rule has two atoms for each member, and at the end of the list two atoms more."""

WALKED = frozenset(
    [v.OWL_ALL_DIFFERENT, v.OWL_DISTINCT_MEMBERS, v.OWL_ALL_DISJOINT_PROPERTIES, v.OWL_ALL_DISJOINT_CLASSES]
)
"""The kinds of axioms whose long lists are read by generic rules."""


def is_walked(axiom: Collection) -> bool:
    """Whether generic rules read the list of an axiom, because the list is long."""
    return axiom.kind in WALKED and len(axiom.members) > LONG


# Table 4: the semantics of equality


def eq_diff2(axiom: Collection) -> Iterator[Rule]:
    """No two members of an owl:AllDifferent are the same, if its list is given by owl:members."""
    return _all_different("eq-diff2", axiom)


def eq_diff3(axiom: Collection) -> Iterator[Rule]:
    """No two members of an owl:AllDifferent are the same, if its list is given by owl:distinctMembers."""
    return _all_different("eq-diff3", axiom)


def _all_different(name: str, axiom: Collection) -> Iterator[Rule]:
    for left, right in _pairs(axiom):
        yield rule(name, axiom, FALSE, triple(left, v.OWL_SAME_AS, right))


# Table 5: the semantics of axioms about properties


def prp_spo2(axiom: Collection) -> Iterator[Rule]:
    """For a chain p1, .., pn of a property p: if p1 relates u1 to u2, .., and pn relates un to z, p relates u1 to z."""

    def steps(members: Sequence[Constant]) -> tuple[Atom, ...]:
        return tuple(triple(one, p, other) for (one, other), p in zip(pairwise(_STOPS), members, strict=False))

    if len(axiom.members) <= LONG:
        body = steps(axiom.members)
        yield rule("prp-spo2", axiom, triple(_STOPS[0], axiom.node, body[-1].terms[2]), *body)
        return
    for cell, members, after, sources in _parts(axiom, _PART):
        body = steps(members)
        end = body[-1].terms[2]
        rest = (Atom("list_path", (after, end, _END)),) if after else ()
        head = Atom("list_path", (cell, _STOPS[0], _END if after else end))
        yield rule("prp-spo2-next" if after else "prp-spo2-last", axiom, head, *body, *rest, sources=sources)
    whole = Atom("list_path", (_first_cell(axiom), X, Y))
    yield rule("prp-spo2", axiom, triple(X, axiom.node, Y), whole, sources=axiom.link)


_STOPS = [Variable(f"u{number}") for number in range(1, LONG + 2)]
_END = Variable("z")


def prp_adp(axiom: Collection) -> Iterator[Rule]:
    """No two members of an owl:AllDisjointProperties relate the same subject to the same object."""
    for left, right in _pairs(axiom):
        yield rule("prp-adp", axiom, FALSE, triple(X, left, Y), triple(X, right, Y))
    yield from _rules_of_long_list(
        "prp-adp-holds", axiom, lambda cell: Atom("list_holds", (cell, X, Y)), _property_atom
    )


def _property_atom(property_: Constant) -> Atom:
    return triple(X, property_, Y)


def prp_key(axiom: Collection) -> Iterator[Rule]:
    """Instances of a class that have equal values of all properties of its key are the same.

    A second rule derives `false` if two such instances are literals with different values.
    """
    typed = (type_atom(X, axiom.node), type_atom(Y, axiom.node))

    def agree(members: Sequence[Constant]) -> Iterator[Atom]:
        values = ((p, Variable(f"z{number}")) for number, p in enumerate(members, 1))
        return (triple(one, p, value) for p, value in values for one in (X, Y))

    if len(axiom.members) <= _LONG_KEY:
        yield from equality_rules("prp-key", axiom, (X, Y), *typed, *agree(axiom.members))
        return
    for cell, members, after, sources in _parts(axiom, _PART_OF_KEY):
        rest = (Atom("list_shared", (after, X, Y)),) if after else typed
        name = "prp-key-next" if after else "prp-key-last"
        yield rule(name, axiom, Atom("list_shared", (cell, X, Y)), *rest, *agree(members), sources=sources)
    whole = Atom("list_shared", (_first_cell(axiom), X, Y))
    yield from equality_rules("prp-key", axiom, (X, Y), *typed, whole, sources=axiom.link)


# Table 6: the semantics of classes


def cls_int1(axiom: Collection) -> Iterator[Rule]:
    """A thing that is in all classes of an intersection is in the intersection."""
    if len(axiom.members) <= LONG:
        yield rule("cls-int1", axiom, type_atom(Y, axiom.node), *(type_atom(Y, member) for member in axiom.members))
        return
    for cell, members, after, sources in _parts(axiom, _PART):
        body = [*(type_atom(Y, member) for member in members), *([Atom("list_all", (after, Y))] if after else [])]
        name = "cls-int1-next" if after else "cls-int1-last"
        yield rule(name, axiom, Atom("list_all", (cell, Y)), *body, sources=sources)
    yield rule(
        "cls-int1", axiom, type_atom(Y, axiom.node), Atom("list_all", (_first_cell(axiom), Y)), sources=axiom.link
    )


def cls_int2(axiom: Collection) -> Iterator[Rule]:
    """A thing that is in an intersection is in each of its classes."""
    for member, sources in _members(axiom):
        yield rule("cls-int2", axiom, type_atom(Y, member), type_atom(Y, axiom.node), sources=sources)


def cls_uni(axiom: Collection) -> Iterator[Rule]:
    """A thing that is in one class of a union is in the union."""
    for member, sources in _members(axiom):
        yield rule("cls-uni", axiom, type_atom(Y, axiom.node), type_atom(Y, member), sources=sources)


def cls_oo(axiom: Collection) -> Iterator[Rule]:
    """Each member of an enumeration (owl:oneOf) is an instance of it: rules without a body."""
    for member, sources in _members(axiom):
        yield rule("cls-oo", axiom, type_atom(member, axiom.node), sources=sources)


# Table 7: the semantics of class axioms


def cax_adc(axiom: Collection) -> Iterator[Rule]:
    """Nothing is in two members of an owl:AllDisjointClasses."""
    for left, right in _pairs(axiom):
        yield rule("cax-adc", axiom, FALSE, type_atom(X, left), type_atom(X, right))
    yield from _rules_of_long_list("cax-adc-held", axiom, lambda cell: Atom("list_held", (cell, X)), _instance_atom)


def _instance_atom(class_: Constant) -> Atom:
    return type_atom(X, class_)


# Lists


def _pairs(axiom: Collection) -> Iterator[tuple[Constant, Constant]]:
    """Return all pairs of members of a list that is not long; no pair of a long list."""
    return combinations(axiom.members if len(axiom.members) <= LONG else (), 2)


def _members(axiom: Collection) -> Iterator[tuple[Constant, tuple[Triple, ...]]]:
    """Yield each member of a list, with the sources of a rule for this member."""
    for number, member in enumerate(axiom.members):
        is_short = len(axiom.members) <= LONG
        yield member, axiom.sources if is_short else (*axiom.link, axiom.cells(number, number + 1)[0])


def _rules_of_long_list(
    name: str, axiom: Collection, head: Callable[[Term], Atom], body: Callable[[Constant], Atom]
) -> Iterator[Rule]:
    """Yield a rule `head(cell) :- body(member)` for each cell of a long list; nothing for another list."""
    for member, sources in _members(axiom) if len(axiom.members) > LONG else ():
        yield rule(name, axiom, head(sources[-1][0]), body(member), sources=sources)


def _parts(
    axiom: Collection, size: int
) -> Iterator[tuple[Constant, Sequence[Constant], Constant | None, tuple[Triple, ...]]]:
    """Divide a list into parts of `size` members.

    Yields for each part its first cell, its members, the first cell of the next part (None at the end), and the sources
    of a rule for this part.
    """
    for first in range(0, len(axiom.members), size):
        cells = axiom.cells(first, first + size)
        after = axiom.cells(first + size, first + size + 1)
        yield cells[0][0], axiom.members[first : first + size], after[0][0] if after else None, (*axiom.link, *cells)


def _first_cell(axiom: Collection) -> Constant:
    """Return the first cell of a list."""
    return axiom.link[-1][2]
