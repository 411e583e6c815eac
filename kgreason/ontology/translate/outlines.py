"""`Outlines`: the rules of axioms that differ only in their terms, made from one of them.

    someValuesFrom of _:r1, :p, :C   ->  by the rows of the tables, then `normalise`
    someValuesFrom of _:r2, :q, :D   ->  the same rules with other terms

Two axioms have the same *outline* if they have the same kind and number of terms, and if their terms, together with the
terms that rows mention (`_MENTIONED`), have the same order and the same equalities. The canonical form of a rule looks
at nothing else of its constants. So the outline of an axiom and its terms give its rules.

Law: `Outlines.rules_of` gives the rules of `normalise(translate_axiom(axiom))`. Cost: a third of the rows and the
search for the canonical form; a dict of at most `_MOST` outlines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from kgreason.ontology.read.axioms import (
    Axiom,
    Characteristic,
    Collection,
    Maximum,
    NegativeAssertion,
    Pair,
    Restriction,
)
from kgreason.ontology.translate.lists import LONG
from kgreason.rules.model import Atom, Constant, Rule, Term, Variable
from kgreason.terms import vocabulary as v

Rules: TypeAlias = tuple[Rule, ...]
_MENTIONED = (v.RDF_TYPE, v.OWL_SAME_AS, v.OWL_THING)
_MOST = 4_096
_NAMES = tuple([Variable(f"v{number}") for number in range(40)][::-1])
"""v0 is the last, so that the numbers -1, -2, ... are the places of v0, v1, ..."""
_Atoms: TypeAlias = tuple[tuple[str | None, tuple[int, ...]], ...]
"""Relations, and the places of the terms among the sorted constants and `_NAMES`."""


class Outline(NamedTuple):
    """The rules of an axiom without its terms.

    `rules`: the name, the group, the heads and the body of each. `classes`: the places of the classes that it asks for.
    """

    rules: tuple[tuple[str, str, _Atoms, _Atoms], ...]
    classes: tuple[int, ...]


class Outlines:
    """The outlines of the axioms that were met so far. Several threads may use them.

    `rules_of` returns the canonical rules of an axiom by the rows, and the classes that it asks for.
    """

    def __init__(self, rules_of: Callable[[Axiom], tuple[Rules, set[Constant]]]) -> None:
        self._rules_of = rules_of
        self._known: dict[tuple[object, ...], Outline] = {}

    def rules_of(self, axiom: Axiom) -> tuple[Callable[[], Rules], set[Constant]]:
        """Return a function that makes the canonical rules of an axiom, and the classes that it asks for."""
        terms = _terms(axiom)
        if terms is None:
            rules, classes = self._rules_of(axiom)
            return lambda: rules, classes
        constants = sorted({*_MENTIONED, *terms})
        numbers: dict[Term, int] = {constant: number for number, constant in enumerate(constants)}
        limit = axiom.limit if isinstance(axiom, Maximum) else None
        places = [numbers[term] for term in (*_MENTIONED, *terms)]
        key = (axiom.kind, limit, bisect_left(constants, "?"), *places)
        outline = self._known.get(key)
        if outline is None:
            rules, classes = self._rules_of(axiom)
            is_ordered = axiom.kind == v.OWL_INTERSECTION_OF and len(rules) > 1
            if not is_ordered and all(rule.sources is axiom.sources for rule in rules):
                if len(self._known) >= _MOST:
                    self._known.clear()
                self._known[key] = _outline(rules, classes, numbers)
            return lambda: rules, classes
        return lambda: _rules_of_outline(outline, constants, axiom), {constants[number] for number in outline.classes}


def _terms(axiom: Axiom) -> Sequence[Constant] | None:
    """Return all terms of an axiom whose rules have an outline; None for any other axiom."""
    match axiom:
        case Restriction():
            return axiom.node, axiom.property_, axiom.filler
        case Pair():
            return axiom.left, axiom.right
        case Collection(kind=v.OWL_INTERSECTION_OF) if len(axiom.members) <= LONG:
            return axiom.node, *sorted(axiom.members)  # a rule with all members does not depend on their order
        case Collection() if len(axiom.members) <= LONG:
            return axiom.node, *axiom.members
        case Maximum():
            return axiom.node, axiom.property_, axiom.on_class or ""
        case Characteristic():
            return (axiom.property_,)
        case NegativeAssertion():
            return axiom.node, *axiom.denied
        case _:
            return None


def _outline(rules: Rules, classes: set[Constant], numbers: dict[Term, int]) -> Outline:
    numbers |= {name: number - len(_NAMES) for number, name in enumerate(_NAMES)}

    def places(atoms: tuple[Atom, ...]) -> _Atoms:
        return tuple([(atom.relation, tuple([numbers[term] for term in atom.terms])) for atom in atoms])

    made = [(rule.name, rule.group, places(rule.heads), places(rule.body)) for rule in rules]
    return Outline(tuple(made), tuple([numbers[class_] for class_ in classes]))


def _rules_of_outline(outline: Outline, constants: Sequence[Constant], axiom: Axiom) -> Rules:
    terms: tuple[Term, ...] = (*constants, *_NAMES)

    def atoms(places: _Atoms) -> tuple[Atom, ...]:
        return tuple([Atom(relation, tuple([terms[number] for number in numbers])) for relation, numbers in places])

    return tuple(
        [Rule(atoms(heads), atoms(body), name, group, axiom.sources) for name, group, heads, body in outline.rules]
    )
