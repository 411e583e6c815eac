"""`Result`: one validation result, as a fact of the rules of a shapes graph says it (`vocabulary.COLUMNS`).

Law: a fact alone gives the result but for its messages, which are those of the shape. Cost: some microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from kgreason.datatypes.literals import parts_of_literal
from kgreason.interrupts import let_out
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.messages import message_of
from kgreason.shapes.vocabulary import NONE, SH, sh
from kgreason.terms import vocabulary as v

Node: TypeAlias = NamedNode | BlankNode | Literal | Triple
_HOLE = re.compile(r"\{[?$](\w+)\}")
_IRI = re.compile(r"<[^<>\s]*>")
_LOCAL = re.compile(r"\w[\w-]*|")
_NOTHING, _SAYS = NamedNode(NONE[1:-1]), sh("message")


class _Messages(NamedTuple):
    """The messages of a query or component, as texts with holes, or else those of the shape."""

    own: Sequence[str] = ()
    of_shape: Sequence[Literal] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """One validation result: a node that violates a constraint of a shape.

    - `focus`: the node; `path`: the predicate, the path in the syntax of SPARQL, or None for a node shape
    - `value`: the value that violates the constraint, or None
    - `source_shape`, `component`, `severity`: as in W3C's report; `parameter` is the value of the component's parameter
    - `messages`: the values of sh:message of the shape; for a SPARQL constraint or component those of its own, with
      `{?value}`, `{$this}` and `{?path}` filled in. Empty if the shapes graph is not at hand
    - `detail`: the other value of sh:lessThan, the language of sh:uniqueLang, or the value node of sh:closed; else None
    - `fact`: the fact of the relation shacl_result that says the result; the relation explains it
    """

    focus: Node
    path: NamedNode | str | None
    value: Node | None
    source_shape: Node
    component: NamedNode
    severity: NamedNode
    messages: tuple[Literal, ...] = ()
    detail: Node | None = None
    parameter: Node | None = None
    fact: tuple[Node, ...] = field(default=(), repr=False, compare=False)

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, prefixes: Mapping[str, str] | None = None, language: str | None = None) -> str:
        """Return the result as one line, with short IRIs. `language` chooses among the messages."""
        short = shortener(prefixes or {})
        where = f"{short(self.focus)}{f' {short(self.path)}' if self.path else ''}"
        what = self.message(language) or self.words(short)
        return f"{end(self.severity)}: {where}: {what} ({short(self.source_shape)})"

    def words(self, name: Callable[[Any], str]) -> str:
        """Return what the result says, whatever messages its shape has. `name` writes a term."""
        value = self.focus if self.value is None else self.value
        return message_of(end(self.component), self.parameter, value, self.detail, name)

    def to_json(self, language: str | None = None) -> dict[str, Any]:
        """Return the result as a dict that JSON can write, with terms as N-Triples text.

        `fact` has the terms of its fact of the relation shacl_result, of which a graph gives a proof.
        """
        return {
            "focus": str(self.focus),
            "path": None if self.path is None else str(self.path),
            "value": None if self.value is None else str(self.value),
            "source_shape": str(self.source_shape),
            "component": str(self.component),
            "severity": str(self.severity),
            "message": self.message(language) or self.words(str),
            "fact": list(map(str, self.fact)),
        }

    def message(self, language: str | None = None) -> str | None:
        """Return the text of a message: the one in `language` if there is one, else the first."""
        tags = [(each.language or "").lower() for each in self.messages]
        wanted = [language.lower()] if language else ["", "en"]
        places = [tags.index(tag) for tag in wanted if tag in tags]
        return self.messages[(places or [0])[0]].value if self.messages else None


def results_of(facts: Iterable[Sequence[Any]], shapes: ShapesGraph | None = None) -> tuple[Result, ...]:
    """Return the results that facts say, sorted. Their terms are those of pyoxigraph.

    `shapes` has the messages of the shapes: those of a constraint are read once.
    """
    read = cache(partial(_messages, shapes=shapes))
    found = list[Result]()
    for fact in facts:
        let_out()
        found.append(_result_of(fact, read))
    return tuple(sorted(found, key=_sort_key))


def _messages(shape: Node, component: Node, parameter: Node, shapes: ShapesGraph | None) -> _Messages:
    if shapes is None:
        return _Messages()
    own = _of_query(str(component), str(parameter), shapes)
    return (
        _Messages(own)
        if own
        else _Messages(of_shape=[_fill_holes(text, {}) for text in shapes.objects(str(shape), _SAYS)])
    )


def _result_of(fact: Sequence[Any], read: Callable[[Node, Node, Node], _Messages]) -> Result:
    shape, component, parameter, focus, path, value, detail, severity, _ = fact
    own, messages = read(shape, component, parameter)
    if own:
        holes = {"this": focus, "value": _present(value), "path": _present(path)}
        messages = [_fill_holes(text, holes) for text in own]
    return Result(
        focus,
        path.value if isinstance(path, Literal) else _present(path),
        _present(value),
        shape,
        component,
        severity,
        tuple(messages),
        _present(detail),
        parameter,
        tuple(fact),
    )


def _of_query(component: str, parameter: str, shapes: ShapesGraph) -> list[str]:
    """Return the messages of a SPARQL constraint, or of a component of the shapes graph (SHACL, 5.3.2)."""
    if component == sh("SPARQLConstraintComponent"):
        return shapes.objects(parameter, _SAYS)
    kinds = map(sh, ("nodeValidator", "propertyValidator", "validator"))
    validators = [each for kind in kinds for each in shapes.objects(component, kind)]
    return [text for each in (*validators, component) for text in shapes.objects(each, _SAYS)]


def _sort_key(result: Result) -> tuple[str, ...]:
    """Return the key by which results are sorted: shape, component, focus and the others, as texts."""
    terms = (result.source_shape, result.component, result.focus, result.path, result.value, result.detail)
    return tuple(map(str, terms))


def end(term: NamedNode) -> str:
    """Return a term of SHACL without the namespace: `Violation`, `MinCount`."""
    return term.value.removeprefix(SH).removesuffix("ConstraintComponent")


def shortener(prefixes: Mapping[str, str]) -> Callable[[Any], str]:
    """Return a function that writes a term, or a path, with short IRIs."""
    spaces = {"sh": SH, "xsd": v.XSD, **prefixes}
    known = sorted(spaces.items(), key=lambda item: -len(item[1]))

    def iri(text: str) -> str:
        for prefix, space in known:
            if text[1:].startswith(space) and _LOCAL.fullmatch(text[1 + len(space) : -1]):
                return f"{prefix}:{text[1 + len(space) : -1]}"
        return text

    return lambda term: _IRI.sub(lambda found: iri(found[0]), str(term))


def _present(term: Any) -> Any:
    return None if term == _NOTHING else term


def _fill_holes(text: str, holes: Mapping[str, Any]) -> Literal:
    """Return a message, with its holes such as `{?value}` filled if there is a term for them."""
    parts = parts_of_literal(text)
    shown = {name: str(getattr(term, "value", term)) for name, term in holes.items() if term is not None}
    inner = _HOLE.sub(lambda hole: shown.get(hole[1], hole[0]), parts.lexical)
    if parts.language:
        return Literal(inner, language=parts.language)
    return Literal(inner, datatype=NamedNode(parts.datatype[1:-1]))
