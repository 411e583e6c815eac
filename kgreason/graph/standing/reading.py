"""`plan_of`: the triple patterns of a SELECT, if a delta tells which of its solutions may have changed.

    SELECT ?x ?n { ?x a :Cat OPTIONAL { ?x :name ?n } FILTER NOT EXISTS { ?x :gone ?y } }

    patterns   ?x a :Cat    ?x :name ?n    ?x :gone ?y          certain variables: ?x

The *certain* variables are those of the patterns outside of OPTIONAL and EXISTS, so every solution has values for them.
A triple that came or went, and matches a pattern, gives values to the certain variables of this pattern. The triple
changes only solutions that have these values. Example: `<tom> :name "Tom"` changes only solutions with ?x = <tom>.
This holds for patterns, OPTIONAL, FILTER and FILTER (NOT) EXISTS of any depth, if the query is *well-designed* (Perez,
Arenas and Gutierrez: Semantics and Complexity of SPARQL): where an OPTIONAL names a certain variable, the patterns
before this OPTIONAL in its own group give the variable its value. Two examples of the contrary:

    { OPTIONAL { ?x :p ?y } ?x :q ?z }                             the OPTIONAL may give ?x another value
    { ?x :p ?y OPTIONAL { ?z :q ?w OPTIONAL { ?z :r ?x } } }       and so may the inner OPTIONAL

For these queries, and for those with other parts, there is no plan. Oxigraph's Turtle parser reads the patterns, with
an IRI in place of each variable.

Cost: a few microseconds for each token, once for each standing query.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat

from kgreason.sparql.template import placeholder
from kgreason.sparql.tokens import TOKEN
from kgreason.terms.prefixes import declarations

_HEAD = re.compile(r"SELECT\s+(?:DISTINCT\s+|REDUCED\s+)?(\*\s*|(?:[?$]\w+\s*)+)(?:WHERE\s*)?$", re.IGNORECASE)
_OTHER = frozenset(["UNION", "MINUS", "BIND", "VALUES", "GRAPH", "SERVICE", "SELECT", "LATERAL"])
_UNSTEADY = frozenset(["RAND", "NOW", "UUID", "STRUUID", "BNODE"])
_DEEPEST = 20
"""A query with more braces in each other has no plan: to read a text takes a look at it for each depth."""
_MARK = placeholder("").value
_SPACE = re.compile(r"\s*")


class Pattern(NamedTuple):
    """A triple pattern of a query. `variables` and `terms` have three places: subject, predicate and object.

    If a place is a variable, `variables` has its name there. If it is an IRI, `terms` has its text there. A place with
    neither matches any term.
    """

    variables: tuple[str | None, ...]
    terms: tuple[str | None, ...]


class Plan(NamedTuple):
    """The parts of a query that a standing query needs to evaluate the query again.

    - `prologue`: the text before SELECT
    - `columns`: the variables of SELECT; None for `SELECT *`
    - `block`: the text between the outer braces
    - `patterns`, `certain`: its triple patterns and certain variables
    """

    prologue: str
    columns: tuple[str, ...] | None
    block: str
    patterns: tuple[Pattern, ...]
    certain: frozenset[str]


class _NoPlanError(Exception):
    """Raised for a query that has no plan."""


def plan_of(sparql: str, prefixes: Mapping[str, str], base: str | None) -> Plan | None:
    """Return the plan of a valid query, or None if the query has no plan and must be evaluated as a whole.

    >>> plan = plan_of("SELECT ?x { ?x a <e:C> OPTIONAL { ?x <e:p> ?y } }", {}, None)
    >>> [each.variables for each in plan.patterns], plan.certain
    ([('x', None, None), ('x', None, 'y')], frozenset({'x'}))
    >>> plan_of("SELECT (COUNT(*) AS ?n) { ?x a <e:C> }", {}, None)
    """
    try:
        return _plan(_without_comments(sparql), prefixes, base)
    except (_NoPlanError, SyntaxError, ValueError):
        return None


def is_distinct(sparql: str) -> bool:
    """Return whether equal rows of a valid query count as one row, because the query says DISTINCT or REDUCED.

    >>> is_distinct("SELECT DISTINCT ?x { ?x a ?y }"), is_distinct("SELECT ?x { { SELECT DISTINCT ?x { ?x a ?y } } }")
    (True, False)
    """
    words = (token["name"].upper() for token in TOKEN.finditer(sparql) if token["name"])
    return any(word == "SELECT" for word in words) and next(words, "") in ("DISTINCT", "REDUCED")


def _without_comments(sparql: str) -> str:
    parts: list[str] = []
    done = 0
    for token in TOKEN.finditer(sparql):
        if token[0].startswith("#") and token["skip"]:
            parts += sparql[done : token.start()], " "
            done = token.end()
    return "".join([*parts, sparql[done:]])


def _plan(text: str, prefixes: Mapping[str, str], base: str | None) -> Plan:
    begin = next((each.start() for each in TOKEN.finditer(text) if (each["name"] or "").upper() == "SELECT"), -1)
    open_ = next((each.start() for each in TOKEN.finditer(text) if each["open"]), -1)
    if begin < 0 or open_ < begin:
        raise _NoPlanError
    end = _end_of_block(text, open_, _DEEPEST)
    head = _HEAD.fullmatch(text[begin:open_])
    if head is None or text[end:].strip():
        raise _NoPlanError
    prologue = f"{declarations(prefixes)}{text[:begin]}"
    reader = _Reader(text, prologue, base)
    reader.read(open_ + 1, end - 1, is_certain=True)
    if not reader.certain or not reader.is_well_designed:
        raise _NoPlanError
    columns = None if head[1].strip() == "*" else tuple(name[1:] for name in head[1].split())
    if columns and len(set(columns)) < len(columns):
        raise _NoPlanError
    patterns, certain = tuple(reader.patterns), frozenset(reader.certain)
    return Plan(text[:begin], columns, text[open_ + 1 : end - 1], patterns, certain)


class _Reader:
    """Reads the groups `{ ... }` of a query, and collects their patterns and the certain variables."""

    def __init__(self, text: str, prologue: str, base: str | None) -> None:
        self._text, self._prologue, self._base = text, prologue, base
        self.patterns: list[Pattern] = []
        self.certain: set[str] = set()
        self._optional: list[tuple[set[str], set[str]]] = []
        """Of each OPTIONAL: its variables, and the variables of the patterns before it in its group."""

    @property
    def is_well_designed(self) -> bool:
        """Whether each certain variable of an OPTIONAL has its value from the patterns before the OPTIONAL."""
        return all(names & self.certain <= before for names, before in self._optional)

    def read(self, at: int, end: int, *, is_certain: bool) -> None:
        """Read the group whose text is between the positions `at` and `end`, without its braces.

        `is_certain` says whether the variables of its patterns are certain.
        """
        text, triples, before = self._text, list[str](), set[str]()
        while at < end:
            token = TOKEN.match(text, at, end)
            word = (token["name"] or "").upper() if token else ""
            if word == "OPTIONAL":
                before |= self._triples(triples)
                begin, at = at, self._group(token.end() if token else at)
                self._optional.append((_variables(text, begin, at), set(before)))
            elif word == "FILTER":
                before |= self._triples(triples)
                at = self._filter(token.end() if token else at)
            elif word in _OTHER or (token and (token["open"] or token["close"])):
                raise _NoPlanError
            else:
                found = token[0] if token else text[at]
                triples.append(_turtle_piece(token, found))
                at += len(found)
        before |= self._triples(triples)
        if is_certain:
            self.certain |= before

    def _group(self, at: int) -> int:
        """Read the group that begins at the position `at`. Returns the position after the group."""
        at = _skip_space(self._text, at)
        if self._text[at : at + 1] != "{":
            raise _NoPlanError
        end = _end_of_block(self._text, at)
        self.read(at + 1, end - 1, is_certain=False)
        return end

    def _filter(self, at: int) -> int:
        """Check the condition of a FILTER, which begins at the position `at`; read the group of an EXISTS.

        Returns the position after the condition. Raises _NoPlanError if the condition calls a function such as RAND.
        """
        text = self._text
        at = _skip_space(text, at)
        while (token := TOKEN.match(text, at)) and token["name"]:
            word = token[0].upper()
            at = _skip_space(text, token.end())
            if word == "EXISTS":
                return self._group(at)
            if word in _UNSTEADY:
                raise _NoPlanError
        token = TOKEN.match(text, at)
        if token and token["skip"] and token[0].startswith("<"):  # a function with an IRI as its name
            at = _skip_space(text, token.end())
        return _end_of_brackets(text, at)

    def _triples(self, parts: list[str]) -> set[str]:
        """Read the text of `parts` as triples in Turtle, and add their patterns to `patterns`. Then empty `parts`.

        Returns the variables of these patterns.
        """
        text = "".join(parts).strip()
        parts.clear()
        if not text:
            return set()
        stop = "" if text.endswith(".") else " ."
        quads = pyoxigraph.parse(f"{self._prologue}\n{text}{stop}", RdfFormat.TURTLE, base_iri=self._base)
        found = [Pattern(tuple(map(_variable, quad.triple)), tuple(map(_iri_text, quad.triple))) for quad in quads]
        self.patterns += found
        return {name for pattern in found for name in pattern.variables if name is not None}


def _variables(text: str, at: int, end: int) -> set[str]:
    return {token[0][1:] for token in TOKEN.finditer(text, at, end) if token["variable"]}


def _turtle_piece(token: re.Match[str] | None, text: str) -> str:
    """Return a piece of a query, whose text is `text`, as text in Turtle. A variable becomes an IRI.

    `token` is the token of SPARQL; None if the piece is a character that belongs to no token.
    """
    if token and token["variable"]:
        return f" {placeholder(text[1:])} "
    return text.lower() if text.upper() in ("TRUE", "FALSE") else text


def _variable(term: object) -> str | None:
    return term.value[len(_MARK) :] if isinstance(term, NamedNode) and term.value.startswith(_MARK) else None


def _iri_text(term: object) -> str | None:
    """Return the text of an IRI. Returns None for a variable, for a blank node, and for a literal.

    A literal gives None, because a literal may have several spellings.
    """
    if _variable(term) is not None or isinstance(term, (BlankNode, Literal)):
        return None
    if not isinstance(term, NamedNode):
        raise _NoPlanError
    return str(term)


def _end_of_block(text: str, at: int, most: int | None = None) -> int:
    """Return the position after the block in braces that begins at the position `at`.

    Raises _NoPlanError if braces are in braces more than `most` times.
    """
    depth = 0
    for token in TOKEN.finditer(text, at):
        depth += bool(token["open"]) - bool(token["close"])
        if most is not None and depth > most:
            raise _NoPlanError
        if token["close"] and not depth:
            return token.start() + 1
    raise _NoPlanError


def _end_of_brackets(text: str, at: int) -> int:
    """Return the position after the bracket that closes the bracket at the position `at`.

    Raises _NoPlanError if there are braces or a function such as RAND inside the brackets.
    """
    depth = 0
    for token in _tokens(text, at):
        if token.upper() in _UNSTEADY or token in ("{", "}"):
            raise _NoPlanError
        at += len(token)
        depth += (token == "(") - (token == ")")
        if not depth:
            if token != ")":
                raise _NoPlanError
            return at
    raise _NoPlanError


def _tokens(text: str, at: int) -> Iterator[str]:
    """Yield the tokens of `text` from the position `at` on. A character that belongs to no token is yielded alone."""
    while at < len(text):
        token = TOKEN.match(text, at)
        piece = text[at] if token is None or token["open"] or token["close"] else token[0]
        yield piece
        at += len(piece)


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
