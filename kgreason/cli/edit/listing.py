"""The rules of a store as text for people: `kgreason rules list`.

    # your rule, from family.dl              the user's rules come first, with their own variables and order
    # from the axiom :p rdfs:range :C .      rules that were translated from axioms
    # of the rule set: needs no axiom        other rules, each group with the reason why it runs
    @rule stray  # stratum 1               when NOT, AGGREGATE and SKOLEM of the rule are decided, if it has them
    # 40 helper rules are not shown          rules over kgreason's own relations; `--all` shows them

Law: the listing can be parsed, and each rule in it is in force. There is one exception: the parser refuses the helper
rules that copy asserted triples (DATA) to equal terms. Cost: a look at each rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from kgreason.cli.notation import shorten
from kgreason.cli.places import Graph
from kgreason.rules.canonical_form import canonical
from kgreason.rules.formatter import WIDTH, format_name, format_rule
from kgreason.rules.model import OWN, Rule, origin

Described = dict[str, Any]
"""A rule as `KnowledgeGraph.rules` gives it: its `name`, its text as `rule`, `why` it runs, and its `stratum`."""

_RELATION = re.compile(r"\b[a-z]\w*\(")
_AXIOM = ("<", "_:", '"')
"""How the reason (`why`) of a rule begins if the rule was translated from an axiom: the axiom begins with a term."""


def described_rules(graph: Graph, prefixes: Mapping[str, str] | None = None) -> list[Described]:
    """Return the rules in force for a listing. The user's rules come first, as the user wrote them.

    `prefixes` shorten IRIs.
    """
    known, own = prefixes or {}, graph.own_rules()
    forms = {(rule.name, format_rule(form)): rule for rule in own for form in (rule, canonical(rule))}
    strata: dict[Rule, int] = {}
    others = []
    for each in graph.rules():
        if (rule := forms.get((each["name"], each["rule"]))) is None:
            others.append(each)
        else:
            strata[rule] = each.get("stratum", 0)
    mine = [
        {"name": rule.name, "rule": format_rule(rule, known), "why": origin(rule), "stratum": strata.get(rule, 0)}
        for rule in own
    ]
    return mine + [each | {"rule": _shorten(each["rule"], known)} for each in others]


def is_helper(rule: Described) -> bool:
    """Whether a rule is a helper rule: it belongs to a rule set, and it reads or derives facts that no query shows."""
    is_of_a_set = not is_from_user(rule) and not rule["why"].startswith(_AXIOM)
    return is_of_a_set and (rule["rule"].startswith("DATA") or bool(_RELATION.search(rule["rule"])))


def is_from_user(rule: Described) -> bool:
    """Whether the user added a rule."""
    return rule["why"] == OWN or str(rule["why"]).startswith("from ")


def text_of(rules: Iterable[Described], prefixes: Mapping[str, str]) -> Iterator[str]:
    """Write rules as the lines of a listing. They are grouped by the reason why they run, with the reason as a comment.

    The lines begin with the `prefixes` that the listing uses.
    """
    groups: dict[str, list[Described]] = {}
    for rule in sorted(rules, key=lambda rule: (not is_from_user(rule), not rule["why"].startswith(_AXIOM))):
        groups.setdefault(rule["why"], []).append(rule)
    blocks = [_block(why, group, prefixes) for why, group in groups.items()]
    lines = list(chain.from_iterable(blocks))
    used = "\n".join(lines)
    declared = [f"@prefix {name}: <{iri}> ." for name, iri in prefixes.items() if re.search(rf"(?<!\w){name}:\w", used)]
    yield from [*declared, ""] if declared else ()
    yield from lines


def _block(why: str, group: list[Described], prefixes: Mapping[str, str]) -> Iterator[str]:
    yield f"# {reason(why, len(group), prefixes)}"
    for rule in group:
        if not rule["rule"].startswith("@relation "):
            stratum = rule.get("stratum", 0)
            yield f"@rule {format_name(rule['name'])}" + (f"  # stratum {stratum}" if stratum else "")
        yield rule["rule"]
    yield ""


def reason(why: str, count: int, prefixes: Mapping[str, str]) -> str:
    """Turn a reason (`why`) why rules run into text for people.

    `count` is the number of rules that run for this reason.
    """
    rules = "rule" if count == 1 else "rules"
    if why == OWN:
        return f"your {rules}, added as text"
    if why.startswith("from "):
        return f"your {rules}, {why}"
    if not why.startswith(_AXIOM):
        reason = shorten(why, prefixes)
        return reason if why.startswith("of the rule set") else f"of the rule set: needed, because {reason}"
    axioms = "axioms" if why.count(" . ") else "axiom"
    return f"from the {axioms} {shorten(why, prefixes)}"


def _shorten(rule: str, prefixes: Mapping[str, str]) -> str:
    """Shorten the IRIs in the text of a rule. Put the text on one line if it fits there."""
    if not prefixes:
        return rule
    text = shorten(rule, prefixes)
    line = re.sub(r"\n\s*", " ", text)
    return line if len(line) <= WIDTH else text
