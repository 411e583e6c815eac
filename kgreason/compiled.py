"""`kernel`: compiles and caches the hot loops of kgreason, and `announce` says so in the log.

Kernels take arrays and scalars, return arrays and scalars, and release the GIL. Numba compiles a kernel on first use.
Invariant: a cached kernel is used only if no kernel source has changed since it was compiled. Numba itself stamps a
cache entry with the file of the outermost kernel only. It would not notice a change in a kernel that the outermost
kernel calls. So `UserProvided`, `InTree` and `UserWide` stamp the entry with all modules of the folders that hold
kernels.

Cost: importing this module imports Numba (about 0.3 s). So only modules that need kernels import it. The
commands `query` and `dump` import no such module.
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
"""The message before the first compilation: the command line prints it on terminals, in Python it goes to the logger
`kgreason`."""

_LOG = logging.getLogger("kgreason")
_PACKAGE = Path(__file__).parent
_Function = TypeVar("_Function", bound=Callable[..., Any])
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
_INLINED = _OPTIONS | {"nopython": True, "boundscheck": None, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@functools.cache
def _sources_stamp() -> str:
    """Return a hash of the text of this module and of all modules in the folders that hold kernels.

    Modules without kernels count too: Numba compiles the constants of such modules into the kernels.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for path in (Path(__file__), *kernel_sources(_PACKAGE)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def kernel_sources(package: Path) -> list[Path]:
    """Return the modules of each subfolder of `package` in which at least one module has kernels."""
    inner = [path for path in package.rglob("*.py") if path.parent != package]
    folders = {path.parent for path in inner if b"from kgreason.compiled import" in path.read_bytes()}
    return sorted(path for path in inner if path.parent in folders)


class _Stamped:
    """Mixin for a cache locator of Numba: it locates the cache only for functions of this package.

    The stamp of a cache entry is the result of `_sources_stamp`.
    """

    def get_source_stamp(self) -> str:
        return _sources_stamp()

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:
        if _PACKAGE not in Path(py_file).parents:
            return None
        return super().from_function(py_func, py_file)  # type: ignore[misc]


class UserProvided(_Stamped, caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """Keeps the cache in the folder that NUMBA_CACHE_DIR names."""


class InTree(_Stamped, caching.InTreeCacheLocator):  # type: ignore[misc]
    """Keeps the cache beside the sources, if that folder can be written."""


class UserWide(_Stamped, caching.UserWideCacheLocator):  # type: ignore[misc]
    """Keeps the cache in the user's cache folder, if the two other caches cannot be used."""


_LOCATORS = ",".join(f"{__name__}.{cls.__name__}" for cls in (UserProvided, InTree, UserWide))


def kernel(function: _Function) -> _Function:
    """Compile `function` on first use; cache it on disk; release the GIL while it runs."""
    others = numba.config.CACHE_LOCATOR_CLASSES
    numba.config.CACHE_LOCATOR_CLASSES = _LOCATORS  # Numba reads it only while the decorator runs
    try:
        return cast(_Function, numba.njit(cache=True, no_cfunc_wrapper=True, **_OPTIONS)(function))
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = others


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a call of the kernel `function` compiles nothing: the cache has it, made from the present sources."""
    return bool(cast(Any, function)._cache._cache_file._load_index())


@functools.cache
def announce(function: Callable[..., Any]) -> None:
    """Log that kernels are compiled now, if the cache lacks the kernel `function`. Later calls do nothing."""
    if not is_compiled(function):
        _LOG.info(ONCE)


class _Inlined(CPUDispatcher):  # type: ignore[misc]
    """A compiled function that only kernels can call: it lacks the wrapper for calls from Python."""

    def __call__(self, *_: object, **__: object) -> Any:
        raise TypeError(f"{self.py_func.__qualname__} can be called by kernels only, not by Python")


def inline(function: _Function) -> _Function:
    """Compile `function` as a part of the kernels that call it; it has no cache entry.

    A call from Python raises TypeError, because the function has no wrapper for such calls. Compiling these wrappers
    would take a sixth of the whole compile time.
    """
    if numba.config.DISABLE_JIT:
        return function
    return cast(_Function, _Inlined(function, targetoptions=dict(_INLINED)))
