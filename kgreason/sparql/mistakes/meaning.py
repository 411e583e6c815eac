"""`mistake`: what is wrong with a query whose grammar is right, but that Oxigraph does not take.

    SELECT ?x ?n { ... } GROUP BY ?x                      ?n is neither in GROUP BY nor in an aggregate
    { ?x :p ?y BIND(1 AS ?y) }                            ?y has a value already
    FILTER(COUNT(?x) > 1)                                 an aggregate outside of SELECT, HAVING and ORDER BY
    VALUES (?x ?y) { (1) }                                a row of another length
    { _:b :p ?x { _:b :q ?x } }                           a label of a blank node in two blocks
    <Cat>                                                 a relative IRI without BASE
    REGEX(?x)                                             a wrong number of arguments

Cost: one pass over the tree for each kind of mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from lark import Token, Tree
from pyoxigraph import NamedNode

from kgreason.sparql.mistakes.syntax import Node

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_COUNTS = {
    0: "NOW RAND STRUUID UUID",
    1: "ABS CEIL DATATYPE DAY ENCODE_FOR_URI FLOOR HOURS IRI ISBLANK ISIRI ISLITERAL ISNUMERIC ISURI LANG LCASE MD5"
    " MINUTES MONTH ROUND SECONDS SHA1 SHA256 SHA384 SHA512 STR STRLEN TIMEZONE TZ UCASE URI YEAR BOUND",
    2: "CONTAINS LANGMATCHES SAMETERM STRAFTER STRBEFORE STRDT STRENDS STRLANG STRSTARTS",
    3: "IF",
}
_ARGUMENTS = {name: (count, count) for count, names in _COUNTS.items() for name in names.split()} | {
    "REGEX": (2, 3),
    "SUBSTR": (2, 3),
    "REPLACE": (3, 4),
}


class Mistake(NamedTuple):
    """A mistake in a query: its index, and a message that says what is wrong there."""

    at: int
    words: str


def mistake(tree: Node, has_base: bool) -> Mistake | None:
    """Return the first mistake in the query, or None if no check finds a mistake.

    `has_base` says that a base is declared, so that relative IRIs are no mistake.
    """
    found = [] if has_base else [*_relative(tree)]
    for check in _CHECKS:
        found += check(tree)
    return min(found, default=None)


def _relative(tree: Node) -> Iterator[Mistake]:
    """Find relative IRIs, if there is no BASE."""
    tokens = [*_tokens(tree)]
    if any(token.type == "BASE" for token in tokens):
        return
    for token in tokens:
        if token.type == "IRI" and not _ABSOLUTE.match(token, 1):
            yield _at(
                token, f"the IRI {token} is relative: write it in full, such as <http://example.org/{token[1:-1]}>"
            )


def _invalid(tree: Node) -> Iterator[Mistake]:
    """Find IRIs that Oxigraph does not take."""
    for token in _tokens(tree):
        if token.type == "IRI" and _ABSOLUTE.match(token, 1) and "\\" not in token:
            try:
                NamedNode(token[1:-1])
            except ValueError as error:
                yield _at(token, f"{token} is not an IRI: {error}")


def _ungrouped(tree: Node) -> Iterator[Mistake]:
    """Find variables that a SELECT with groups uses, but that are neither in GROUP BY nor in an aggregate."""
    for select in tree.find_data("select"):
        groups = _part(select, "group_by")
        if groups is None and not any(_aggregates(part) for part in _parts(select, "alias", "having")):
            continue
        by = {token[1:] for token in _tokens(groups) if token.type == "VAR"} if groups else set()
        for child in select.children:
            if isinstance(child, Token) and child.type == "STAR":
                yield _at(child, "SELECT * cannot be used with GROUP BY: name the variables")
            elif isinstance(child, Token) and child.type == "VAR" and child[1:] not in by:
                yield _at(child, _UNGROUPED.format(child, child[1:]))
            elif isinstance(child, Tree) and child.data == "alias":
                yield from (
                    _at(token, _UNGROUPED.format(token, token[1:]))
                    for token in _free(cast(Node, child.children[0]))
                    if token[1:] not in by
                )
                by.add(_named(child)[1:])


_UNGROUPED = "{0} is neither in GROUP BY nor in an aggregate: add it to GROUP BY, or select (SAMPLE({0}) AS ?any_{1})"


def _free(tree: Node) -> Iterator[Token]:
    """Yield the variables of an expression that are neither inside an aggregate nor inside braces."""
    for child in tree.children:
        if isinstance(child, Token):
            if child.type == "VAR":
                yield child
        elif child.data not in ("aggregate", "group"):
            yield from _free(child)


def _aggregated(tree: Node) -> Iterator[Mistake]:
    """Find aggregates that stand in FILTER or BIND."""
    for part in tree.iter_subtrees():
        if part.data in ("filter", "bind"):
            for aggregate in _aggregates(part):
                name = str(aggregate.children[0]).upper()
                yield _at(
                    cast(Token, aggregate.children[0]),
                    f"{name} counts over groups, so it cannot stand in {str(part.data).upper()}: "
                    f"use it in SELECT, or in HAVING after GROUP BY",
                )


def _aggregates(tree: Node) -> list[Node]:
    """Return the aggregates in a part of a query, without those in braces inside this part."""
    found: list[Node] = []
    for child in tree.children:
        if isinstance(child, Tree) and child.data != "group":
            found += [child] if child.data == "aggregate" else _aggregates(child)
    return found


def _taken(tree: Node) -> Iterator[Mistake]:
    """Find variables that get a value by BIND or AS although they have a value already."""
    for select in tree.find_data("select"):
        where = _part(select, "where")
        known = _visible(cast(Node, where.children[-1])) if where else set()
        for child in select.children:
            if isinstance(child, Token):
                known |= {child[1:]} if child.type == "VAR" else set()
            elif child.data == "alias":
                yield from _clash(_named(child), known)
                known.add(_named(child)[1:])
    for group in tree.find_data("group"):
        before: set[str] = set()
        for child in group.children:
            if isinstance(child, Tree) and child.data == "bind":
                yield from _clash(_named(child), before)
                before.add(_named(child)[1:])
            elif isinstance(child, Tree):
                before |= _visible(child) if child.data != "filter" else set()
            elif child.type == "VAR":
                before.add(child[1:])


def _clash(variable: Token, known: set[str]) -> Iterator[Mistake]:
    if variable[1:] in known:
        yield _at(variable, f"{variable} has a value already: choose another name after AS")


def _visible(tree: Node) -> set[str]:
    """Return the names of the variables that a pattern can bind."""
    found: set[str] = set()
    for child in tree.children:
        if isinstance(child, Token):
            found |= {child[1:]} if child.type == "VAR" else set()
        elif child.data == "bind":
            found.add(_named(child)[1:])
        elif child.data == "select":
            has_star = any(_is(part, "STAR") for part in child.children)
            found |= _visible(child) if has_star else _selected(child)
        elif child.data not in ("filter", "alias", "group_by", "having", "order_by"):
            found |= _visible(child)
    return found


def _selected(select: Node) -> set[str]:
    plain = {cast(Token, child)[1:] for child in select.children if _is(child, "VAR")}
    return plain | {_named(alias)[1:] for alias in _parts(select, "alias")}


def _rows(tree: Node) -> Iterator[Mistake]:
    """Find rows of VALUES with more or fewer values than variables."""
    for values in tree.find_data("values"):
        columns = _part(values, "columns")
        for row in _parts(values, "row") if columns else []:
            count = _values(row)
            if columns and count != len(columns.children):
                have = f"{len(columns.children)} variable{'s' * (len(columns.children) != 1)}"
                yield Mistake(row.meta.start_pos, f"VALUES has {have}, but this row has {count}")


def _values(row: Node) -> int:
    """Count the values in a row of VALUES.

    A datatype or a language tag is not counted, because it belongs to the string before it.
    """
    count, is_datatype = 0, False
    for child in row.children:
        kind = child.type if isinstance(child, Token) else "triple_term"
        count += not (kind in ("LANGUAGE", "DATATYPE") or is_datatype)
        is_datatype = kind == "DATATYPE"
    return count


def _labels(tree: Node) -> Iterator[Mistake]:
    """Find labels of blank nodes that are used in two blocks of braces."""
    homes: dict[str, int] = {}
    found = [(token, id(group)) for group in tree.find_data("group") for token in group.children if _is(token, "BLANK")]
    for child, home in sorted(cast("list[tuple[Token, int]]", found), key=lambda each: cast(int, each[0].start_pos)):
        if homes.setdefault(child, home) != home:
            yield _at(child, f"{child} stands in two blocks of braces; use a variable, or another label")


def _arguments(tree: Node) -> Iterator[Mistake]:
    """Find functions with too many or too few arguments."""
    for call in tree.find_data("function"):
        name = cast(Token, call.children[0])
        least, most = _ARGUMENTS.get(name.upper(), (0, len(call.children)))
        count = len(_parts(call, "expression"))
        if not least <= count <= most:
            takes = str(least) if least == most else f"{least} or {most}"
            yield _at(name, f"{name} takes {takes} argument{'s' * (most != 1)}, and has {count} here")


def _tokens(tree: Node) -> Iterator[Token]:
    return tree.scan_values(lambda value: isinstance(value, Token))


def _parts(tree: Node, *names: str) -> list[Node]:
    return [child for child in tree.children if isinstance(child, Tree) and child.data in names]


def _part(tree: Node, name: str) -> Node | None:
    return next(iter(_parts(tree, name)), None)


def _is(child: Token | Node, kind: str) -> bool:
    return isinstance(child, Token) and child.type == kind


def _named(tree: Node) -> Token:
    """Return the variable after AS in an alias or a BIND."""
    return cast(Token, tree.children[-1])


def _at(token: Token, words: str) -> Mistake:
    return Mistake(cast(int, token.start_pos), words)


_CHECKS: tuple[Callable[[Node], Iterator[Mistake]], ...] = (
    _invalid,
    _ungrouped,
    _aggregated,
    _taken,
    _rows,
    _labels,
    _arguments,
)
