"""Parts: helper rules that take triple terms apart for other rules (`translation`).

A part is known by the name of the relation that it derives.

    [?x, :p, 1] :- part_0f3a..._1(?x, ?y) .                             the rule
    part_0f3a..._1(?x, ?y) :- [?y, :q, ?t], BIND(SUBJECT(?t) AS ?x) .   its part

If no rule reads the relation of a part, nobody sees the facts that the part derives. So a part is removed together with
the last rule that reads its relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgreason.rules.model import Atom, Rule

PART = "part_"
"""Begins the name of a part's relation: after it the digest of the rule, and the number of the part."""
_NAME = re.compile(rf"{PART}[0-9a-f]{{16}}_\d+")


def has_part_name(atom: Atom) -> bool:
    """Whether the relation of an atom has such a name as a part derives: `part_` with a digest and a number."""
    return _NAME.fullmatch(atom.relation or "") is not None


def is_part(rule: Rule) -> bool:
    """Whether a rule is a part: a helper rule that takes triple terms apart for another rule."""
    return len(rule.heads) == len(rule.body) == 1 and has_part_name(rule.heads[0])


def without_unread_parts(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules without those parts whose relations no rule reads."""
    rules = tuple(rules)
    read = {atom.relation for rule in rules for atom in rule.atoms_read()}
    return tuple(rule for rule in rules if not is_part(rule) or rule.heads[0].relation in read)
