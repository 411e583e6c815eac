"""Aggregates by definition, for small integers, IRIs and blank nodes: the value of a list of matches.

    COUNT        how many matches; with DISTINCT, how many terms
    SUM          of integers; no value if another term is among them
    MIN, MAX     in SPARQL's order: blank nodes, IRIs, numbers; among blank nodes and IRIs by text
    SAMPLE       the first IRI by text, else the first blank node, else the first literal
    GROUP_CONCAT the values as strings in the order of the terms' texts; no value if a blank node is among them

Cost: sorts the terms of each group.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tests.oracle.datalog import Substitution

INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"


def number(value: int) -> str:
    """The term of an integer."""
    return f'"{value}"^^{INTEGER}'


def integer(term: str) -> int | None:
    """The value of a term that is an integer, else None."""
    return int(term.split('"')[1]) if term.endswith(INTEGER) else None


def grouped(aggregate: Any, matches: Iterable[Substitution]) -> Mapping[tuple[str, ...], str]:
    """The value of each group that has one."""
    found: dict[tuple[str, ...], list[Substitution]] = {}
    for match in matches:
        found.setdefault(tuple(match[variable.name] for variable in aggregate.group), []).append(match)
    values = {group: _value(aggregate, members) for group, members in found.items()}
    return {group: value for group, value in values.items() if value is not None}


def _value(aggregate: Any, matches: list[Substitution]) -> str | None:
    if aggregate.argument is None:
        return number(len(matches))
    terms = [match[aggregate.argument.name] for match in matches]
    if aggregate.is_distinct:
        terms = list(set(terms))
    match aggregate.function:
        case "COUNT":
            return number(len(terms))
        case "SUM":
            values = [integer(term) for term in terms]
            return None if None in values else number(sum(value for value in values if value is not None))
        case "MIN":
            return min(terms, key=_rank)
        case "MAX":
            return max(terms, key=_rank)
        case "SAMPLE":
            return min(terms, key=lambda term: ('<_"'.index(term[0]), term))
        case "GROUP_CONCAT":
            if any(term.startswith("_:") for term in terms):
                return None
            return f'"{aggregate.separator.join(_string(term) for term in sorted(terms))}"'
    raise AssertionError


def _rank(term: str) -> tuple[int, int, str]:
    value = integer(term)
    return '_<"'.index(term[0]), value or 0, "" if value is not None else term


def _string(term: str) -> str:
    return term.split('"')[1] if term.startswith('"') else term[1:-1]
