"""Kernels that Numba compiles on first use, and caches on disk.

Invariant: a cached kernel is used only if no kernel source has changed since it was compiled. Numba itself stamps a
cache entry with the file of the outermost kernel only. It would not notice a change in a kernel that the outermost
kernel calls. So `UserProvided`, `InTree` and `UserWide` stamp the entry with all modules of the folders that hold
kernels.

A function that only kernels call is a *part*. Numba would optimise each part, with all parts that it calls, and make
machine code of it, although only the kernel is ever run. `_PartCompiler` leaves both out, so that each kernel is
optimised once, as a whole. This takes a quarter of the compile time away.

Most of the rest is Python code of Numba. So Python collects no garbage meanwhile, and passes that change nothing in
kernels are left out.

Cost: importing this module imports Numba, about 0.3 s.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import _dynfunc
from numba.core import caching, sigutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import DeadBranchPrune, InlineClosureLikes, InlineInlinables

from kgreason.compiled.arrays import types
from kgreason.compiled.library import PACKAGE, kernel_sources, stamp
from kgreason.interrupts import undivided
from kgreason.memory import without_collection

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
_CHECKS = os.environ.get("KGREASON_KERNELS") == "bounds"
"""Whether kernels check each index, and raise IndexError for a wrong one."""
_KERNEL = _OPTIONS | {"nopython": True, "boundscheck": _CHECKS, "no_cfunc_wrapper": True}
_PART = _KERNEL | {"no_cpython_wrapper": True}
_SPARED = {DeadBranchPrune, InlineClosureLikes, InlineInlinables, InlineOverloads, NopythonRewrites}
"""Passes of Numba for array expressions, closures, arguments that are None, and functions that Numba shall inline."""


@functools.cache
def _sources_stamp() -> str:
    """Return a hash of the version of Numba and of the text of all modules in the folders that hold kernels."""
    return f"{numba.__version__} {stamp(compiling_sources())}"


def compiling_sources() -> list[Path]:
    """Return the modules that decide how kernels are compiled: the modules beside this one, and the kernels'."""
    return sorted({*Path(__file__).parent.glob("*.py"), *kernel_sources(PACKAGE)})


class _StampedLocator:
    """Mixin for a cache locator of Numba: it locates the cache only for functions of this package.

    The stamp of a cache entry is the result of `_sources_stamp`.
    """

    def get_source_stamp(self) -> str:
        return _sources_stamp()

    def get_cache_path(self) -> str:
        """Return the folder of the cache. Kernels that check their indices have a folder of their own."""
        path: str = super().get_cache_path()  # type: ignore[misc]
        return os.path.join(path, "bounds") if _CHECKS else path

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:
        if PACKAGE not in Path(py_file).parents:
            return None
        return super().from_function(py_func, py_file)  # type: ignore[misc]


class UserProvided(_StampedLocator, caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """Keeps the cache in the folder that NUMBA_CACHE_DIR names."""


class InTree(_StampedLocator, caching.InTreeCacheLocator):  # type: ignore[misc]
    """Keeps the cache beside the sources, if that folder can be written."""


class UserWide(_StampedLocator, caching.UserWideCacheLocator):  # type: ignore[misc]
    """Keeps the cache in the user's cache folder, if the two other caches cannot be used."""


_LOCATORS = ",".join(f"{__name__}.{cls.__name__}" for cls in (UserProvided, InTree, UserWide))


def kernel(function: _Function) -> _Function:
    """Compile `function` on first use; cache it on disk; release the GIL while it runs."""
    if numba.config.DISABLE_JIT:
        return function
    others = numba.config.CACHE_LOCATOR_CLASSES
    numba.config.CACHE_LOCATOR_CLASSES = _LOCATORS  # Numba reads it only while the decorator runs
    try:
        found = Kernel(function)
        found.enable_caching()
        return cast(_Function, found)
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = others


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a call of the kernel `function` compiles nothing: the cache has it, made from the present sources."""
    return bool(cast(Any, function)._cache._cache_file._load_index())


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a part: it is linked with the parts that it calls, but neither optimised nor run."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Link the part with the parts that it calls."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        """Return 0: a part has no address."""
        return 0


@register_pass(mutates_CFG=False, analysis_only=False)
class _BeginPart(LoweringPass):  # type: ignore[misc]
    """Give the part a library of its own kind, and have Numba make no machine code."""

    _name = "kgreason_part_begin"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class _EndPart(LoweringPass):  # type: ignore[misc]
    """Make the part known to the functions that call it."""

    _name = "kgreason_part_end"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        lowered, library = state["cr"], state.library
        library._ensure_finalized()
        found = lowered.fndesc
        called = _dynfunc.make_function(found.lookup_module(), found.qualname, "", 0, lowered.env, (library,))
        state.targetctx.insert_user_function(called, found, [library])
        state.flags.no_compile = False
        state["cr"] = lowered._replace(cfunc=called)
        return True


class _KernelCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler for kernels: without passes that kernels do not need."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [each for each in passes.passes if each[0] not in _SPARED]
        passes.finalize()
        return [passes]


class _PartCompiler(_KernelCompiler):
    """Numba's compiler for parts."""

    def define_pipelines(self) -> list[Any]:
        (passes,) = super().define_pipelines()
        at = [each for each, _ in passes.passes].index(NativeLowering)
        passes.add_pass_after(_EndPart, NativeLowering)
        passes.passes.insert(at, (_BeginPart, "a part is not run alone"))
        passes.finalize()
        return [passes]


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function that Python calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions=dict(_KERNEL), pipeline_class=_KernelCompiler)

    def compile(self, sig: Any) -> Any:
        """Compile the kernel for a signature, or load it from the cache.

        Numba is undivided, because an interrupt would break it for the rest of the process.
        """
        with undivided(), without_collection():  # Numba makes millions of objects, and most of them stay
            return super().compile(sig)

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        """Find, load or compile the machine code for arguments of new types, and call it."""
        with undivided():
            return super()._compile_for_args(*args, **kwargs)


class Part(CPUDispatcher):  # type: ignore[misc]
    """A function that only kernels can call: it lacks the wrapper for calls from Python."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions=dict(_PART), pipeline_class=_PartCompiler)

    def compile(self, sig: Any) -> Any:
        """Compile the part for a signature. Smaller integers become int64s, so that there is one part for all."""
        arguments, _ = sigutils.normalize_signature(sig)
        with without_collection():
            return super().compile(tuple(map(_widen, arguments)))

    def __call__(self, *_: object, **__: object) -> Any:  # noqa: D102
        raise TypeError(f"{self.py_func.__qualname__} can be called by kernels only, not by Python")


def _widen(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


def inline(function: _Function) -> _Function:
    """Compile `function` as a part of the kernels that call it; it has no cache entry.

    A call from Python raises TypeError, because the function has no wrapper for such calls. Compiling these wrappers
    would take a sixth of the whole compile time.
    """
    if numba.config.DISABLE_JIT:
        return function
    return cast(_Function, Part(function))
