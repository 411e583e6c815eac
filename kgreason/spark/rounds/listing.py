"""A placement as text: `lines_of`.

    everywhere
        [?1, rdf:first, ?2]
    by ?1
        [?1, a, :Person]
    divided
        join1(?v0, ?v2) :- [?v0, :parent, ?v1], [?v1, :parent, ?v2] .
        [?x, :grandparent, ?z] :- join1(?x, ?z) .
    in the first part alone
        ...

Patterns that no line names have all their facts at their homes alone: no rule joins them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from kgreason.rules.formatter import format_atom, format_rule
from kgreason.rules.model import Atom, Rule, Variable
from kgreason.spark.rounds.division import is_hidden
from kgreason.spark.rounds.placement import TOGETHER, PatternPlace, Placement


def lines_of(placement: Placement, prefixes: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a placement. `prefixes` (prefix -> namespace) abbreviate IRIs."""
    divided = [rule for rule in placement.rules if any(map(is_hidden, (*rule.heads, *rule.body)))]
    hidden = {head.relation: f"join{n}" for n, rule in enumerate(divided, 1) for head in filter(is_hidden, rule.heads)}

    def short(atom: Atom) -> Atom:
        return atom._replace(relation=hidden.get(atom.relation, atom.relation))

    def text(rule: Rule) -> str:
        return format_rule(
            replace(rule, heads=tuple(map(short, rule.heads)), body=tuple(map(short, rule.body))), prefixes
        )

    chapters: defaultdict[str, set[str]] = defaultdict(set)
    for place in placement.places:
        chapters[_column(place)].add(format_atom(short(place.pattern), prefixes))
    for title, patterns in sorted(chapters.items()):
        yield from _chapter(title, sorted(patterns))
    yield from _chapter("divided", map(text, divided))
    yield from _chapter("in the first part alone", map(text, placement.first))


def _column(place: PatternPlace) -> str:
    if place.column is None:
        return "everywhere"
    if place.column == TOGETHER:
        return "in the first part"
    term = place.pattern.terms[place.column]
    assert isinstance(term, Variable)
    return f"by {term}"


def _chapter(title: str, lines: Iterable[str]) -> Iterator[str]:
    shown = [f"    {line}" for text in lines for line in text.splitlines()]
    if shown:
        yield from (title, *shown)
