"""`why_not`: for a fact that does not hold, the rules that could derive it, and the conditions that fail.

A rule could derive a fact if one of the rule's heads unifies with the fact. A generic rule reads axioms as facts; for
each axiom that fits, there is one search. The rules of kgreason for equal terms and literals are left out, because the
search itself treats equal terms as equal.

Law: every answer names a condition that does not hold in the graph. Cost: a copy of the facts, and a few joins for each
rule whose head fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kgreason.materialize.materializer import Materializer
from kgreason.materialize.program import DATATYPES
from kgreason.materialize.same_as.representatives import GROUP as REPRESENTATIVES
from kgreason.materialize.schema.twins import GROUP as TWINS
from kgreason.ontology.generic.parts import is_schema_pattern
from kgreason.options import LETTER
from kgreason.proofs.same_as import facts_of
from kgreason.proofs.search import prove
from kgreason.proofs.why_not.answer import WhyNot
from kgreason.proofs.why_not.attempts import Attempt, failed_attempt
from kgreason.proofs.why_not.rows import Bindings, Rows
from kgreason.rules.canonical_form import canonical
from kgreason.rules.model import Atom, Rule, Variable
from kgreason.terms.vocabulary import OWL_SAME_AS

_INNER = {REPRESENTATIVES, DATATYPES, TWINS, LETTER}
_OF_EQUALS = re.compile("eq-(sym|trans|ref|rep-[spo])")
"""The W3C's rules that copy triples between equal terms. They explain nothing: all equal terms lack the same triple."""
_MOST_AXIOMS = 100
"""A generic rule is searched for at most so many axioms."""


def why_not(materializer: Materializer, fact: Atom, limit: int) -> WhyNot:
    """Return why a fact does not hold, with at most `limit` rules. The fact must not be in the graph."""
    terms = tuple(map(str, fact.terms))
    rows, asked = Rows(materializer), _asked_terms(materializer, terms)
    found = sorted(_attempts(materializer, fact, rows), key=_sort_key)
    unknown = tuple(term for term in dict.fromkeys(terms) if not materializer.dictionary.find([term])[0])
    told = {each for attempt in found[:limit] for failure in attempt.fails for each in failure.facts}
    reasons = {_rename(each, asked): reason for each, reason in _reasons(materializer, told, asked)}
    shown = tuple(_with_asked_terms(attempt, asked) for attempt in found[:limit])
    return WhyNot(fact, False, shown, len(found) - len(shown), unknown, reasons)


def _asked_terms(materializer: Materializer, terms: tuple[str, ...]) -> dict[str, str]:
    """Return a dict from primaries to the terms in the user's question that they stand for.

    A primary that is itself a term of the question is left out.
    """
    equality = materializer.equality
    names = {equality.primary(term): term for term in reversed(terms)} if equality else {}
    return {primary: term for primary, term in names.items() if primary != term and primary not in terms}


def _with_asked_terms(attempt: Attempt, asked: Mapping[str, str]) -> Attempt:
    """Return the attempt with terms of the user's question in place of primaries. `asked` comes from `_asked_terms`."""
    return attempt._replace(
        values={name: asked.get(value, value) for name, value in attempt.values.items()},
        holds=tuple(_rename(atom, asked) for atom in attempt.holds),
        fails=tuple(
            failure._replace(
                atom=_rename(failure.atom, asked), facts=tuple(_rename(fact, asked) for fact in failure.facts)
            )
            for failure in attempt.fails
        ),
    )


def _rename(atom: Atom, asked: Mapping[str, str]) -> Atom:
    return Atom(atom.relation, tuple(asked.get(str(term), term) for term in atom.terms))


def _sort_key(attempt: Attempt) -> tuple[int, int, str, list[tuple[str, str]]]:
    """Return a sort key: few failing conditions come first; among equals, many atoms that hold."""
    return len(attempt.fails), -len(attempt.holds), attempt.rule.name, sorted(attempt.values.items())


def _attempts(materializer: Materializer, fact: Atom, rows: Rows) -> Iterator[Attempt]:
    equality = materializer.equality
    primary = equality.primary if equality else str
    terms = tuple([primary(str(term)) for term in fact.terms])
    goals = [Atom(fact.relation, terms)]
    if equality and fact.relation is None and fact.terms[1] == OWL_SAME_AS:
        goals.append(Atom(None, terms[::-1]))
    written = {canonical(rule): rule for rule in materializer.own}
    for rule in materializer.rules:
        told = written.get(rule, rule)
        if rule not in written and (rule.group in _INNER or _OF_EQUALS.fullmatch(rule.name)):
            continue
        for values in _bindings_of(told, goals, primary):
            for start in _start_bindings(told, rows.single_binding(values), rows, is_own=rule in written):
                if attempt := failed_attempt(told, start, rows):
                    yield attempt


def _bindings_of(rule: Rule, goals: Iterable[Atom], primary: Any) -> list[dict[Variable, str]]:
    """Return each binding, once, under which a head of the rule is one of the facts `goals`.

    A binding is a dict from variables to terms. `goals` have primaries in place of equal terms; `primary` returns the
    primary of a term's clique, or the term itself.
    """
    found: list[dict[Variable, str]] = []
    for head in rule.heads:
        for goal in goals:
            if (head.relation, len(head.terms)) != (goal.relation, len(goal.terms)):
                continue
            values: dict[Variable, str] | None = {}
            for term, value in zip(head.terms, map(str, goal.terms), strict=True):
                if values is None:
                    break
                is_equal = (values.setdefault(term, value) if isinstance(term, Variable) else primary(term)) == value
                values = values if is_equal else None
            if values is not None and values not in found:
                found.append(values)
    return found


def _start_bindings(rule: Rule, start: Bindings, rows: Rows, *, is_own: bool) -> Iterator[Bindings]:
    """Yield the bindings with which a search of the rule begins.

    For a generic rule that reads axioms and data, there is one search for each match of its schema patterns, at most
    `_MOST_AXIOMS`. For other rules there is one search, which begins with `start`. `is_own`: the rule is a user's.
    """
    premises = [atom for atom in rule.body if is_schema_pattern(atom)]
    if is_own or rule.sources or not premises or len(premises) == len(rule.body):
        yield start
        return
    found = start
    for atom in sorted(premises, key=lambda atom: len(atom.variables().difference(start.variables))):
        found = rows.join(found, atom)
    for row in found.rows[:_MOST_AXIOMS]:
        yield Bindings(found.variables, row[None])


def _reasons(materializer: Materializer, facts: Iterable[Atom], asked: Mapping[str, str]) -> Iterator[tuple[Atom, str]]:
    """Yield each fact of `facts` with how it is known: "asserted" or "by RULE". All `facts` must be present.

    `asked` comes from `_asked_terms`; it replaces primaries by terms of the question. If the graph has the triple
    after this replacement as well, "asserted" or "by RULE" is about the replaced triple.
    """
    state = facts_of(materializer)
    for fact in facts:
        same = _rename(fact, asked)
        is_shown = same.relation is None and materializer.has(tuple(map(str, same.terms)))
        proof = prove(same if is_shown else fact, state)
        yield fact, f"by {proof.rule.name}" if proof.rule else "asserted"
