"""`turtle`: a class expression in Manchester syntax as Turtle.

    partOf some Body    ->    [ a owl:Restriction ; owl:onProperty <.../partOf> ; owl:someValuesFrom <.../Body> ]

The grammar is beside this module. Facets of datatypes (`integer[> 5]`) and combined data ranges are refused: no rule
of kgreason reads them. Source: OWL 2 Manchester Syntax, section 2.4; OWL 2 Mapping to RDF Graphs, table 1.

Cost: linear in the text, and a copy of a part for each level of its depth. Nothing here calls itself. The first
call makes the parser.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput
from pyoxigraph import Literal, NamedNode

from kgreason.errors import InputError
from kgreason.grammars import parser_of
from kgreason.terms import vocabulary as v

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_DATATYPES = (f"<{v.XSD}", f"<{v.RDFS}Literal>", f"<{v.RDF}PlainLiteral>", f"<{v.RDF}langString>", f"<{v.OWL}rational>")
_WITH_LANGUAGE = (f"<{v.RDF}langString>", f"<{v.RDF}dirLangString>")
_NUMBER = f"{v.XSD}nonNegativeInteger"


class _Part(NamedTuple):
    """A part of the expression as Turtle, and whether it is about literals: a data range or a literal."""

    text: str
    is_data: bool = False


def turtle(text: str, iri: Callable[[str], str]) -> str:
    """Return a class expression as a node in Turtle, with full IRIs.

    `iri` returns the IRI of a name that the expression has: a prefixed name, `<IRI>`, 'a label' or a word. It may raise
    an error. Raises InputError for a text that is not a class expression.

    >>> turtle("not Cat", lambda name: f"http://e/{name}")
    '[ a <http://www.w3.org/2002/07/owl#Class> ; <http://www.w3.org/2002/07/owl#complementOf> <http://e/Cat> ]'
    """
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        raise InputError(
            f"{short_text(text)}: not a class expression in Manchester syntax: {_problem(error, text)}"
        ) from None
    writer, parts = _Writer(iri), dict[int, Any]()
    for node in tree.iter_subtrees():  # what a node consists of comes before the node
        parts[id(node)] = getattr(writer, node.data)(
            *[parts[id(each)] if isinstance(each, Tree) else each for each in node.children]
        )
    found: _Part = parts[id(tree)]
    if found.is_data:
        raise InputError(f"{short_text(text)}: this is a datatype or a set of literals, not a class")
    return found.text


@functools.cache
def _grammar() -> Lark:
    return parser_of(__file__)


def _problem(error: UnexpectedInput, text: str) -> str:
    at = cast(int, error.pos_in_stream)
    if getattr(error, "token", None) == "":
        return "it ends too early"
    hint = "; facets of datatypes are not read" if text[at] == "[" else ""
    return f"{short_text(text[at:])} is not expected (character {at + 1}){hint}"


def short_text(text: str) -> str:
    """Return a text of an expression as a message shows it: at most 60 characters."""
    return text if len(text) <= 60 else f"{text[:57]}..."


class _Writer:
    """Writes Turtle. The grammar names the method for each part, and its arguments are what the part consists of."""

    def __init__(self, iri: Callable[[str], str]) -> None:
        self._iri = iri

    def name(self, token: Token) -> _Part:
        found = f"<{self._iri(str(token))}>"
        return _Part(found, found.startswith(_DATATYPES))

    def same(self, part: _Part) -> _Part:
        return part

    class_ = same

    def inverse(self, name: _Part) -> _Part:
        return _Part(f"[ {v.OWL_INVERSE_OF} {name.text} ]")

    def union(self, *parts: _Part) -> _Part:
        return self._list(v.OWL_UNION_OF, parts)

    def intersection(self, *parts: _Part) -> _Part:
        return self._list(v.OWL_INTERSECTION_OF, parts)

    def _list(self, kind: str, parts: tuple[_Part, ...]) -> _Part:
        return _node(v.OWL_CLASS, f"{kind} ( {' '.join(self._class(each) for each in parts)} )")

    def _class(self, part: _Part) -> str:
        if part.is_data:
            raise InputError(f"{short_text(part.text)}: `and`, `or` and `not` of datatypes and literals are not read")
        return part.text

    def complement(self, part: _Part) -> _Part:
        return _node(v.OWL_CLASS, f"{v.OWL_COMPLEMENT_OF} {self._class(part)}")

    def one_of(self, *parts: _Part) -> _Part:
        if len({part.is_data for part in parts}) > 1:
            raise InputError("{...} has individuals and literals; write either")
        is_data = parts[0].is_data
        kind = f"<{v.RDFS}Datatype>" if is_data else v.OWL_CLASS
        members = " ".join(part.text for part in parts)
        return _node(kind, f"{v.OWL_ONE_OF} ( {members} )")._replace(is_data=is_data)

    def some(self, property_: _Part, part: _Part) -> _Part:
        return self._restriction(property_, f"{v.OWL_SOME_VALUES_FROM} {part.text}")

    def only(self, property_: _Part, part: _Part) -> _Part:
        return self._restriction(property_, f"{v.OWL_ALL_VALUES_FROM} {part.text}")

    def value(self, property_: _Part, part: _Part) -> _Part:
        return self._restriction(property_, f"{v.OWL_HAS_VALUE} {part.text}")

    def self(self, property_: _Part) -> _Part:
        return self._restriction(property_, f"{v.OWL_HAS_SELF} true")

    def cardinality(self, word: Token) -> str:
        return "" if word == "exactly" else str(word)

    def count(self, property_: _Part, kind: str, number: Token) -> _Part:
        return self._restriction(property_, f"{_counting(kind, 'Cardinality')} {_natural(number)}")

    def qualified(self, property_: _Part, kind: str, number: Token, part: _Part) -> _Part:
        on = v.OWL_ON_DATA_RANGE if part.is_data else v.OWL_ON_CLASS
        said = f"{_counting(kind, 'QualifiedCardinality')} {_natural(number)} ; {on} {part.text}"
        return self._restriction(property_, said)

    def _restriction(self, property_: _Part, said: str) -> _Part:
        return _node(f"<{v.OWL}Restriction>", f"{v.OWL_ON_PROPERTY} {property_.text} ; {said}")

    def text(self, text: Token) -> _Part:
        return _literal(text)

    def typed(self, text: Token, name: _Part) -> _Part:
        if name.text in _WITH_LANGUAGE:
            raise InputError(
                f'{short_text(text)}^^{short_text(name.text)}: a literal of this datatype has a language, as in "a"@en'
            )
        return _literal(text, datatype=NamedNode(name.text[1:-1]))

    def tagged(self, text: Token, language: Token) -> _Part:
        return _literal(text, language=language[1:])

    def number(self, text: Token) -> _Part:
        return _Part(str(text), True)

    def float(self, text: Token) -> _Part:
        return _Part(str(Literal(text[:-1], datatype=NamedNode(f"{v.XSD}float"))), True)


def _node(kind: str, said: str) -> _Part:
    return _Part(f"[ a {kind} ; {said} ]")


def _counting(kind: str, noun: str) -> str:
    word = f"{kind}{noun}" if kind else f"{noun[0].lower()}{noun[1:]}"
    return f"<{v.OWL}{word}>"


def _natural(number: Token) -> str:
    if number.startswith("-"):
        raise InputError(f"{short_text(number)}: a cardinality is not negative")
    return str(Literal(number.removeprefix("+"), datatype=NamedNode(_NUMBER)))


def _literal(quoted: str, **kind: Any) -> _Part:
    """Return the literal of a text in quotation marks, whose backslashes go. Raises InputError."""
    try:
        return _Part(str(Literal(_ESCAPED.sub(r"\1", quoted[1:-1]), **kind)), True)
    except ValueError as error:
        raise InputError(f"{short_text(quoted)}: this is not a literal: {error}") from error
