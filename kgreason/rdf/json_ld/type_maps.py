"""`without_type_maps`: write the type maps of a JSON-LD document as lists of nodes.

    "p": {"Person": {"@id": "x"}}        ->        "p": [{"@type": ["Person"], "@id": "x"}]

pyoxigraph refuses a type map whose nodes have an @id, and one that is a set as well. The list means the same (JSON-LD
1.1, section 9.12). The terms are those that a context of the document defines with the container @type; to define such
a term in another way as well is an error. Cost: the document is parsed as a whole.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator
from typing import Any

from kgreason.errors import RdfSyntaxError

HAS_TYPE_MAP = re.compile(rb'"@container"\s*:\s*(?:\[[^\[\]{}]*)?"@type"')
"""No bracket may stand in a list of containers: a search that went past one would take quadratic time."""
_TYPE, _NONE, _VALUE, _CONTEXT, _CONTAINER = "@type", "@none", "@value", "@context", "@container"


def without_type_maps(text: bytes, file: str) -> bytes:
    """Return a document without type maps. `file` is its name in messages. Raises RdfSyntaxError."""
    if b'"@json"' in text:
        raise RdfSyntaxError(file, None, None, "type maps in a document with @json cannot be read")
    mark = secrets.token_hex(16)  # a number is a string with this mark, so that no digit of it is lost
    number = f"{mark}{{}}".format
    try:
        document = json.loads(
            text,
            object_pairs_hook=lambda pairs: _object(pairs, file),
            parse_int=number,
            parse_float=number,
            parse_constant=_refuse_constant,
        )
        written = json.dumps(_Terms(document, file).without_maps(document))
        return re.sub(f'"{mark}([^"]*)"', r"\1", written).encode()
    except ValueError:
        return text  # the parser says what is wrong
    except RecursionError as error:
        raise RdfSyntaxError(file, None, None, "the document is nested too deeply") from error


def _refuse_constant(word: str) -> None:
    raise ValueError(f"JSON has no {word}")


def _object(pairs: list[tuple[str, Any]], file: str) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RdfSyntaxError(file, None, None, "an object of a document with type maps has a key twice")
    return found


class _Terms:
    """The terms that the contexts of a document define as type maps, and the names that stand for keywords."""

    def __init__(self, document: Any, file: str) -> None:
        self._file = file
        definitions = list(_definitions(document))
        self._maps = {name for name, value in definitions if _has_type_map(value)}
        for name, value in definitions:
            if name in self._maps and not _has_type_map(value):
                raise RdfSyntaxError(file, None, None, f"{name} is defined with and without the container @type")
            if name in self._maps and value.get(_TYPE) == "@vocab":
                raise RdfSyntaxError(file, None, None, f"{name}: a type map of the type @vocab cannot be read")
        self._types = {_TYPE, *(name for name, value in definitions if value in (_TYPE, {"@id": _TYPE}))}
        self._nones = {_NONE, *(name for name, value in definitions if value in (_NONE, {"@id": _NONE}))}

    def without_maps(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.without_maps(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {key: self._member(key, each) for key, each in value.items()}

    def _member(self, key: str, value: Any) -> Any:
        if key == _CONTEXT:
            return _without_maps(value)
        if key in self._maps and isinstance(value, dict):
            return [node for name, nodes in value.items() for node in self._nodes(name, self.without_maps(nodes))]
        return value if key == _VALUE else self.without_maps(value)

    def _nodes(self, name: str, nodes: Any) -> Iterator[dict[str, Any]]:
        for node in nodes if isinstance(nodes, list) else [nodes]:
            if node is None:
                continue
            if not isinstance(node, (str, dict)):
                raise RdfSyntaxError(self._file, None, None, f"{name}: a type map has an element that is no node")
            found = {"@id": node} if isinstance(node, str) else dict(node)
            context = {_CONTEXT: found.pop(_CONTEXT)} if _CONTEXT in found else {}
            types = [] if name in self._nones else [name]
            for key in self._types & found.keys():
                own = found.pop(key)
                types += own if isinstance(own, list) else [own]
            yield context | ({_TYPE: types} if types else {}) | found


def _definitions(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the terms of all contexts in a document, each with its definition."""
    if isinstance(value, list):
        for each in value:
            yield from _definitions(each)
    elif isinstance(value, dict):
        for context in _contexts(value.get(_CONTEXT)):
            yield from context.items()
        for each in value.values():
            yield from _definitions(each)


def _contexts(value: Any) -> list[dict[str, Any]]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]


def _has_type_map(value: Any) -> bool:
    container = value.get(_CONTAINER) if isinstance(value, dict) else None
    return _TYPE in (container if isinstance(container, list) else [container])


def _without_maps(value: Any) -> Any:
    """Return a context in which no term has the container @type."""
    if isinstance(value, list):
        return [_without_maps(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: _without_maps(each) for key, each in value.items()}
    if _has_type_map(found):
        del found[_CONTAINER]
    return found
