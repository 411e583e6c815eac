"""`group_of`: a group of a query as a tree.

    { $this ex:p ?v . OPTIONAL { ?v ex:q ?w } FILTER (?v > 3) }    -> Triples, Optional, Condition

Everything that is not a word of SPARQL or a group belongs to triple patterns.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from kgreason.errors import ShapesError
from kgreason.shapes.query.tokens import end_of, is_variable, variables

_WORDS = frozenset(["FILTER", "BIND", "OPTIONAL", "GRAPH", "MINUS", "VALUES", "SERVICE", "{"])


class Triples(NamedTuple):
    """Triple patterns, as tokens."""

    tokens: list[str]


class Condition(NamedTuple):
    """`FILTER expression`: the tokens of the expression."""

    tokens: list[str]


class Bind(NamedTuple):
    """`BIND (expression AS ?name)`: the tokens of the expression."""

    tokens: list[str]
    name: str


class Existence(NamedTuple):
    """`FILTER EXISTS group`, or FILTER NOT EXISTS."""

    group: Group
    is_negated: bool


class Optional(NamedTuple):
    """`OPTIONAL group`."""

    group: Group


class Union(NamedTuple):
    """`group UNION group ...`; a group alone is a union of one."""

    groups: tuple[Group, ...]


class FromGraph(NamedTuple):
    """`GRAPH term group`."""

    term: str
    group: Group


class SubSelect(NamedTuple):
    """A SELECT inside a group: its tokens, from the word SELECT on."""

    tokens: list[str]


Element: TypeAlias = "Triples | Condition | Bind | Existence | Optional | Union | FromGraph | SubSelect"
Group: TypeAlias = tuple[Element, ...]


def group_of(tokens: list[str], where: str) -> Group:
    """Read the tokens between the brackets of a group. `where` names the query in messages. Raises ShapesError."""
    if tokens and tokens[0].upper() == "SELECT":
        return (SubSelect(tokens),)
    return tuple(_Reader(tokens, where).elements())


def pattern_variables(group: Group) -> set[str]:
    """Return the names of the variables to which a group may give values."""
    found = set[str]()
    for element in group:
        match element:
            case Triples(tokens):
                found |= variables(tokens)
            case Bind(_, name):
                found.add(name)
            case Optional(inner) | FromGraph(_, inner):
                found |= pattern_variables(inner)
            case Union(groups):
                found = found.union(*map(pattern_variables, groups))
            case SubSelect(tokens):
                found |= variables(tokens[: tokens.index("{")])
    return found


class _Reader:
    def __init__(self, tokens: list[str], where: str) -> None:
        self._tokens, self._where, self._at = tokens, where, 0

    def elements(self) -> list[Element]:
        found = list[Element]()
        while self._at < len(self._tokens):
            match self._tokens[self._at].upper():
                case "FILTER":
                    found.append(self._filter())
                case "BIND":
                    found.append(self._bind())
                case "OPTIONAL":
                    self._at += 1
                    found.append(Optional(self._group()))
                case "GRAPH":
                    term = self._next(1)
                    self._at += 2
                    found.append(FromGraph(term, self._group()))
                case "{":
                    found.append(self._union())
                case "}" | ")" | "]":
                    raise ShapesError(f"{self._where}: a bracket of the query closes nothing")
                case _:
                    found.append(self._triples())
        return found

    def _next(self, further: int = 0) -> str:
        place = self._at + further
        return self._tokens[place] if place < len(self._tokens) else ""

    def _brackets(self, bracket: str) -> list[str]:
        """Return the tokens inside the brackets that begin here, and go on behind them."""
        if self._next() != bracket:
            raise ShapesError(f"{self._where}: the query needs {bracket} where it has {self._next() or 'its end'}")
        end = end_of(self._tokens, self._at, self._where)
        inner = self._tokens[self._at + 1 : end]
        self._at = end + 1
        return inner

    def _group(self) -> Group:
        return group_of(self._brackets("{"), self._where)

    def _filter(self) -> Element:
        self._at += 1
        words = [self._next().upper(), self._next(1).upper()]
        if words[0] == "EXISTS" or words == ["NOT", "EXISTS"]:
            self._at += 1 if words[0] == "EXISTS" else 2
            return Existence(self._group(), words[0] == "NOT")
        function = [] if self._next() == "(" else [self._next()]
        self._at += len(function)
        return Condition([*function, "(", *self._brackets("("), ")"])

    def _bind(self) -> Element:
        self._at += 1
        inner = self._brackets("(")
        if len(inner) < 3 or inner[-2].upper() != "AS" or not is_variable(inner[-1]):
            raise ShapesError(f"{self._where}: BIND needs (expression AS ?variable)")
        return Bind(inner[:-2], inner[-1][1:])

    def _union(self) -> Element:
        groups = [self._group()]
        while self._next().upper() == "UNION":
            self._at += 1
            groups.append(self._group())
        if len(groups) == len(groups[0]) == 1 and isinstance(groups[0][0], SubSelect):
            return groups[0][0]
        return Union(tuple(groups))

    def _triples(self) -> Element:
        start = self._at
        while self._at < len(self._tokens) and self._next().upper() not in _WORDS:
            if self._next() in "([":
                self._at = end_of(self._tokens, self._at, self._where)
            elif self._next() in ("}", ")", "]"):
                raise ShapesError(f"{self._where}: a bracket of the query closes nothing")
            self._at += 1
        inner = self._tokens[start : self._at]
        return Triples(inner[1:] if inner[0] == "." else inner)
