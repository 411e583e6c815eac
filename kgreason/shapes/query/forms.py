"""The forms of queries of a shapes graph: SELECT, ASK and CONSTRUCT; and what SHACL forbids in them (appendix A)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kgreason.errors import ShapesError
from kgreason.interrupts import let_out
from kgreason.shapes.query.groups import Group, group_of, pattern_variables
from kgreason.shapes.query.tokens import depth, end_of, is_variable, tokens

_FORBIDDEN = frozenset(["MINUS", "VALUES", "SERVICE"])
_MOST, _DEEPEST = 10_000, 32
"""The largest number of characters of a query, and of brackets in one another: each part is parsed often."""
_BOUND_BEFORE = frozenset(["this", "shapesGraph", "currentShape", "PATH"])


class Item(NamedTuple):
    """A projected variable, with the tokens of its expression if it has one."""

    name: str
    expression: tuple[str, ...] = ()


class SelectForm(NamedTuple):
    """A SELECT query. `by` are the variables of GROUP BY; `having` are the conditions, as tokens."""

    is_distinct: bool
    items: tuple[Item, ...]
    group: Group
    by: tuple[str, ...]
    having: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> list[str]:
        """The names of the projected variables."""
        return [item.name for item in self.items]


def read_select(text: str, where: str) -> SelectForm:
    """Read a SELECT query. `where` names it in messages. Raises ShapesError."""
    return select_of(_checked_tokens(text, where), where)


def read_ask(text: str, where: str) -> Group:
    """Return the group of an ASK query. Raises ShapesError."""
    inner = _checked_tokens(text, where)
    if [token.upper() for token in inner[:1]] != ["ASK"]:
        raise ShapesError(f"{where}: sh:ask must be an ASK query")
    head, group, rest = _split(inner, where)
    if [token.upper() for token in head[1:]] not in ([], ["WHERE"]) or rest:
        raise ShapesError(f"{where}: sh:ask must be an ASK query without solution modifiers")
    return group


def read_construct(text: str, where: str) -> tuple[list[str], Group]:
    """Return the template of a CONSTRUCT query, as tokens, and its group. Raises ShapesError."""
    inner = _checked_tokens(text, where)
    if [token.upper() for token in inner[:2]] != ["CONSTRUCT", "{"]:
        raise ShapesError(f"{where}: sh:construct must be a CONSTRUCT query with a template")
    end = end_of(inner, 1, where)
    head, group, rest = _split(inner[end + 1 :], where)
    if [token.upper() for token in head] not in ([], ["WHERE"]) or rest:
        raise ShapesError(f"{where}: sh:construct must be a CONSTRUCT query without solution modifiers")
    return inner[2:end], group


def select_of(inner: list[str], where: str) -> SelectForm:
    """Read the tokens of a SELECT query. Raises ShapesError."""
    if [token.upper() for token in inner[:1]] != ["SELECT"]:
        raise ShapesError(f"{where}: sh:select must be a SELECT query")
    head, group, rest = _split(inner, where)
    words = [token.upper() for token in head]
    if words[-1] == "WHERE":
        head, words = head[:-1], words[:-1]
    start = 2 if words[1:2] in (["DISTINCT"], ["REDUCED"]) else 1
    is_all = head[start:] == ["*"]
    items = tuple(Item(name) for name in sorted(pattern_variables(group))) if is_all else _items(head[start:], where)
    by, having = _modifiers(rest, where)
    return SelectForm(start == 2, items, group, by, having)


def _checked_tokens(text: str, where: str) -> list[str]:
    """Return the tokens of a query. Raises ShapesError for what SHACL forbids, and for what is too long or deep."""
    if len(text) > _MOST:
        raise ShapesError(f"{where}: the query has {len(text):,} characters; at most {_MOST:,} are allowed")
    let_out()
    found = tokens(text)
    if depth(found) > _DEEPEST:
        raise ShapesError(f"{where}: the query has more than {_DEEPEST} brackets or signs in one another")
    for place, token in enumerate(found):
        if token.upper() in _FORBIDDEN:
            raise ShapesError(f"{where}: SHACL forbids {token.upper()} in a query")
        is_new = is_variable(token) and place > 0 and found[place - 1].upper() == "AS"
        if is_new and token[1:] in _BOUND_BEFORE:
            raise ShapesError(f"{where}: SHACL forbids AS with a variable that is bound before")
    return found


def _split(inner: list[str], where: str) -> tuple[list[str], Group, list[str]]:
    """Return the tokens before the group of a query, the group, and the tokens behind it."""
    if "{" not in inner:
        raise ShapesError(f"{where}: the query has no group")
    start = inner.index("{")
    end = end_of(inner, start, where)
    return inner[:start], group_of(inner[start + 1 : end], where), inner[end + 1 :]


def _items(several: list[str], where: str) -> tuple[Item, ...]:
    found, place = list[Item](), 0
    while place < len(several):
        token = several[place]
        if is_variable(token):
            found.append(Item(token[1:]))
        elif token == "(":
            end = end_of(several, place, where)
            inner = several[place + 1 : end]
            if len(inner) < 3 or inner[-2].upper() != "AS" or not is_variable(inner[-1]):
                raise ShapesError(f"{where}: SELECT needs (expression AS ?variable)")
            found.append(Item(inner[-1][1:], tuple(inner[:-2])))
            place = end
        else:
            raise ShapesError(f"{where}: SELECT cannot have {token}")
        place += 1
    return tuple(found)


def _modifiers(rest: list[str], where: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the variables of GROUP BY, and the conditions of HAVING. ORDER BY changes no result."""
    by, having, place = list[str](), list[tuple[str, ...]](), 0
    while place < len(rest):
        words = [token.upper() for token in rest[place : place + 2]]
        if words == ["GROUP", "BY"]:
            place += 2
            while place < len(rest) and is_variable(rest[place]):
                by.append(rest[place][1:])
                place += 1
            if not by:
                raise ShapesError(f"{where}: GROUP BY is supported with variables alone")
        elif words[:1] == ["HAVING"]:
            place += 1
            while place < len(rest) and rest[place] == "(":
                end = end_of(rest, place, where)
                having.append(tuple(rest[place : end + 1]))
                place = end + 1
            if not having:
                raise ShapesError(f"{where}: HAVING needs a condition in brackets")
        elif words == ["ORDER", "BY"]:
            place = _end_of_order(rest, place + 2)
        else:
            raise ShapesError(f"{where}: {words[0]} is not supported in a query of a shape, because no rule says it")
    return tuple(by), tuple(having)


def _end_of_order(rest: Iterable[str], place: int) -> int:
    """Return the place behind ORDER BY; LIMIT and OFFSET may follow it."""
    several = list(rest)
    while place < len(several) and several[place].upper() not in ("LIMIT", "OFFSET"):
        place += 1
    return place
