"""Checks of the types of arguments; each InputTypeError says which type was expected and what was passed.

Cost: a look at the type.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from os import PathLike
from types import NoneType

from kgreason.errors import InputError, InputTypeError

_LONGEST_NAME = 200

_OF_FILES = {"load": "add", "unload": "remove"}
"""The functions that take files of triples, and the functions that take triples themselves."""


def check_text(function: str, what: str, value: object) -> None:
    """Raise InputTypeError if a value is not text. The message names the `function` and the argument (`what`)."""
    if not isinstance(value, str):
        raise InputTypeError(f"{function}() takes {what} as text; got {value!r} ({type(value).__name__})")


def check_paths(function: str, values: Iterable[object]) -> None:
    """Raise InputTypeError if one of the values is not a path. A list of paths is not a path either.

    `function` is the name of the function in the message.
    """
    for value in values:
        if not isinstance(value, (str, PathLike)):
            several = f": pass several as {function}(*paths)" if isinstance(value, (list, tuple, set)) else ""
            if function in _OF_FILES and hasattr(value, "triples"):
                several = f": for a graph of rdflib call {_OF_FILES[function]}(graph)"
            raise InputTypeError(
                f"{function}() takes paths of files, as text or Path; got {value!r} ({type(value).__name__}){several}"
            )


def check_rules(value: object) -> None:
    """Raise InputTypeError if a value is not allowed for the argument `rules`: a name, or a list or tuple of names."""
    names = [value] if isinstance(value, (str, PathLike, NoneType)) else value
    if not isinstance(names, Collection) or not all(isinstance(name, (str, PathLike, NoneType)) for name in names):
        raise InputTypeError(
            "rules has to be a rule set such as 'owl2rl', the path of a rule file, or a list of them; got"
            f" {value!r} ({type(value).__name__})"
        )


def check_texts(argument: str, value: object) -> None:
    """Raise InputTypeError if a value is neither None nor a mapping of texts to texts.

    The message names the `argument`.
    """
    if value is None:
        return
    if not isinstance(value, Mapping) or not all(isinstance(text, str) for pair in value.items() for text in pair):
        raise InputTypeError(
            f"{argument} has to be a mapping of names to texts, like {{'stream': 'orders'}}; got {value!r}"
            f" ({type(value).__name__})"
        )


def check_author(value: object) -> None:
    """Raise InputTypeError or InputError if a value is neither None nor the name of an author: one line of text."""
    if value is None:
        return
    if not isinstance(value, str):
        raise InputTypeError(f"author has to be a text; got {value!r} ({type(value).__name__})")
    if not value.strip() or not value.isprintable() or len(value) > _LONGEST_NAME:
        raise InputError(
            f"author={value[:_LONGEST_NAME]!r}: write a name of one line, at most {_LONGEST_NAME} characters"
        )


def check_asserted(value: object) -> None:
    """Raise InputTypeError if a value is not allowed for the argument `asserted`, which is True, False or None."""
    if value is not None and not isinstance(value, bool):
        raise InputTypeError(f"asserted has to be True, False or None; got {value!r} ({type(value).__name__})")


def check_single(function: str, triple: object, others: tuple[object, ...]) -> None:
    """Raise InputTypeError if `function`, which takes one triple, got further arguments: `others` is not empty."""
    if others:
        terms = ", ".join(map(repr, (triple, *others)[:3]))
        graph = " A triple has no graph name." if len(others) > 2 else ""
        raise InputTypeError(
            f"{function}() takes one triple: pass its terms as one tuple, {function}(({terms})).{graph}"
        )
