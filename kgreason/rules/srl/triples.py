"""`Expansion`: the triples that abbreviations of SPARQL-RL stand for.

    ?x :p :a, :b ; :q :c            ?x :p :a . ?x :p :b . ?x :q :c
    (1 2)                           _:a rdf:first 1 ; rdf:rest _:b . _:b rdf:first 2 ; rdf:rest rdf:nil
    [ :p :a ]                       _:a :p :a
    ?x :p/^:q ?y                    ?x :p ?z . ?y :q ?z
    << :s :p :o ~ :r >>             :r rdf:reifies <<( :s :p :o )>>
    :s :p :o ~ :r {| :q :a |}       :s :p :o . :r rdf:reifies <<( :s :p :o )>> . :r :q :a

In a body, blank nodes and the nodes between the steps of a path are variables of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal as Choice

from lark import Token

from kgreason.rules.model import Variable
from kgreason.rules.srl.abstract_syntax import Blank, Nested, Node, Pattern
from kgreason.rules.srl.names import Names
from kgreason.rules.srl.syntax import (
    Annotated,
    Annotation,
    Anonymous,
    Collection,
    Path,
    Properties,
    Reified,
    Triples,
    TripleTerm,
    Verb,
)
from kgreason.rules.srl.syntax import Node as NodeText
from kgreason.rules.text.syntax import Literal
from kgreason.terms import vocabulary as v

Place = Choice["head", "body", "data"]


class Expansion:
    """Makes the triples of one head, of one body, or of all DATA blocks of a text. `place` says of which of the three.

    `fresh` makes a variable whose name the text does not use. In one `Expansion`, blank nodes with the same label are
    the same node.
    """

    def __init__(self, names: Names, place: Place, fresh: Callable[[str], Variable]) -> None:
        self._names, self._place, self._fresh = names, place, fresh
        self._blanks: dict[str, Node] = {}
        self._found: list[Pattern] = []
        self._at: Token | None = None

    def patterns(self, several: Iterable[Triples]) -> tuple[Pattern, ...]:
        """Return the triples that `several` subjects with their properties stand for, with abbreviations expanded."""
        self._found = []
        for triples in several:
            self._at = _first_token(triples.subject)
            self._properties(self._node(triples.subject), triples.properties)
        return tuple(self._found)

    def _add(self, subject: Node, predicate: Node, object_: Node) -> None:
        assert self._at is not None
        pattern = Pattern((subject, predicate, object_), self._at.line or 1, self._at.column or 1)
        if pattern.triple not in (found.triple for found in self._found):
            self._found.append(pattern)

    def _properties(self, subject: Node, properties: Properties) -> None:
        for verb, objects in properties:
            for annotated in objects:
                self._at = verb.start if isinstance(verb, Path) else verb
                self._object(subject, verb, annotated)

    def _object(self, subject: Node, verb: Verb, annotated: Annotated) -> None:
        object_ = self._node(annotated.node)
        if isinstance(verb, Path):
            if self._place != "body":
                self._names.fail(verb.start, f"a path cannot stand in {self._words()}, only in a body")
            if annotated.notes:
                self._names.fail(verb.start, "a path cannot have a reifier or an annotation: it is not one triple")
            self._path(subject, verb, object_)
            return
        triple = subject, self._verb(verb), object_
        self._add(*triple)
        self._annotations(triple, annotated)

    def _annotations(self, triple: tuple[Node, Node, Node], annotated: Annotated) -> None:
        """Add the triples that the reifiers `~ r` and annotations `{| ... |}` after a triple stand for.

        The reifiers and annotations are `annotated.notes`. The properties in `{| |}` belong to the node r if `~ r`
        stands directly before the braces, otherwise to a new node.
        """
        reifier: Node | None = None
        for note in annotated.notes:
            if isinstance(note, Annotation):
                self._properties(self._reify(triple, None) if reifier is None else reifier, note.properties)
                reifier = None
            else:
                named = None if isinstance(note, Token) and note.type == "TILDE" else note
                reifier = self._reify(triple, named)

    def _reify(self, triple: tuple[Node, Node, Node], named: NodeText | None) -> Node:
        reifier = self._blank() if named is None else self._node(named)
        self._add(reifier, v.RDF_REIFIES, triple_term(*triple))
        return reifier

    def _path(self, subject: Node, path: Path, object_: Node) -> None:
        *firsts, last = _steps(path)
        for verb, is_back in firsts:
            between = self._fresh("step")
            self._step(subject, verb, between, is_back=is_back)
            subject = between
        self._step(subject, last[0], object_, is_back=last[1])

    def _step(self, subject: Node, verb: Token, object_: Node, *, is_back: bool) -> None:
        one, other = (object_, subject) if is_back else (subject, object_)
        self._add(one, self._verb(verb), other)

    def _node(self, node: NodeText) -> Node:
        match node:
            case Anonymous():
                blank = self._blank()
                self._properties(blank, node.properties)
                return blank
            case Collection():
                return self._list([self._node(item) for item in node.items])
            case Reified():
                triple = self._node(node.subject), self._verb(node.predicate), self._node(node.object)
                return self._reify(triple, node.reifier)
            case TripleTerm():
                return triple_term(self._node(node.subject), self._verb(node.predicate), self._node(node.object))
            case Literal():
                return self._names.constant(node)
            case _ if node.type == "VARIABLE":
                return self._variable(node)
            case _ if node.type == "BLANK":
                return self._blank(str(node.value[2:]))
            case _:
                return self._names.constant(node)

    def _verb(self, verb: Verb) -> Node:
        if isinstance(verb, Path):
            self._names.fail(verb.start, "a path cannot stand in a triple term")
        return self._variable(verb) if verb.type == "VARIABLE" else self._names.constant(verb)

    def _variable(self, token: Token) -> Variable:
        if self._place == "data":
            self._names.fail(token, f"{token} is a variable: a DATA block has triples without variables")
        return Variable(token.value[1:])

    def _blank(self, label: str = "") -> Node:
        """Return the node for a blank node: a variable in a body, a `Blank` elsewhere.

        With a label, the result is the same node each time. Without a label, it is a new node. A new `Blank` gets a
        label with a space, so that the label differs from all labels in the text.
        """
        key = label or f"{len(self._blanks)} "
        if key not in self._blanks:
            self._blanks[key] = self._fresh(label or "node") if self._place == "body" else Blank(key)
        return self._blanks[key]

    def _list(self, items: list[Node]) -> Node:
        cells = [self._blank() for _ in items]
        for number, (cell, item) in enumerate(zip(cells, items, strict=True), 1):
            self._add(cell, v.RDF_FIRST, item)
            self._add(cell, v.RDF_REST, cells[number] if number < len(cells) else v.RDF_NIL)
        return cells[0] if cells else v.RDF_NIL

    def _words(self) -> str:
        return "a DATA block" if self._place == "data" else "a head"


def triple_term(subject: Node, predicate: Node, object_: Node) -> Node:
    """Return a triple term as a constant, or as a `Nested` if it has a variable or a blank node in it."""
    if any(isinstance(part, (Variable, Blank, Nested)) for part in (subject, predicate, object_)):
        return Nested(subject, predicate, object_)
    return f"<<( {subject} {predicate} {object_} )>>"


def _steps(path: Path, *, is_back: bool = False) -> Iterator[tuple[Token, bool]]:
    """Yield the properties of a path in the order in which the path is followed.

    Each comes with a flag that says whether the property is followed backwards. `is_back` says that the whole path is
    followed backwards, from its end.
    """
    for verb, is_inverse in reversed(path.steps) if is_back else path.steps:
        if isinstance(verb, Path):
            yield from _steps(verb, is_back=is_back != is_inverse)
        else:
            yield verb, is_back != is_inverse


def _first_token(node: NodeText) -> Token:
    if isinstance(node, Token):
        return node
    return node.string if isinstance(node, Literal) else node.start
