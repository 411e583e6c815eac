"""Checks of arguments whose type a caller may mistake; each InputTypeError says what was expected and what came.

Cost: a look at the type.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

from kgreason.errors import InputTypeError


def check_text(function: str, what: str, value: object) -> None:
    """Raises InputTypeError for what is no text."""
    if not isinstance(value, str):
        raise InputTypeError(f"{function}() takes {what} as text; got {value!r} ({type(value).__name__})")


def check_paths(function: str, values: Iterable[object]) -> None:
    """Raises InputTypeError for what is no path, as a list of paths."""
    for value in values:
        if not isinstance(value, (str, PathLike)):
            several = f": pass several as {function}(*paths)" if isinstance(value, (list, tuple, set)) else ""
            raise InputTypeError(
                f"{function}() takes paths of files, as text or Path; got {value!r} ({type(value).__name__}){several}"
            )
