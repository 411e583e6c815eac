"""The user's rules: which there are as of a commit, and which go when a text or a name asks for it.

Law: the rules of the snapshot, and what the records of the journal after it say, are those of the last commit. Nothing
here needs the engine, so that an edit which asks for a rule that nobody added is refused before the engine is opened.

Cost: that of parsing the rules of the snapshot and of the journal.
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
    """The user's rules of a snapshot, or of the rule files of a new store, after these records. Raises StoreError."""
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
    """The rules that a name or a text means. Raises RuleError for a name that no rule has."""
    named = tuple(rule for rule in own if rule.name == text.strip())
    if not named and "." not in text:
        raise RuleError(f"{text.strip()}: no rule of this name was added{_shipped(text.strip())}")
    return named or parse(text, source).rules


def _shipped(name: str) -> str:
    """What to do about a rule of this name that a rule set has; nothing where none has it."""
    for ruleset_name in SHIPPED:
        if any(rule.name == name for rule in ruleset(ruleset_name).rules):
            return (
                f"; it is a rule of the rule set {ruleset_name}, and rules of a rule set cannot be removed one by one:"
                " remove the axioms that the rule reads, or make a new store with other --rules"
            )
    return ""


def without(own: Iterable[Rule], rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules but for these, which go by their text but for names. Raises RuleError for one that is not there."""
    forms, gone = {rule: _nameless(rule) for rule in own}, {_nameless(rule): rule for rule in rules}
    for form, rule in gone.items():
        if form not in forms.values():
            raise RuleError(
                f"{format_rule(rule)}: no rule like this was added (a rule made of an axiom goes with the axiom)"
            )
    return tuple(rule for rule, form in forms.items() if form not in gone)


def _nameless(rule: Rule) -> Rule:
    return canonical(Rule(rule.heads, rule.body))
