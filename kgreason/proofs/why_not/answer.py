"""`WhyNot`: why a fact does not hold, as a value, as indented text and as JSON.

    :tom a :Stray does not hold
        rule stray: [?x, a, :Stray] :- [?x, a, :Cat], NOT EXISTS ?y IN ([?x, :owner, ?y]) .
            with ?x = :tom
            holds: :tom a :Cat
            fails: no :tom :owner ?y, because :tom :owner :ann (asserted)
        rule cax-sco: [?x, a, :Stray] :- [?x, a, :Lost] .
            with the axiom :Lost rdfs:subClassOf :Stray
            missing: :tom a :Lost

A variable without a value keeps its name. Conditions on literals are put into words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import chain
from typing import Any

from kgreason.proofs.notation import (
    NO_PREFIXES,
    axioms_text,
    check_prefixes,
    conditions,
    fact_text,
    is_hidden,
    rule_text,
    term_text,
)
from kgreason.proofs.why_not.attempts import Attempt, Failure
from kgreason.proofs.words.naming import names
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import DATA, Atom, Rule, Triple
from kgreason.rules.parser import expression_and_values

_INDENT = " " * 4


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a fact does not hold. The fact is a triple or a fact of a relation.

    - `attempts`: the rules that could derive the fact, each with the conditions that fail. Rules with few failing
      conditions come first.
    - `left_out`: how many further rules could derive the fact.
    - `unknown`: the terms of the fact that occur in no fact of the graph.
    - `holds`: True if the fact does hold; then there are no attempts.
    - `reasons`: for each present fact that a rule requires to be absent, "asserted" or "by RULE".
    - `described`: triples that say what the blank nodes of the answer stand for.
    """

    fact: Atom
    holds: bool = False
    attempts: tuple[Attempt, ...] = ()
    left_out: int = 0
    unknown: tuple[str, ...] = ()
    reasons: Mapping[Atom, str] = field(default_factory=dict)
    described: tuple[Triple, ...] = ()

    def to_text(
        self,
        prefixes: Mapping[str, str] | None = None,
        *,
        labels: Mapping[str, str] | None = None,
        full: bool = False,
    ) -> str:
        """Return the answer as indented text. The arguments are those of `Proof.to_text`.

        Blank nodes are written as class expressions in Manchester syntax; with `full` they have their labels.
        """
        known = names(check_prefixes(prefixes), () if full else self.described, labels)
        return "".join(f"{line}\n" for line in _lines(self, known))

    def terms(self) -> dict[str, None]:
        """Return the terms that the answer mentions."""
        found = dict.fromkeys(map(str, self.fact.terms))
        for attempt in self.attempts:
            atoms = (*attempt.rule.heads, *attempt.rule.body, *attempt.holds)
            atoms += tuple(atom for failure in attempt.fails for atom in (failure.atom, *failure.facts))
            found.update(dict.fromkeys(term for atom in atoms for term in atom.terms if isinstance(term, str)))
            found.update(dict.fromkeys((*attempt.values.values(), *chain.from_iterable(attempt.rule.sources))))
        return found

    def __str__(self) -> str:
        return self.to_text().rstrip()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def to_json(self) -> dict[str, Any]:
        """Return the answer for `json.dumps`; terms are N-Triples text.

        A fact of a relation has "relation": name and "terms": [...] in the place of "triple".

        {"triple": [s, p, o], "holds": False, "unknown": [...], "left_out": 0, "rules": [{"name", "rule", "sources",
        "values": {"x": term}, "holds": [text], "fails": [{"kind", "condition": text, "found": term or None,
        "facts": [{"fact": text, "reason": "asserted" or "by RULE"}]}]}]}. "described" has the triples that say what
        blank nodes stand for; it is left out if there are none.
        """
        terms, relation = list(self.fact.terms), self.fact.relation
        fact = {"triple": terms} if relation is None else {"relation": relation, "terms": terms}
        told = {"described": [list(each) for each in self.described]} if self.described else {}
        return fact | {
            "holds": self.holds,
            "unknown": list(self.unknown),
            "left_out": self.left_out,
            "rules": [self._attempt_as_json(attempt) for attempt in self.attempts],
            **told,
        }

    def _attempt_as_json(self, attempt: Attempt) -> dict[str, Any]:
        return {
            "name": attempt.rule.name,
            "rule": format_rule(attempt.rule),
            "sources": [list(source) for source in attempt.rule.sources],
            "values": attempt.values,
            "holds": [fact_text(atom, NO_PREFIXES) for atom in attempt.holds],
            "fails": [self._failure(failure) for failure in attempt.fails],
        }

    def _failure(self, failure: Failure) -> dict[str, Any]:
        return {
            "kind": failure.kind,
            "condition": condition_text(failure.atom, NO_PREFIXES),
            "found": failure.found,
            "facts": [{"fact": fact_text(fact, NO_PREFIXES), "reason": self.reasons[fact]} for fact in failure.facts],
        }


def _lines(answer: WhyNot, prefixes: Mapping[str, str]) -> Iterator[str]:
    fact = fact_text(answer.fact, prefixes)
    if answer.holds and answer.fact.relation is not None:
        yield f"{fact} holds; `explain` shows why"
        return
    if answer.holds:
        yield f"{fact} holds; `explain` without --why-not shows why (in Python: graph.explain)"
        return
    yield f"{fact} does not hold"
    kind = "triple" if answer.fact.relation is None else "fact"
    yield from (f"{_INDENT}no {kind} of the graph has {term_text(term, prefixes)}" for term in answer.unknown)
    if not answer.attempts:
        yield f"{_INDENT}no rule in force could derive it; only a change that asserts it would make it hold"
    for attempt in answer.attempts:
        yield f"{_INDENT}rule {attempt.rule.name}: {rule_text(attempt.rule, prefixes)}"
        yield from (f"{_INDENT * 2}{line}" for line in _attempt_lines(attempt, answer.reasons, prefixes))
    if answer.left_out:
        rules = "rule" if answer.left_out == 1 else "rules"
        yield f"{_INDENT}and {answer.left_out:,} more {rules}; --limit N shows more (in Python: limit=N)"


def _attempt_lines(attempt: Attempt, reasons: Mapping[Atom, str], prefixes: Mapping[str, str]) -> Iterator[str]:
    yield from (f"with the axiom {axiom}" for axiom in axioms_text(attempt.rule, prefixes))
    if attempt.values:
        values = (f"?{name} = {term_text(value, prefixes)}" for name, value in attempt.values.items())
        yield f"with {', '.join(values)}"
    yield from (f"holds: {condition_text(atom, prefixes)}" for atom in attempt.holds)
    yield from (_failure(failure, reasons, prefixes) for failure in attempt.fails)


def _failure(failure: Failure, reasons: Mapping[Atom, str], prefixes: Mapping[str, str]) -> str:
    text = condition_text(failure.atom, prefixes)
    if failure.kind == "missing":
        return f"missing: {text}"
    if failure.kind == "absent":
        facts = [f"{fact_text(fact, prefixes)} ({reasons[fact]})" for fact in failure.facts]
        return f"fails: {text}, because {', '.join(facts)}" if facts else f"fails: {text}"
    if failure.found is not None:
        return f"fails: {text}, because the value is {term_text(failure.found, prefixes)}"
    if failure.kind == "computed" and expression_and_values(failure.atom)[0].result is None:
        return f"false: {text}"
    return f"fails: {text}, because there is no value"


def condition_text(atom: Atom, prefixes: Mapping[str, str]) -> str:
    """Return a condition of a rule as text. Variables without a value keep their names."""
    if is_hidden(atom):
        return next(conditions(Rule((), (atom,)), prefixes))
    return f"{fact_text(atom, prefixes)}{' (asserted)' if atom.relation == DATA else ''}"
