"""Check that rules keep to the declarations (`@relation`) of relations: number of columns, types, and kind.

Cost: one pass over all atoms, if a relation is declared; one over the expressions of all rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgreason.errors import RuleError
from kgreason.functions.registry import Find
from kgreason.rules.model import Relation, Rule, Variable, place_of
from kgreason.rules.relations.types import never_fits

MADE_BY_RULES = ("derived", "internal")
"""The kinds of relations whose facts nobody may assert."""


def declaration_of(rules: Iterable[Rule], name: str) -> Relation | None:
    """Return the declaration of a relation, or None if no rule declares the relation."""
    return next((rule.declares for rule in rules if rule.declares and rule.declares.name == name), None)


def columns_of(relation: Relation | None, arity: int) -> tuple[str, ...]:
    """Return the names of the columns of a relation with `arity` columns.

    They are the declared names, or column1, column2, ... if `relation` declares no relation of this width.
    """
    if relation is not None and len(relation.columns) == arity:
        return tuple(column.name for column in relation.columns)
    return tuple(f"column{place}" for place in range(1, arity + 1))


def is_internal(name: str, rules: Iterable[Rule]) -> bool:
    """Whether one of the rules declares the relation `name` as internal."""
    relation = declaration_of(rules, name)
    return relation is not None and relation.kind == "internal"


def arities_of(rules: Iterable[Rule], name: str) -> set[int]:
    """Return the numbers of terms that atoms of the relation `name` have. If all atoms agree, there is one number."""
    return {len(atom.terms) for rule in rules for atom in rule.atoms() if atom.relation == name}


def misfit(relation: Relation, places: Sequence[str | None], *, is_derived: bool) -> str | None:
    """Return what is wrong with an atom of a declared relation, or None if nothing is wrong.

    `places` has the terms of the atom, with None in place of each variable. `is_derived` says that the atom is a head
    of a rule with a body.
    """
    name, wanted, count = relation.name, len(relation.columns), len(places)
    if count != wanted:
        columns = ", ".join(column.name for column in relation.columns)
        return f"{name} has {count} {'place' if count == 1 else 'places'} here, but it is declared as {name}({columns})"
    if is_derived and relation.kind == "input":
        return f"{name} is declared as an input, so no rule may derive it"
    from kgreason.datatypes.column import misfit as why_unfit  # imported only when a declaration is checked

    for column, constant in zip(relation.columns, places, strict=True):
        if constant is not None and (problem := why_unfit(constant, column.type)):
            return f"{name}, column {column.name}: {constant}: {problem}"
    return None


def check_declared(rules: Iterable[Rule], find: Find | None = None, others: Iterable[Rule] = ()) -> None:
    """Raise RuleError if two declarations of a relation differ, or a rule does not fit a declaration.

    `find` finds the signatures of Python functions, whose types must fit as well; with None they are not checked.
    `others`: rules that fit each other already. They are checked only if one of `rules` is a declaration.
    """
    rules, others = tuple(rules), tuple(others)
    known: dict[str, Relation] = {}
    for rule in (*others, *rules):
        if rule.declares and known.setdefault(rule.declares.name, rule.declares) != rule.declares:
            raise RuleError(f"{rule.declares.name} is declared already, with other columns or another key")
    if not known and find is None:
        return
    are_declared = any(rule.declares for rule in rules)
    for rule in (*others, *rules) if are_declared else rules:
        for place, atom in enumerate(rule.atoms() if known else ()):
            relation = known.get(atom.relation or "")
            is_derived = place < len(rule.heads) and not (rule.is_positive and not rule.body)
            constants = [None if isinstance(term, Variable) else term for term in atom.terms]
            if relation and (problem := misfit(relation, constants, is_derived=is_derived)):
                raise RuleError(f"{place_of(rule)}: {problem}")
        if problem := never_fits(rule, known, find):
            raise RuleError(f"{place_of(rule)}: {problem}")
