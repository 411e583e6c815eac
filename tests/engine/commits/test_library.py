"""The library of kernels: used only while the sources are those that it was built from; every kernel fits into it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from kgreason import compiled
from kgreason.compiled.library import PACKAGE, find_library, stamp
from kgreason.engine.level.distinct import take_heads
from kgreason.errors import KernelError
from kgreason.terms.dictionary import Dictionary

SOURCES = "engine/level/distinct.py engine/level/product.py"
NAME = "kgreason.engine.level.distinct.take_heads"


def extension(**changes: object) -> SimpleNamespace:
    found = stamp(PACKAGE / path for path in SOURCES.split())
    return SimpleNamespace(**{"KERNELS": {NAME: len}, "LEVEL": 0, "STAMP": found, "SOURCES": SOURCES} | changes)


def test_a_library_of_the_present_sources_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kgreason.compiled._library", extension())
    library = find_library()
    assert library is not None
    assert library.kernel(SimpleNamespace(__module__=NAME[:-11], __qualname__="take_heads")) is len  # type: ignore[arg-type]
    with pytest.raises(KernelError, match=r"the library of kernels lacks kgreason.rdf.tokens._encode; build it again"):
        library.kernel(SimpleNamespace(__module__="kgreason.rdf.tokens", __qualname__="_encode"))  # type: ignore[arg-type]


@pytest.mark.parametrize("changes", [{"STAMP": "another"}, {"SOURCES": f"{SOURCES} engine/level/removed.py"}], ids=str)
def test_a_library_of_other_sources_is_not_used(changes: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kgreason.compiled._library", extension(**changes))
    assert find_library() is None
    monkeypatch.setenv("KGREASON_KERNELS", "library")
    with pytest.raises(KernelError, match="it was built from other sources"):
        compiled._library()
    monkeypatch.setenv("KGREASON_KERNELS", "numba")
    assert compiled._library() is None


def test_the_library_can_hold_every_kernel() -> None:
    code = """if True:
        from kgreason.compiled import build
        for function in build._kernels():
            codes = build._codes(build.types.Tuple(build.kinds_of(function)))
            print(function.__qualname__, len(codes) // 2)
    """
    environment = {"KGREASON_KERNELS": "numba", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    sizes = dict(line.split() for line in done.stdout.splitlines())
    assert {"advance", "find_rows", "intern_all", "_encode"} <= set(sizes)
    most = int((Path(compiled.__file__).with_name("library.c")).read_text().split("MOST_ARGUMENTS ")[1].split()[0])
    assert max(map(int, sizes.values())) <= most


@pytest.mark.skipif(compiled.LIBRARY is None, reason="Numba compiles a kernel for other arguments")
def test_arguments_that_do_not_fit_are_refused() -> None:
    for block in (np.zeros(8, dtype=np.int32), np.zeros((2, 4), dtype=np.int64)):
        with pytest.raises(TypeError, match="an array of 1 dimensions with items of type q was expected"):
            take_heads(block)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not C-contiguous"):
        take_heads(np.zeros((8, 2), dtype=np.int64)[:, 0])
    with pytest.raises(TypeError, match="too few arguments"):
        take_heads()  # type: ignore[call-arg]
    assert Dictionary().find(["<http://e/none>"]).tolist() == [0]
