"""Checks of the types of arguments; each InputTypeError says which type was expected and what was passed.

Cost: a look at the type.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

from kgreason.errors import InputTypeError


def check_text(function: str, what: str, value: object) -> None:
    """Raise InputTypeError if a value is not text; `what` names the argument in the message."""
    if not isinstance(value, str):
        raise InputTypeError(f"{function}() takes {what} as text; got {value!r} ({type(value).__name__})")


def check_paths(function: str, values: Iterable[object]) -> None:
    """Raise InputTypeError if one of the values is not a path, for example a list of paths."""
    for value in values:
        if not isinstance(value, (str, PathLike)):
            several = f": pass several as {function}(*paths)" if isinstance(value, (list, tuple, set)) else ""
            raise InputTypeError(
                f"{function}() takes paths of files, as text or Path; got {value!r} ({type(value).__name__}){several}"
            )
