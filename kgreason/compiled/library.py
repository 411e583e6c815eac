"""The library of kernels: an extension module that `build` made and that a wheel brings along.

Invariant: a kernel of the library is used only if no kernel source has changed since the library was built. The library
names these sources and has a hash of their text. Cost: reading about fifty small files, 3 ms.
"""

from __future__ import annotations

import hashlib
import importlib
import platform
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from kgreason.errors import KernelError

PACKAGE = Path(__file__).parents[1]
"""The folder of kgreason."""
_EXTENSION = "kgreason.compiled._library"


class Library:
    """The kernels of an extension module, by the name of their function."""

    def __init__(self, module: Any) -> None:
        self._kernels: dict[str, Callable[..., Any]] = module.KERNELS
        self.level: int = module.LEVEL
        """The number of the processor level that is in use; 0 runs on all processors."""

    def kernel(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the compiled form of a function. Raises KernelError if the library does not have it."""
        try:
            return self._kernels[name_of(function)]
        except KeyError:
            raise KernelError(f"the library of kernels lacks {name_of(function)}; build it again") from None


def can_build() -> bool:
    """Whether a library can be built for this platform (`build`)."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def find_library() -> Library | None:
    """Return the library, or None if there is none for this platform or if the kernels' sources have changed."""
    try:
        module: Any = importlib.import_module(_EXTENSION)
    except ImportError:
        return None
    try:
        is_current = stamp(PACKAGE / path for path in module.SOURCES.split()) == module.STAMP
    except OSError:  # a source was removed
        return None
    return Library(module) if is_current else None


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a kernel in the library."""
    return f"{function.__module__}.{function.__qualname__}"


def stamp(sources: Iterable[Path]) -> str:
    """Return a hash of the text of `sources`."""
    digest = hashlib.sha256()
    for path in sources:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def kernel_sources(package: Path) -> list[Path]:
    """Return the modules of each subfolder of `package` in which at least one module has kernels.

    Modules without kernels count too: Numba compiles the constants of such modules into the kernels.
    """
    inner = [path for path in package.rglob("*.py") if path.parent != package]
    folders = {path.parent for path in inner if b"from kgreason.compiled import" in path.read_bytes()}
    return sorted(path for path in inner if path.parent in folders)
