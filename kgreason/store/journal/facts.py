r"""Facts of relations as rule text.

    edge(<http://e/a>, "5"^^<http://www.w3.org/2001/XMLSchema#integer>) .

The terms are N-Triples texts, as the dictionary holds them. Law: `read_fact(fact_text(name, terms)) == (name, terms)`.
Cost: a few microseconds; for a fact with a triple term, a hundred microseconds, because the parser of rules reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgreason.rules.parser import parse

_FACT = re.compile(r"([^\s(]+)\((.*)\)(?: \.)?", re.DOTALL)
_TERM = re.compile(r'(<[^<>]*>|_:[^\s,()]+|"(?:[^"\\]|\\.)*"(?:\^\^<[^<>]*>|@[A-Za-z0-9-]+)?)(?:, |$)')


def fact_text(name: str, terms: Iterable[str]) -> str:
    """Return the text of a fact."""
    return f"{name}({', '.join(terms)}) ."


def read_fact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the relation and the terms of a fact. Raises ValueError."""
    found = _FACT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text}: not a fact of a relation")
    if "<<(" in text:
        return _parse(text)
    name, inner = found.groups()
    terms, end = [], 0
    while end < len(inner):
        term = _TERM.match(inner, end)
        if term is None:
            return _parse(text)
        terms.append(term[1])
        end = term.end()
    return name, tuple(terms)


def _parse(text: str) -> tuple[str, tuple[str, ...]]:
    """Read a fact with the parser of rules, which takes any rule text. Returns the relation and the terms."""
    (rule,) = parse(text, "<fact>", None).rules
    (head,) = rule.heads
    if rule.body or head.relation is None:
        raise ValueError(f"{text}: not a fact of a relation")
    return head.relation, tuple(map(str, head.terms))
