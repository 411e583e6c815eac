"""`Report`: a validation report (SHACL, 3.6), read from the results that the rules have derived.

    report.conforms, report.results      str(report)      report.to_graph()      report.to_pandas()

A result tells which node (`focus`) violates which constraint of which shape. Law: `conforms` is true exactly if there is
no result, of whatever severity. Cost: some microseconds for each result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.messages import message_of
from kgreason.shapes.paths import Path, path_of
from kgreason.shapes.vocabulary import NONE, SH, sh
from kgreason.terms import vocabulary as v

if TYPE_CHECKING:
    import pandas
    import rdflib

Node: TypeAlias = NamedNode | BlankNode | Literal | Triple
_HOLE = re.compile(r"\{[?$](\w+)\}")
_COLUMNS = ("focus", "path", "value", "source_shape", "component", "severity", "message")


@dataclass(frozen=True, slots=True)
class Result:
    """One validation result: a node that violates a constraint of a shape.

    - `focus`: the node; `path`: the predicate, the path in the syntax of SPARQL, or None for a node shape
    - `value`: the value that violates the constraint, or None
    - `source_shape`, `component`, `severity`: as in W3C's report; `parameter` is the value of the component's parameter
    - `messages`: the values of sh:message of the shape, with `{?value}`, `{$this}` and `{?path}` filled in
    - `detail`: the other value of sh:lessThan, or the language of sh:uniqueLang; else None
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

    def to_text(self, prefixes: Mapping[str, str] | None = None, language: str | None = None) -> str:
        """Return the result as one line, with short IRIs. `language` chooses among the messages."""
        short = _Short(prefixes or {})
        where = f"{short.name(self.focus)}{f' {short.path(self.path)}' if self.path else ''}"
        what = self.message(language) or message_of(self, short.name)
        return f"{_end(self.severity)}: {where}: {what} ({short.name(self.source_shape)})"

    def message(self, language: str | None = None) -> str | None:
        """Return the text of a message: the one in `language` if there is one, else the first."""
        tags = [(each.language or "").lower() for each in self.messages]
        wanted = [language.lower()] if language else ["", "en"]
        places = [tags.index(tag) for tag in wanted if tag in tags]
        return self.messages[(places or [0])[0]].value if self.messages else None


class Report:
    """A validation report: whether the data conforms to the shapes, and the results if it does not.

    `data` says over what was validated: "inferred" or "asserted".
    """

    def __init__(self, shapes: ShapesGraph, facts: Iterable[Sequence[Node]], data: str = "inferred") -> None:
        self._shapes, self.data = shapes, data
        self._paths: dict[str, Path | None] = {}
        found = [self._result(*fact) for fact in facts]
        self.results: tuple[Result, ...] = tuple(sorted(found, key=_order))

    @property
    def conforms(self) -> bool:
        """Whether there is no result."""
        return not self.results

    def __bool__(self) -> bool:
        """True, also for data that does not conform."""
        return True

    def __len__(self) -> int:
        """The number of results."""
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __repr__(self) -> str:
        return f"<Report: {self._verdict()}>"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, prefixes: Mapping[str, str] | None = None, language: str | None = None) -> str:
        """Return a line for each result, and one that counts them. `language` chooses among messages."""
        lines = [each.to_text(prefixes, language) for each in self.results]
        return "\n".join([*lines, self._verdict()])

    def to_markdown(self, prefixes: Mapping[str, str] | None = None) -> str:
        """Return the report as a table in Markdown."""
        rows = [_COLUMNS, ("---",) * len(_COLUMNS), *self._rows(prefixes)]
        table = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
        return "\n".join([self._verdict(), *(["", *table] if self.results else [])])

    def _repr_html_(self) -> str:
        """Return the report as a table, which notebooks show."""
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self._rows(None))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><caption>{escape(self._verdict())}</caption><tr>{head}</tr>{body}</table>"

    def to_json(self) -> dict[str, Any]:
        """Return the report as a dict that JSON can write, with terms as N-Triples text."""
        return {
            "conforms": self.conforms,
            "data": self.data,
            "results": [
                {
                    "focus": str(each.focus),
                    "path": None if each.path is None else str(each.path),
                    "value": None if each.value is None else str(each.value),
                    "source_shape": str(each.source_shape),
                    "component": str(each.component),
                    "severity": str(each.severity),
                    "message": each.message() or message_of(each, str),
                }
                for each in self.results
            ],
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Return a frame of pandas with a row for each result. Needs pandas."""
        import pandas

        return pandas.DataFrame(list(self._rows(None)), columns=list(_COLUMNS))

    def to_graph(self) -> rdflib.Graph:
        """Return the report in W3C's form, as a graph of rdflib. Needs rdflib."""
        from kgreason.shapes.report_graph import report_graph

        return report_graph(self, {str(each.source_shape): self._path(str(each.source_shape)) for each in self.results})

    def _rows(self, prefixes: Mapping[str, str] | None) -> Iterator[tuple[str, ...]]:
        short = _Short(prefixes or {})
        for each in self.results:
            path = "" if each.path is None else short.path(each.path)
            value = "" if each.value is None else short.name(each.value)
            ends = short.name(each.source_shape), _end(each.component), _end(each.severity)
            yield short.name(each.focus), path, value, *ends, each.message() or message_of(each, short.name)

    def _verdict(self) -> str:
        count = len(self.results)
        if not count:
            return "the data conforms to the shapes"
        return f"the data does not conform to the shapes: {count:,} {'result' if count == 1 else 'results'}"

    def _path(self, shape: str) -> Path | None:
        if shape not in self._paths:
            node = self._shapes.one(shape, "path")
            self._paths[shape] = None if node is None else path_of(self._shapes, node)
        return self._paths[shape]

    def _result(self, *terms: Node) -> Result:
        shape, component, parameter, focus, own_path, value, detail, _ = terms
        node = str(shape)
        found = None if str(own_path) == NONE else own_path
        path: NamedNode | str | None = found if isinstance(found, NamedNode) else None
        if path is None and (of_shape := self._path(node)) is not None:
            path = str(of_shape) if of_shape.kind else NamedNode(of_shape.predicate[1:-1])
        severity = (self._shapes.objects(node, sh("severity")) or [sh("Violation")])[0]
        holes = {"this": focus, "value": value, "path": path}
        assert isinstance(component, NamedNode)
        return Result(
            focus,
            path,
            _present(value),
            shape,
            component,
            NamedNode(severity[1:-1]),
            tuple(_filled(text, holes) for text in self._shapes.objects(node, sh("message"))),
            _present(detail),
            parameter,
        )


class _Short:
    """Writes terms with short IRIs."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        spaces = {"sh": SH, "xsd": v.XSD, **prefixes}
        self._prefixes = sorted(spaces.items(), key=lambda item: -len(item[1]))

    def name(self, term: Any) -> str:
        """Write a term."""
        return _IRI.sub(lambda found: self._iri(found[0]), str(term))

    def path(self, path: NamedNode | str) -> str:
        """Write a path."""
        return self.name(path)

    def _iri(self, text: str) -> str:
        for prefix, space in self._prefixes:
            if text[1:].startswith(space) and _LOCAL.fullmatch(text[1 + len(space) : -1]):
                return f"{prefix}:{text[1 + len(space) : -1]}"
        return text


_IRI = re.compile(r"<[^<>\s]*>")
_LOCAL = re.compile(r"\w[\w-]*|")


def _end(term: NamedNode) -> str:
    return term.value.removeprefix(SH).removesuffix("ConstraintComponent")


def _present(term: Node) -> Node | None:
    return None if str(term) == NONE else term


def _filled(text: str, holes: Mapping[str, Any]) -> Literal:
    """Return a message, with its holes such as `{?value}` filled."""
    message = literal(text)
    shown = {name: str(getattr(term, "value", term)) for name, term in holes.items()}
    inner = _HOLE.sub(lambda hole: shown.get(hole[1], hole[0]), message.value)
    return Literal(inner, language=message.language) if message.language else Literal(inner)


def literal(text: str) -> Literal:
    """Return the literal of a text in N-Triples syntax."""
    from kgreason.datatypes.literals import unescaped

    parts = unescaped(text)
    if parts.language:
        return Literal(parts.lexical, language=parts.language)
    return Literal(parts.lexical, datatype=NamedNode(parts.datatype[1:-1]))


def _order(result: Result) -> tuple[str, ...]:
    terms = (result.source_shape, result.component, result.focus, result.path, result.value, result.detail)
    return tuple(map(str, terms))
