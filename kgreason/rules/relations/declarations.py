"""Check that rules keep to the declarations (`@relation`) of relations: number of columns, types, and kind.

`impossible_variable` finds variables whose types never fit: no term can be at all places of the rule where the variable
stands.

    @relation age(of, years: xsd:integer) .  @relation born(of, day: xsd:date) .
    born(?x, ?y) :- age(?x, ?y) .                 no value is an xsd:integer and an xsd:date

The types come from the columns of declared relations, and from the parameters and the result of Python functions. Law:
a rule with such a variable derives nothing that fits its declarations, whatever the data are. Types that share some
values fit: xsd:decimal and xsd:byte. The places under NOT count too. A NOT whose types never fit always holds, which
nobody means.

Cost: one pass over all atoms, if a relation is declared; one over the expressions of all rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kgreason.errors import RuleError
from kgreason.functions.registry import Find
from kgreason.functions.signature import Kinds
from kgreason.rules.expressions import call_of
from kgreason.rules.formatter import format_term
from kgreason.rules.model import Computed, Relation, Rule, Variable, place_of
from kgreason.terms import vocabulary as v

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
        if problem := impossible_variable(rule, known, find):
            raise RuleError(f"{place_of(rule)}: {problem}")


_PREFIXES = {"xsd": "http://www.w3.org/2001/XMLSchema#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
_RESOURCE, _LITERAL = v.RDFS_RESOURCE, v.RDFS_LITERAL
_OF_KIND: dict[str, tuple[str, ...]] = {
    "str": (v.XSD_STRING, v.RDF_LANG_STRING, v.RDF_DIR_LANG_STRING),
    "int": (v.XSD_INTEGER,),
    "Decimal": (v.XSD_DECIMAL,),
    "float": (v.XSD_DOUBLE, v.XSD_FLOAT, v.XSD_DECIMAL),
    "bool": (v.XSD_BOOLEAN,),
    "datetime": (v.XSD_DATE_TIME,),
    "date": (v.XSD_DATE,),
    "NamedNode": (_RESOURCE,),
    "BlankNode": (_RESOURCE,),
    "Literal": (_LITERAL,),
}
"""The types of the terms that a parameter of a Python type takes. A triple term is of no type here."""

_Place = tuple[Variable, tuple[str, ...], str]
"""A variable, the types that its terms may have at a place, and words for the place."""


def impossible_variable(rule: Rule, known: Mapping[str, Relation], find: Find | None = None) -> str | None:
    """Return a text about a variable of a rule whose places exclude every term. None if the rule has no such variable.

    `known` has the declared relations by name, and `find` finds the signatures of Python functions.
    """
    seen: dict[Variable, list[tuple[tuple[str, ...], str]]] = {}
    for variable, types, place in _places(rule, known, find):
        for others, other in seen.setdefault(variable, []):
            if all(_are_disjoint(one, another) for one in types for another in others):
                return f"{variable} is in {other} and in {place}: no term is of both types"
        seen[variable].append((types, place))
    return None


def _places(rule: Rule, known: Mapping[str, Relation], find: Find | None) -> Iterator[_Place]:
    for atom in (*rule.atoms_read(), *rule.heads):
        relation = known.get(atom.relation or "")
        if relation is None or len(relation.columns) != len(atom.terms):
            continue
        for column, term in zip(relation.columns, atom.terms, strict=True):
            if column.type and isinstance(term, Variable):
                yield term, (column.type,), f"column {column.name} of {relation.name} ({_type_text(column.type)})"
    if find is not None:
        inside = (computed for aggregate in rule.aggregates for computed in aggregate.computed)
        for computed in (*rule.expressions(), *inside):
            yield from _call_places(computed, find)


def _call_places(computed: Computed, find: Find) -> Iterator[_Place]:
    call = call_of(computed)
    signature = find(call.name) if call else None
    if call is None or signature is None:
        return
    for place, (argument, kinds) in enumerate(zip(call.arguments, signature.parameters, strict=False), 1):
        if isinstance(argument, Variable) and (types := _types(kinds)):
            yield argument, types, f"argument {place} of {signature}"
    if computed.result and (types := _types(signature.result)):
        yield computed.result, types, f"the result of {signature}"


def _types(kinds: Kinds) -> tuple[str, ...]:
    """Return the types of the terms that a union of Python types takes; () if they may be any."""
    if not all(kind in _OF_KIND for kind in kinds):
        return ()
    return tuple(type_ for kind in kinds for type_ in _OF_KIND[kind])


def _type_text(type_: str) -> str:
    return format_term(type_, _PREFIXES)


def _are_disjoint(one: str, other: str) -> bool:
    """Whether no term is of both types. Of a datatype that kgreason does not know are the literals that name it."""
    from kgreason.datatypes.datatype_map import DATATYPE_MAP  # imported only when two typed places meet
    from kgreason.datatypes.hierarchy import are_disjoint

    if one == other:
        return False
    if _RESOURCE in (one, other):
        return True
    if _LITERAL in (one, other):
        return False
    return are_disjoint(one, other) if one in DATATYPE_MAP and other in DATATYPE_MAP else True
