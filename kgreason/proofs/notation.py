"""Facts, axioms and rules as text: N-Triples terms, or prefixed names where prefixes are given.

Without prefixes a triple is written in the terms of N-Triples, as a command line takes it back; with them as rule text
writes terms: IRIs and numbers short, `a` for rdf:type.
"""

from __future__ import annotations

from collections.abc import Mapping

from kgreason.rules.formatter import format_rule, format_term
from kgreason.rules.model import Atom, Rule, triple
from kgreason.terms.vocabulary import RDF_TYPE


def fact_text(fact: Atom, prefixes: Mapping[str, str]) -> str:
    """`s p o` for a triple, `relation(t, ...)` for another fact."""
    terms = [format_term(term, prefixes) if prefixes else str(term) for term in fact.terms]
    if fact.relation is not None:
        return f"{fact.relation}({', '.join(terms)})"
    if prefixes and fact.terms[1] == RDF_TYPE:
        terms[1] = "a"
    return " ".join(terms)


def axioms_text(rule: Rule, prefixes: Mapping[str, str]) -> list[str]:
    """The schema triples that a rule was translated from."""
    return [fact_text(triple(*source), prefixes) for source in rule.sources]


def rule_text(rule: Rule, prefixes: Mapping[str, str]) -> str:
    """A rule on one line, without its name."""
    return " ".join(line.strip() for line in format_rule(rule, prefixes).split("\n"))
