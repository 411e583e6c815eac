"""`origins_of`: where the WHERE of an update gets the values of its variables, and a wider SELECT that tells it.

Oxigraph shows a literal in its normal form: `7` for `"07"^^xsd:int`. An INSERT must write a value as it is written in
the triple that gave it. So for each variable this module names the triple patterns whose object the variable is:

    { ?s :p ?o OPTIONAL { ?s :q ?u } BIND(?o AS ?v) BIND(?o + 1 AS ?w) }

    ?o and ?v    the object of  ?s :p                 ?u    the object of  ?s :q,  if the OPTIONAL has matched
    ?w           no origin: its value is computed

The wider SELECT also gives the variables of these patterns. In each branch of a UNION and in each OPTIONAL it binds a
*mark*: a solution with the mark comes from there. A blank node with a label becomes a variable. This changes neither
the solutions nor their number.

IF, COALESCE, MIN, MAX and SAMPLE choose a value and compute nothing. A literal in the text of the WHERE is an origin
too. If the subject of a pattern is unknown (behind a path, or not selected by an inner SELECT), the origin has none.
A variable inside of a triple term, `<<( ?s :p ?o )>>`, has no origin, so its value is written in the normal form.

Cost: 0.4 s for the tables of the parser, once; then some 20 microseconds a token. An update without an INSERT, or that
inserts no literal with another spelling, never pays it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias, cast

import pyoxigraph
from lark import Token, Tree, UnexpectedToken
from pyoxigraph import RdfFormat

from kgreason.sparql.trees.parser import Node, parser
from kgreason.sparql.where_clause import Select
from kgreason.terms.tags import with_carriers, with_tags

Place: TypeAlias = str | None
"""A variable with its question mark, an IRI as N-Triples text, or None for an unknown term."""

_FIRST = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_CHOICES = {"IF": 1, "COALESCE": 0}
"""Functions that return one of their arguments, and the first of these arguments."""
_CHOOSING = ("MIN", "MAX", "SAMPLE")
_STEPS = re.compile("or|and|compared|sum|product|unary|primary|call|expression")


@dataclass(frozen=True, slots=True)
class Origin:
    """One way in which a variable gets a value.

    - `marks`: the variables that are bound in a solution exactly if it came this way
    - `subject`, `predicate`: of a triple pattern with the variable as object; None is any term
    - `graph`: the graph of the pattern; None is the default graph
    - `text`: a literal of the WHERE as N-Triples text, in place of a pattern
    - `is_single`: whether the value is chosen from many, so that it is one literal
    """

    marks: tuple[str, ...] = ()
    subject: Place = None
    predicate: Place = None
    graph: Place = None
    text: str | None = None
    is_single: bool = False

    @property
    def variables(self) -> Iterator[str]:
        """The names of the variables that tell whether and where to look."""
        places = (self.subject, self.predicate, self.graph)
        yield from self.marks
        yield from (place[1:] for place in places if place is not None and place.startswith("?"))


class Origins(NamedTuple):
    """A wider SELECT, and the origins of its variables by name. A variable without origins is computed."""

    select: Select
    by_variable: dict[str, list[Origin]]


def origins_of(select: Select, wanted: Iterable[str]) -> Origins:
    """Return the origins of the variables `wanted` of a SELECT that Oxigraph takes.

    Raises UnexpectedInput of Lark if the grammar lacks something that Oxigraph takes.

    >>> select = Select("", True, ("s", "o"), (), None, "{ ?s <e:p> ?o }")
    >>> [(each.subject, each.predicate) for each in origins_of(select, ["o"]).by_variable["o"]]
    [('?s', '<e:p>')]
    """
    select, group = _parse(select)
    reader = _Reader(select)
    found = reader.origins_in_group(group, (), None)
    of = {name: found[name] for name in wanted if name in found}
    more = {name: None for each in of.values() for origin in each for name in origin.variables}
    variables = tuple(dict.fromkeys([*select.variables, *more]))
    return Origins(replace(select, variables=variables, block=reader.rewrite(group)), of)


def _parse(select: Select) -> tuple[Select, Node]:
    """Return the tree of the block, and the SELECT with the block that has this tree. Raises UnexpectedInput.

    In `FILTER(?x<9&&?y>3)` the lexer sees an IRI. Where no IRI can stand, the block gets a space after the sign.
    """
    while True:
        try:
            return select, cast(Node, parser().parse(select.block, start="braces").children[0])
        except UnexpectedToken as error:
            if error.token.type != "IRI":
                raise
            after = cast(int, error.token.start_pos) + 1
            select = replace(select, block=f"{select.block[:after]} {select.block[after:]}")


_OriginsByName: TypeAlias = defaultdict[str, list[Origin]]


class _Reader:
    """Collects the origins of all variables of a block, and what to change in its text."""

    def __init__(self, select: Select) -> None:
        self._select = select
        self._text = select.block
        self._changes: list[tuple[int, int, str]] = []
        self._numbers = 0
        self._blanks: dict[str, str] = {}
        self._inner = 0

    def rewrite(self, group: Node) -> str:
        """Return the block with the changes. `group` is its tree."""
        parts, done = list[str](), 0
        labels = [token for token in _tokens(group) if token in self._blanks]
        named = [(cast(int, at.start_pos), cast(int, at.end_pos), f"?{self._blanks[str(at)]} ") for at in labels]
        for start, end, text in sorted(self._changes + named):
            parts += self._text[done:start], text
            done = end
        return "".join([*parts, self._text[done:]])

    def origins_in_group(self, group: Node, marks: tuple[str, ...], graph: Place) -> _OriginsByName:
        """Return the origins of the variables of a group. `marks` are those of the parts that the group is in."""
        found: _OriginsByName = defaultdict(list)
        for node in _outermost_nodes(group, "triples", "pattern", "sub_select"):
            if node.data == "sub_select":
                _add_origins(found, self._origins_in_select(node, marks, graph))
            elif node.data == "triples":
                for name, origin in self._triples(node):
                    found[name].append(replace(origin, marks=marks, graph=graph))
            else:
                self._pattern(node, found, marks, graph)
        return found

    def _pattern(self, node: Node, found: _OriginsByName, marks: tuple[str, ...], graph: Place) -> None:
        """Add the origins in a part of a group. The patterns of MINUS, FILTER and SERVICE bind nothing to look up."""
        first = node.children[0]
        kind = first.type if isinstance(first, Token) else str(first.data)
        groups = _child_nodes(node, "group")
        match kind:
            case "group" if len(groups) > 1:
                for each in groups:
                    _add_origins(found, self.origins_in_group(each, (*marks, *self._new_mark(each)), graph))
            case "group" | "LATERAL":
                _add_origins(found, self.origins_in_group(groups[0], marks, graph))
            case "OPTIONAL":
                _add_origins(found, self.origins_in_group(groups[0], (*marks, *self._new_mark(groups[0])), graph))
            case "GRAPH":
                _add_origins(found, self.origins_in_group(groups[0], marks, self._place(node.children[1])))
            case "bind":
                self._add_assigned(cast(Node, first), found, found)
            case "values":
                self._add_values(cast(Node, first), found)

    def _new_mark(self, group: Node) -> tuple[str, ...]:
        """Let a group bind a new variable. Inside of an inner SELECT nothing is marked, since nobody sees it."""
        if self._inner:
            return ()
        name, start, end = self._new_variable("mark"), group.meta.start_pos, group.meta.end_pos
        is_select = any(_child_nodes(group, "sub_select"))  # which nothing may follow in its braces
        if is_select:
            self._changes.append((start + 1, start + 1, "{"))
        self._changes.append((end - 1, end - 1, f"{'}' * is_select} BIND(1 AS ?{name}) "))
        return (name,)

    def _new_variable(self, word: str) -> str:
        while (name := f"{word}{self._numbers}") in self._text or name in self._select.variables:
            self._numbers += 1
        self._numbers += 1
        return name

    def _origins_in_select(self, node: Node, marks: tuple[str, ...], graph: Place) -> _OriginsByName:
        """Return the origins of the variables that an inner SELECT gives. The other variables are unknown outside."""
        self._inner += 1
        select = _child_nodes(node, "select")[0]
        inner = self.origins_in_group(_child_nodes(_child_nodes(select, "where")[0], "group")[0], marks, graph)
        for values in _child_nodes(node, "values"):
            self._add_values(values, inner)
        items = _outermost_nodes(select, "item")
        for alias in (each for item in items for each in _child_nodes(item, "alias")):
            self._add_assigned(alias, inner, inner)
        self._inner -= 1
        if not items:  # SELECT *
            return inner
        names = {
            str(_last_token(item) if not _child_nodes(item, "alias") else _last_token(_child_nodes(item, "alias")[0]))[
                1:
            ]
            for item in items
        }
        seen: _OriginsByName = defaultdict(list)
        for name in names:
            seen[name] = [_origin_outside(origin, names) for origin in inner.get(name, ())]
        return seen

    def _add_assigned(self, node: Node, known: _OriginsByName, found: _OriginsByName) -> None:
        """Add the origins of the variable of `expression AS variable`; `known` are those of the other variables."""
        name = _last_token(node)[1:]
        for chosen, is_single in _possible_values(_child_nodes(node, "expression")[0]):
            if isinstance(chosen, Token):
                found[name] += [
                    replace(origin, is_single=origin.is_single or is_single) for origin in known.get(chosen[1:], ())
                ]
            else:
                found[name].append(Origin(text=self._literal(chosen), is_single=is_single))

    def _add_values(self, node: Node, found: _OriginsByName) -> None:
        [data] = _child_nodes(node, "data")
        columns = _child_nodes(data, "columns")
        names = [str(token)[1:] for part in columns or [data] for token in part.children if _is_token(token, "VAR")]
        rows = (
            [_child_nodes(row, "value") for row in _child_nodes(data, "row")]
            if columns
            else [[v] for v in _child_nodes(data, "value")]
        )
        for row in rows:
            for name, value in zip(names, row, strict=False):
                if _child_nodes(value, "literal") or len(value.children) == 2:  # a sign and a number
                    found[name].append(Origin(text=self._literal(value)))

    def _triples(self, node: Node) -> Iterator[tuple[str, Origin]]:
        """Yield the variables that are objects of triple patterns, and their origins."""
        [subject, *properties] = _all_child_nodes(node)
        if subject.data == "node":
            yield from self._node(subject)
        for each in properties:
            yield from self._properties(self._place(subject), each, is_last=True)

    def _properties(self, subject: Place, node: Node, *, is_last: bool = False) -> Iterator[tuple[str, Origin]]:
        for each in _child_nodes(node, "properties"):
            yield from self._properties(subject, each)
        is_last = is_last and not _is_token(node.children[-1], "SEMICOLON")
        for verb, objects in zip(_child_nodes(node, "verb"), _child_nodes(node, "objects"), strict=True):
            found = _outermost_nodes(objects, "object")
            for object_ in found:
                [term, *annotations] = _all_child_nodes(object_)
                if is_last and len(found) == 1 and not self._inner and (steps := _sequence(verb)):
                    yield from self._cut_path(subject, verb, steps, self._place(term))
                else:
                    yield from self._step_objects(subject, verb.children[0], self._place(term))
                if term.data == "node":
                    yield from self._node(term)
                for each in (part for note in annotations for part in _child_nodes(note, "properties")):
                    yield from self._properties(None, each)

    def _cut_path(self, subject: Place, verb: Node, steps: list[Node], object_: Place) -> Iterator[tuple[str, Origin]]:
        """Write a path `:a/:b` at the end of triples as two triples, with a variable between them."""
        places = [subject]
        for slash in _slashes(verb):
            name = self._new_variable("between")
            self._changes.append((cast(int, slash.start_pos), cast(int, slash.end_pos), f" ?{name} . ?{name} "))
            places.append(f"?{name}")
        for step, (here, there) in zip(steps, pairwise([*places, object_]), strict=True):
            yield from self._step_objects(here, step, there)

    def _step_objects(self, subject: Place, first: Token | Node, object_: Place) -> Iterator[tuple[str, Origin]]:
        for here, there, is_end in ((subject, object_, True), (object_, subject, False)):
            if there is None or not there.startswith("?"):
                continue
            if isinstance(first, Token):
                if is_end:
                    yield there[1:], Origin(subject=here, predicate=str(first).replace("$", "?"))
                continue
            for predicate, is_direct in self._steps(first, is_end):
                yield there[1:], Origin(subject=here if is_direct else None, predicate=predicate)

    def _steps(self, path: Node, is_end: bool) -> Iterator[tuple[Place, bool]]:
        """Yield the predicates of the triples whose object is the end of a path, or the start if not `is_end`.

        With each comes whether the triple is all of the path.
        """
        match path.data:
            case "path":
                for each in _outermost_nodes(path, "sequence"):
                    yield from self._steps(each, is_end)
            case "sequence":
                steps = _outermost_nodes(path, "step")
                for predicate, is_direct in self._steps(steps[-1 if is_end else 0], is_end):
                    yield predicate, is_direct and len(steps) == 1
            case "step":
                [element] = _child_nodes(path, "element")
                yield from self._steps(element, is_end == (path.children[0] is element))
            case "element":
                for predicate, is_direct in self._steps(_all_child_nodes(path)[0], is_end):
                    yield predicate, is_direct and len(path.children) == 1
            case "simple" if inner := _child_nodes(path, "path"):
                yield from self._steps(inner[0], is_end)
            case "simple" if negated := _child_nodes(path, "negated"):
                for one in _outermost_nodes(negated[0], "one"):
                    if is_end == (len(one.children) == 1):
                        yield None, True
            case _:
                if is_end:
                    yield self._place(path), True

    def _node(self, node: Node) -> Iterator[tuple[str, Origin]]:
        for each in _child_nodes(node, "properties"):
            yield from self._properties(None, each)
        for each in _child_nodes(node, "term", "node"):
            if each.data == "node":
                yield from self._node(each)
            elif (place := self._place(each)) is not None and place.startswith("?"):
                yield place[1:], Origin(predicate=_FIRST)

    def _place(self, node: Token | Node) -> Place:
        """Return the term at a place of a pattern. A blank node with a label becomes a variable."""
        while isinstance(node, Tree):
            if len(node.children) != 1 or node.data in ("node", "literal", "triple_term"):
                return None
            node = node.children[0]
        match node.type:
            case "VAR":
                return f"?{node[1:]}"
            case "A":
                return _TYPE
            case "BLANK":
                return self._variable(node)
            case _:
                return self._term(node)

    def _variable(self, label: Token) -> Place:
        if self._inner:
            return None
        if label not in self._blanks:
            self._blanks[str(label)] = self._new_variable("node")
        return f"?{self._blanks[str(label)]}"

    def _literal(self, node: Node) -> str:
        return self._term("".join(_tokens(node)))

    def _term(self, text: str) -> str:
        """Return the N-Triples text of a term of the block."""
        text = text.lower() if text.upper() in ("TRUE", "FALSE") else text
        document = f"{self._select.prologue}\n<tag:x> <tag:x> {text} ."
        (quad,) = pyoxigraph.parse(with_carriers(document.encode()), RdfFormat.TURTLE)
        return with_tags(str(quad.object).encode()).decode()


def _origin_outside(origin: Origin, names: set[str]) -> Origin:
    """Return an origin in an inner SELECT as it is seen outside, where only the variables `names` are known."""

    def place_outside(place: Place) -> Place:
        return place if place is None or not place.startswith("?") or place[1:] in names else None

    return replace(
        origin,
        subject=place_outside(origin.subject),
        predicate=place_outside(origin.predicate),
        graph=place_outside(origin.graph),
    )


def _possible_values(expression: Node, is_single: bool = False) -> Iterator[tuple[Token | Node, bool]]:
    """Yield the variables and literals whose value an expression may return as it is.

    With each comes whether it is one of many values.
    """
    node: Node = expression
    while _STEPS.fullmatch(node.data):
        trees = _all_child_nodes(node)
        if node.data == "primary" and _is_token(node.children[0], "VAR"):
            yield cast(Token, node.children[0]), is_single
            return
        if node.data == "unary" and _is_number(node):
            yield node, is_single
            return
        if len(trees) != 1 or len(node.children) not in (1, 3) or (len(node.children) == 3 and node.data != "primary"):
            return
        node = trees[0]
    if node.data == "literal":
        yield node, is_single
    elif node.data == "aggregate" and str(node.children[0]).upper() in _CHOOSING:
        for each in _child_nodes(node, "expression"):
            yield from _possible_values(each, True)
    elif node.data == "function" and (first := _CHOICES.get(str(node.children[0]).upper())) is not None:
        for argument in _outermost_nodes(node, "expression")[first:]:
            yield from _possible_values(argument, is_single)


def _is_number(node: Node) -> bool:
    """Whether a node is a sign and a number right after it, which are one literal: `-05`, but not `- 05` or `-?x`."""
    sign, *more = _tokens(node)
    return (
        sign.type in ("PLUS", "MINUS")
        and [each.type for each in more] == ["NUMBER"]
        and sign.end_pos == more[0].start_pos
    )


def _sequence(verb: Node) -> list[Node]:
    """Return the steps of a path that is a sequence of several steps, and nothing more; otherwise an empty list."""
    sequences = _outermost_nodes(verb, "sequence")
    steps = _outermost_nodes(sequences[0], "step") if len(sequences) == 1 else []
    return steps if len(steps) > 1 else []


def _slashes(verb: Node) -> list[Token]:
    """Return the slashes between the steps of a sequence, without those in brackets."""
    found: list[Token] = []
    for child in verb.children:
        if isinstance(child, Token):
            found += [child] if child.type == "SLASH" else []
        elif child.data in ("path", "sequence"):
            found += _slashes(child)
    return found


def _add_origins(found: _OriginsByName, more: _OriginsByName) -> None:
    for name, origins in more.items():
        found[name] += origins


def _outermost_nodes(node: Node, *names: str) -> list[Node]:
    """Return the outermost nodes with these names below a node, in order. Other groups are not looked into."""
    found: list[Node] = []
    for child in node.children:
        if isinstance(child, Tree):
            if child.data in names:
                found += [child]
            elif child.data != "group":
                found += _outermost_nodes(child, *names)
    return found


def _child_nodes(node: Node, *names: str) -> list[Node]:
    return [child for child in node.children if isinstance(child, Tree) and child.data in names]


def _tokens(node: Node) -> Iterator[Token]:
    return node.scan_values(lambda child: isinstance(child, Token))


def _all_child_nodes(node: Node) -> list[Node]:
    return [child for child in node.children if isinstance(child, Tree)]


def _is_token(child: Token | Node, kind: str) -> bool:
    return isinstance(child, Token) and child.type == kind


def _last_token(node: Node) -> Token:
    return next(cast(Token, child) for child in reversed(node.children) if _is_token(child, "VAR"))
