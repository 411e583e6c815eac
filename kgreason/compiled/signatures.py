"""Which types the arguments of a kernel have, by its annotations.

    annotation                  in a library     in a call from Python
    NDArray                     an array of one dimension
    np.ndarray[tuple[...], ...] an array of as many dimensions as its shape type has
    a named tuple               its arrays
    bool, or Annotated bool     an int64         a truth value
    Annotated READ_ONLY         an array         an array that must not be written, made from `bytes`
    all else                    an int64

Arrays are C-contiguous.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np

from kgreason.compiled import READ_ONLY
from kgreason.compiled.arrays import types


def kinds_of(function: Callable[..., Any]) -> list[Any]:
    """Return Numba's types of a kernel's arguments in a library."""
    return [_kind(hint) for hint in _hints(function)]


def signature_of(function: Callable[..., Any]) -> tuple[Any, ...]:
    """Return Numba's types of a kernel's arguments in a call from Python: Numba's cache has the kernel under them.

    A call with other types, as with a read-only array in place of another, has another entry in the cache.
    """
    return tuple(_array_kind(hint) for hint in _hints(function, include_extras=True))


def _hints(function: Callable[..., Any], *, include_extras: bool = False) -> list[Any]:
    found = get_type_hints(function, include_extras=include_extras)
    return [hint for name, hint in found.items() if name != "return"]


def _array_kind(hint: Any) -> Any:
    plain, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if plain is bool or bool in marks:
        return types.boolean
    return _kind(plain).copy(readonly=True) if READ_ONLY in marks else _kind(plain)


def _kind(hint: Any) -> Any:
    """Return Numba's type for the annotation of an argument."""
    if isinstance(hint, type) and issubclass(hint, tuple) and get_origin(hint) is None:
        fields = get_type_hints(hint)
        return types.BaseTuple.from_types([_kind(fields[each]) for each in fields], hint)
    if get_origin(hint) is np.ndarray:
        shape, dtype = get_args(hint)
        sizes = get_args(shape)
        dimensions = 1 if Ellipsis in sizes else len(sizes)
        return types.Array(getattr(types, get_args(dtype)[0].__name__), dimensions, "C")
    return types.int64
