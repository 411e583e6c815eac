"""Kernels: the hot loops of kgreason, compiled. `announce_compilation` says so before they are compiled.

    kernel, inline  decorators: a function that Python calls, and a function that is a part of kernels
    library         kernels that were compiled when the wheel was built; they need no Numba
    justintime      kernels that Numba compiles on first use and caches on disk
    precompilation  compiles the kernels of a first commit in two processes
    build           compiles all kernels into a library, for a wheel
    signatures      which types the arguments of a kernel have
    arrays          how a kernel gets an array from an address

Kernels take arrays and scalars, return scalars, and release the GIL. A kernel comes from the library if the library was
built from the present sources, and from Numba otherwise. KGREASON_KERNELS=numba ignores the library;
KGREASON_KERNELS=library makes it an error that a kernel is not in the library. KGREASON_KERNELS=bounds compiles kernels
that check each index: a wrong one raises IndexError, where other kernels would read or write beside an array. These
kernels take about twice as long, and have a cache of their own. They are for tests.

Cost: importing this package imports Numba (about 0.3 s) only if there is no library. So only modules that need kernels
import it. The commands `query` and `dump` import no such module.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, TypeAlias, TypeVar, cast

from kgreason.compiled.library import Library, find_library
from kgreason.errors import KernelError

ONCE = "compiling the engine's kernels, once for this installation, 10 to 60 seconds"
"""The message before the first compilation (`announce_compilation`)."""
READ_ONLY = "read-only"
"""Marks an array that must not be written, such as one made from `bytes`: `Annotated[NDArray[np.uint8], READ_ONLY]`."""
Number: TypeAlias = Any
"""An integer inside a kernel. Numba compiles it by its NumPy dtype, which Python's types cannot express."""
Flag: TypeAlias = Annotated[Any, bool]
"""A truth value inside a kernel."""
CHOICE = "KGREASON_KERNELS"
"""The environment variable that chooses where kernels come from: `library`, `numba` or `bounds`. Without it, the better
one of the first two."""

_LOG = logging.getLogger("kgreason")
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _is_interpreted() -> bool:
    """Whether Numba shall compile nothing, so that kernels are Python functions."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"


def _library() -> Library | None:
    """Return the library to use, or None if Numba compiles the kernels."""
    choice = os.environ.get(CHOICE, "")
    if choice in ("numba", "bounds") or _is_interpreted():
        return None
    library = find_library()
    if library is None and choice == "library":
        raise KernelError(f"{CHOICE}=library: there is no library of kernels, or it was built from other sources")
    return library


LIBRARY = _library()
"""The library that this process uses, or None."""


def _numba() -> Any:
    from kgreason.compiled import justintime

    return justintime


def kernel(function: _Function) -> _Function:
    """Make `function` a kernel: take it from the library, or compile it on first use. It releases the GIL.

    The annotations say which types the arguments have, see `signatures`.
    """
    return cast(_Function, LIBRARY.kernel(function) if LIBRARY else _numba().kernel(function))


def inline(function: _Function) -> _Function:
    """Make `function` a part of the kernels that call it. A call from Python raises TypeError."""
    if LIBRARY is None:
        return cast(_Function, _numba().inline(function))

    @functools.wraps(function)
    def refuse(*_: object, **__: object) -> Any:
        raise TypeError(f"{function.__qualname__} can be called by kernels only, not by Python")

    return cast(_Function, refuse)


def array_at(element: str, dimensions: int) -> Any:
    """Return the function `array(m, at)` for kernels: the array whose address is the word m[at].

    See `arrays.array_at`.
    """
    if LIBRARY is not None:
        return None
    from kgreason.compiled import arrays

    return arrays.array_at(element, dimensions)


def primitive(name: str) -> Any:
    """Return a function of `arrays` for kernels: `copy`, or `fetch_add` or `fill_free`, which no thread can divide."""
    if LIBRARY is not None:
        return None
    from kgreason.compiled import arrays

    return getattr(arrays, name)


def are_kernels_ready() -> bool:
    """Whether kernels can be called without importing or compiling much: there is a library, or kernels are in use."""
    return LIBRARY is not None or ("kgreason.terms.interning" in sys.modules and not _is_interpreted())


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a call of the kernel `function` compiles nothing."""
    return not hasattr(function, "_cache") or bool(_numba().is_compiled(function))


@functools.cache
def announce_compilation(function: Callable[..., Any]) -> None:
    """Say that kernels are compiled now, unless the kernel `function` is compiled. Later calls do nothing.

    The logger `kgreason` hears it, at level INFO. If nobody has set up logging, a line on standard error says so, for
    nobody else would; a level above WARNING for the logger silences this line.
    """
    if is_compiled(function):
        return
    if _LOG.hasHandlers():
        _LOG.info(ONCE)
    elif _LOG.isEnabledFor(logging.WARNING):
        with suppress(AttributeError, OSError, ValueError):  # there is no standard error, or it is closed
            sys.stderr.write(f"kgreason: {ONCE}\n")
            sys.stderr.flush()


@functools.cache
def compile_ahead(function: Callable[..., Any]) -> None:
    """Compile the kernels of a first commit in two processes, unless the kernel `function` is compiled.

    `function` is the largest of them; see `precompilation`. Later calls do nothing.
    """
    if not is_compiled(function):
        from kgreason.compiled import precompilation

        precompilation.compile_in_two(function)
