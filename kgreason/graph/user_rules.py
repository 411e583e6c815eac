"""The user's rules: which rules exist after a commit, and which rules a name or a text removes.

Law: the user's rules after the last commit are those of the snapshot, changed by each record of the journal after it.
Nothing here needs the engine. So an edit that removes an unknown rule is refused before the engine starts.

Cost: parsing the rules of the snapshot and of the journal.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kgreason.errors import RuleError
from kgreason.rules.canonical import canonical
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import Rule
from kgreason.rules.parser import parse, ruleset
from kgreason.store import snapshot
from kgreason.store.folder import Manifest
from kgreason.store.journal.record import Record

SHIPPED = ("owl2rl", "rdfs", "rhodf")


def own_rules(manifest: Manifest, path: Path | None, records: Iterable[Record]) -> tuple[Rule, ...]:
    """The user's rules after these records; before them, those of a snapshot, or of the rule files of a new store.

    Raises StoreError.
    """
    if path is None:
        from kgreason.materialize.selection import select

        own = select(manifest.rules, manifest.schema, manifest.same_as, manifest.aliases).own
    else:
        own = snapshot.read_own(path)
    for record in records:
        own = after(own, record)
    return own


def after(own: Iterable[Rule], record: Record) -> tuple[Rule, ...]:
    """The user's rules after a commit."""
    rules = dict.fromkeys(own)
    for sign, text in record.rules:
        for rule in parse(text, "journal").rules:
            if sign > 0:
                rules[rule] = None
            else:
                rules.pop(rule, None)
    return tuple(rules)


def asked_for(own: Iterable[Rule], text: str, source: str) -> tuple[Rule, ...]:
    """The user's rules with a name, or the rules of a text. Raises RuleError for a name that no rule has."""
    named = tuple(rule for rule in own if rule.name == text.strip())
    if not named and "." not in text:
        raise RuleError(f"{text.strip()}: no rule of this name was added{_shipped(text.strip())}")
    return named or parse(text, source).rules


def _shipped(name: str) -> str:
    """A hint for the message if a shipped rule set has a rule of this name; otherwise the empty text."""
    for ruleset_name in SHIPPED:
        if any(rule.name == name for rule in ruleset(ruleset_name).rules):
            return (
                f"; it is a rule of the rule set {ruleset_name}, and rules of a rule set cannot be removed one by one:"
                " remove the axioms that the rule reads, or make a new store with other rules"
            )
    return ""


def without(own: Iterable[Rule], rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules `own` without `rules`; names do not matter. Raises RuleError if `own` lacks one of them."""
    forms, gone = {rule: _nameless(rule) for rule in own}, {_nameless(rule): rule for rule in rules}
    for form, rule in gone.items():
        if form not in forms.values():
            raise RuleError(
                f"{format_rule(rule)}: no rule like this was added (a rule made from an axiom goes with the axiom)"
            )
    return tuple(rule for rule, form in forms.items() if form not in gone)


def _nameless(rule: Rule) -> Rule:
    return canonical(Rule(rule.heads, rule.body, negated=rule.negated))
