"""`Signature`: the name and the types of a Python function, read from its annotations.

    def area(w: float, h: float) -> float | None           area(float, float) -> float      one result or none
    def words(text: str) -> list[str]                      words(str) -> list[str]          many results
    def median(values: list[float]) -> float               median(list[float]) -> float     an aggregate

    str                 a string, with or without a language tag
    int                 xsd:integer and the types below it
    Decimal             xsd:decimal, and what int takes
    float               xsd:double and xsd:float, and what Decimal takes
    bool, datetime, date
    NamedNode, BlankNode, Literal, Triple       terms as pyoxigraph has them; `Term` is any of them

A type may be a union of these, such as `int | str`. Law: two signatures are equal exactly if their texts are equal. The
names of parameters and the order of the types in a union do not count. Cost: some microseconds, once for each function.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn, TypeAlias, Union, get_args, get_origin, get_type_hints

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from kgreason.errors import InputTypeError

Term: TypeAlias = NamedNode | BlankNode | Literal | Triple
"""Any RDF term."""
Kinds: TypeAlias = tuple[str, ...]
"""The names of the types of a union, sorted."""

_KINDS: dict[object, str] = {
    each: each.__name__
    for each in (str, int, float, Decimal, bool, datetime, date, NamedNode, BlankNode, Literal, Triple)
}
_MANY = (list, set, frozenset, Iterable, Iterator, Collection, Sequence, AbstractSet)
_LISTS = (list, Iterable, Collection, Sequence)
"""The types of the parameter of an aggregate, which takes the values of a group in order, also equal ones."""
_KNOWN = "str, int, float, Decimal, bool, datetime, date, NamedNode, BlankNode, Literal, Triple, or a union of them"


class Signature(NamedTuple):
    """The name of a function, the types of its parameters and of one result, and whether it gives many results.

    `is_aggregate` says that the only parameter takes the values of a whole group, as a list of values of its type.
    """

    name: str
    parameters: tuple[Kinds, ...]
    result: Kinds
    has_many: bool = False
    is_aggregate: bool = False

    def __str__(self) -> str:
        parameters, result = ", ".join(map(" | ".join, self.parameters)), " | ".join(self.result)
        return (
            f"{self.name}({f'list[{parameters}]' if self.is_aggregate else parameters}) -> "
            f"{f'list[{result}]' if self.has_many else result}"
        )


def signature_of(function: Callable[..., Any], kinds_of: Callable[[object], Kinds | None] | None = None) -> Signature:
    """Return the signature of a function, from its annotations.

    `kinds_of` returns the types that an annotation means, or None if it means none; for batch functions it is
    `columns.kinds`, otherwise `kinds`. Raises InputTypeError, which names the function and the parameter.
    """
    read = kinds if kinds_of is None else kinds_of
    name = getattr(function, "__name__", "")
    if not name.isidentifier() or not name[0].isalpha():
        raise InputTypeError(f"a function for rules must have a name that begins with a letter; got {function!r}")
    try:
        hints, found = get_type_hints(function), inspect.signature(function)
    except (NameError, TypeError, ValueError) as error:
        raise InputTypeError(f"function {name}: its annotations cannot be read: {error}") from error
    parameters = []
    is_aggregate = kinds_of is None and _is_aggregate(found, hints)
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is not parameter.empty:
            continue
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise InputTypeError(
                f"function {name}: rules pass each argument by its place, so no parameter can be {parameter}"
            )
        annotation = hints.get(parameter.name)
        if is_aggregate:
            (annotation,) = get_args(annotation)
        parameters.append(_read(name, f"parameter {parameter.name}", annotation, read))
    result, has_many = _result_kind(hints.get("return")) if kinds_of is None else (hints.get("return"), False)
    if is_aggregate and has_many:
        raise InputTypeError(f"function {name}: an aggregate gives one value for a group, not many")
    return Signature(name, tuple(parameters), _read(name, "the result", result, read), has_many, is_aggregate)


def _is_aggregate(found: inspect.Signature, hints: Mapping[str, object]) -> bool:
    """Whether the only parameter of a function is a list of values."""
    names = [name for name, each in found.parameters.items() if each.kind is not each.KEYWORD_ONLY]
    return len(names) == 1 and get_origin(hints.get(names[0])) in _LISTS


def kinds(annotation: object) -> Kinds | None:
    """Return the types that an annotation means: one, or several for a union. None if rules have no such type."""
    members = get_args(annotation) if _is_union(annotation) else (annotation,)
    names = [_KINDS.get(member) for member in members]
    return None if None in names else tuple(sorted({str(name) for name in names}))


def _is_union(annotation: object) -> bool:
    return get_origin(annotation) in (Union, types.UnionType)


def _read(name: str, place: str, annotation: object, read: Callable[[object], Kinds | None]) -> Kinds:
    found = None if annotation is None else read(annotation)
    return found or _refuse(name, place, annotation)


def _refuse(name: str, place: str, annotation: object) -> NoReturn:
    got = "it has no annotation" if annotation is None else f"got {annotation!r}"
    raise InputTypeError(f"function {name}: {place} needs one of the types {_KNOWN}; {got}")


def _result_kind(annotation: object) -> tuple[object, bool]:
    """Split the annotation of a function's result, such as `list[int]` or `int | None`.

    Returns the annotation of one value, without None, and whether there may be many values.
    """
    if _is_union(annotation):
        members = [member for member in get_args(annotation) if member is not types.NoneType]
        if len(members) == 1:
            return _result_kind(members[0])
        return Union[tuple(members)], False  # noqa: UP007 - the members are computed
    if get_origin(annotation) in _MANY:
        return get_args(annotation)[0], True
    if get_origin(annotation) is tuple and get_args(annotation)[1:] == (...,):
        return get_args(annotation)[0], True
    return annotation, False
