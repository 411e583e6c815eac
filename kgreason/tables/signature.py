"""The relations of a program, by name: files are named after them, so a name has one arity.

A program of tables has n-ary atoms alone. Triple patterns are refused: they are about a graph, which `load` and
`materialize` reason over. So are contradictions (`false :- ...`), which have no table to go to.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kgreason.errors import RuleError
from kgreason.rules.model import FALSE, Atom, Rule, Variable
from kgreason.rules.program import Program
from kgreason.tables.fields import field

_BREAKS = re.compile(r"[\t\n\r]")


class Signature(NamedTuple):
    """The arity of each relation, and the relations that a rule derives, both in the order of the text."""

    arities: dict[str, int]
    heads: tuple[str, ...]


def signature(program: Program) -> Signature:
    """The relations of a program; raises RuleError, which names the rule, where it is not one of tables."""
    arities: dict[str, int] = {}
    heads: dict[str, None] = {}
    for rule in program.rules:
        for atom in (*rule.heads, *rule.body):
            relation = _relation(rule, atom)
            arity = arities.setdefault(relation, len(atom.terms))
            if arity != len(atom.terms):
                raise RuleError(f"rule {rule.name}: {relation} has {len(atom.terms)} terms here and {arity} before")
        heads |= dict.fromkeys(_relation(rule, head) for head in rule.heads)
    return Signature(arities, tuple(heads))


def _relation(rule: Rule, atom: Atom) -> str:
    if atom == FALSE:
        raise RuleError(f"rule {rule.name}: a program of tables cannot derive false")
    if atom.relation is None:
        raise RuleError(f"rule {rule.name}: a triple pattern; a program of tables has atoms such as edge(?x, ?y) alone")
    for term in atom.terms:
        if not isinstance(term, Variable) and _BREAKS.search(field(term)):
            raise RuleError(f"rule {rule.name}: {term} has a tab or a line break, which no field of a table can have")
    return atom.relation
