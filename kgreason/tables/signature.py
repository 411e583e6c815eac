"""The relations of a program by name. Files are named after relations, so each name has one arity.

All atoms of a program on tables are about relations, such as `edge(?x, ?y)`. Triple patterns and DATA are refused,
because they are about a graph: use `load` or `materialize` for them. Contradictions (`false :- ...`) are refused,
because there is no table to write them to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from kgreason.errors import InputError, RuleError
from kgreason.rules.model import DATA, FALSE, Atom, Relation, Rule, Variable, place_of
from kgreason.rules.program import Program
from kgreason.rules.relations.declarations import MADE_BY_RULES
from kgreason.tables.fields import BREAKS, field_of_constant


class Signature(NamedTuple):
    """The relations of a program, in the order of its text.

    `arities` has the arity of each relation that rules use. `heads` are the relations that rules derive. `declared` has
    the relations that `@relation` declares.
    """

    arities: dict[str, int]
    heads: tuple[str, ...]
    declared: Mapping[str, Relation] = MappingProxyType({})

    @property
    def derived_relations(self) -> tuple[str, ...]:
        """The relations that a rule derives, without those that are declared as internal."""
        return tuple(name for name in self.heads if name not in self.declared or self.declared[name].kind != "internal")

    def check(self, chosen: Iterable[str]) -> None:
        """Raise InputError if one of the relations `chosen` is not in the program."""
        for name in chosen:
            if name not in self.arities:
                known = ", ".join(sorted(self.arities)) or "none"
                raise InputError(f"the program has no relation {name}; its relations are {known}")

    def needs_file(self, name: str) -> bool:
        """Whether the facts of `name`, a relation that rules use, must come from a file."""
        relation = self.declared.get(name)
        return name not in self.heads and (relation is None or relation.kind not in MADE_BY_RULES)


def signature(program: Program, *, of_graph: bool = False) -> Signature:
    """Return the relations of a program.

    Raises RuleError, which names the rule, if a rule has a triple pattern, DATA or `false`, or if a relation occurs
    with two different numbers of terms. With `of_graph` the program is about a graph: its triple patterns, DATA and
    `false` are ignored.
    """
    arities: dict[str, int] = {}
    heads: dict[str, None] = {}
    declared = {rule.declares.name: rule.declares for rule in program.rules if rule.declares}
    for rule in program.rules:
        for atom in filter(_has_table, rule.atoms()) if of_graph else rule.atoms():
            relation = _relation_name(rule, atom)
            arity = arities.setdefault(relation, len(atom.terms))
            if arity != len(atom.terms):
                raise RuleError(f"{place_of(rule)}: {relation} has {len(atom.terms)} terms here, but {arity} before")
        heads |= dict.fromkeys(str(head.relation) for head in rule.heads if head.relation in arities)
    return Signature(arities, tuple(heads), declared)


def _has_table(atom: Atom) -> bool:
    return atom != FALSE and atom.relation not in (None, DATA)


def _relation_name(rule: Rule, atom: Atom) -> str:
    if atom == FALSE:
        raise RuleError(f"{place_of(rule)}: a program on tables cannot derive false")
    if atom.relation == DATA:
        raise RuleError(f"{place_of(rule)}: a program on tables has no asserted triples, so it cannot say DATA")
    if atom.relation is None:
        raise RuleError(f"{place_of(rule)}: a triple pattern has no table; write an atom such as edge(?x, ?y)")
    for term in atom.terms:
        if not isinstance(term, Variable) and BREAKS.search(field_of_constant(term)):
            raise RuleError(f"{place_of(rule)}: {term} has a tab or a line break; a field of a table cannot have one")
    return atom.relation
