"""`kernel`: how every hot loop of kgreason is compiled, cached and announced.

Kernels take arrays and scalars, return arrays and scalars, release the GIL, and are compiled by Numba on first use.
Invariant: a cached kernel is used only while every kernel source is what it was when it was compiled. Numba
stamps a cache entry with the file of the outermost kernel alone, so that a change in a kernel which that one calls
would go unnoticed; the locator here stamps it with all modules of this package that import `kernel`.

Cost: importing this module imports Numba (about 0.3 s), hence only modules that compute import it; `query` and
`dump` do not.
"""

from __future__ import annotations

import functools
import hashlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import caching
from numba.core.registry import CPUDispatcher

ONCE = "compiling the engine's kernels, once, about half a minute"
"""What is said before the first compilation: on terminals by the command line, in Python by the logger `kgreason`."""

_LOG = logging.getLogger("kgreason")
_PACKAGE = Path(__file__).parent
_Function = TypeVar("_Function", bound=Callable[..., Any])
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
_INLINED = _OPTIONS | {"nopython": True, "boundscheck": None, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@functools.cache
def _sources_stamp() -> str:
    """A hash over this module and every module of the folders that hold kernels: constants are compiled in."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in (Path(__file__), *kernel_sources(_PACKAGE)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def kernel_sources(package: Path) -> list[Path]:
    """The modules of those folders of a package in which some module defines kernels."""
    inner = [path for path in package.rglob("*.py") if path.parent != package]
    folders = {path.parent for path in inner if b"from kgreason.compiled import" in path.read_bytes()}
    return sorted(path for path in inner if path.parent in folders)


class _Stamped:
    """Mixin: takes the functions of this package only, and stamps them with all kernel sources."""

    def get_source_stamp(self) -> str:
        return _sources_stamp()

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:
        if _PACKAGE not in Path(py_file).parents:
            return None
        return super().from_function(py_func, py_file)  # type: ignore[misc]


class UserProvided(_Stamped, caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """Where NUMBA_CACHE_DIR says."""


class InTree(_Stamped, caching.InTreeCacheLocator):  # type: ignore[misc]
    """Beside the sources, where that folder can be written."""


class UserWide(_Stamped, caching.UserWideCacheLocator):  # type: ignore[misc]
    """In the user's cache folder otherwise."""


_LOCATORS = ",".join(f"{__name__}.{cls.__name__}" for cls in (UserProvided, InTree, UserWide))


def kernel(function: _Function) -> _Function:
    """Compile `function` on first use, cached on disk and without the GIL."""
    others = numba.config.CACHE_LOCATOR_CLASSES
    numba.config.CACHE_LOCATOR_CLASSES = _LOCATORS  # read while the decorator runs, and only then
    try:
        return cast(_Function, numba.njit(cache=True, no_cfunc_wrapper=True, **_OPTIONS)(function))
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = others


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a kernel is in the cache as the present sources have it, so that calling it compiles nothing."""
    return bool(cast(Any, function)._cache._cache_file._load_index())


@functools.cache
def announce(function: Callable[..., Any]) -> None:
    """Log, once in a process, that kernels are compiled now, unless this one is in the cache."""
    if not is_compiled(function):
        _LOG.info(ONCE)


class _Inlined(CPUDispatcher):  # type: ignore[misc]
    """A function without the wrapper that Python would call it through."""

    def __call__(self, *_: object, **__: object) -> Any:
        raise TypeError(f"{self.py_func.__qualname__} is a part of kernels: Python cannot call it")


def inline(function: _Function) -> _Function:
    """Compile `function` as a part of the kernels that call it; it has no cache entry of its own.

    Python cannot call it (TypeError): the wrappers for that are a sixth of all that there is to compile.
    """
    if numba.config.DISABLE_JIT:
        return function
    return cast(_Function, _Inlined(function, targetoptions=dict(_INLINED)))
