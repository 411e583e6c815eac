"""Builds the library of kernels: `python -m kgreason.compiled.build [FOLDER]`. `scripts/wheel` calls it.

Numba turns the kernels into LLVM code, as it does for a first use. They are put into one module, which is optimised and
translated for each processor level. The C compiler (CC, or cc) then links the object files with `library.c` into an
extension module for every Python from 3.11 on. Nobody needs Numba to run it.

The types of a kernel's arguments follow from its annotations (`signatures`). A kernel returns nothing, an integer, or a
tuple of integers.

Cost: about 15 s and a few hundred megabytes. Only on x86-64 with an ELF linker (Linux). Elsewhere Numba compiles.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core.llvm_bindings import create_pass_builder
from numba.core.registry import CPUDispatcher

from kgreason.compiled.arrays import arguments_at, types
from kgreason.compiled.justintime import Part, compiling_sources
from kgreason.compiled.library import PACKAGE, can_build, name_of, stamp
from kgreason.compiled.signatures import kinds_of
from kgreason.errors import KernelError

LEVELS = ("x86-64", "x86-64-v3")
"""The processor levels, by LLVM's names. The first runs on every processor; library.c knows what the second needs."""
_CODES = {"int8": "b", "uint8": "B", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q"}
_FLAGS = ("-shared", "-fPIC", "-O2", "-Wl,--gc-sections", "-Wl,--strip-all", "-Wl,-z,noexecstack")


class _Kernel(NamedTuple):
    """A kernel of the library: its name, its arguments and results as library.c wants them, and its LLVM code."""

    name: str
    arguments: str
    results: int
    symbol: str
    module: Any


def build(folder: Path) -> Path:
    """Build the library in `folder`, and return its path. Raises KernelError."""
    if not can_build():
        raise KernelError("a library of kernels can be built on Linux on x86-64 only; elsewhere Numba compiles kernels")
    kernels = [_compile(each) for each in _kernels()]
    target = folder / "_library.abi3.so"
    with TemporaryDirectory() as name:
        place = Path(name)
        (place / "kernels.h").write_text(_header(kernels))
        for number, level in enumerate(LEVELS):
            (place / f"level{number}.o").write_bytes(_object_code(kernels, number, level))
        compiler = os.environ.get("CC") or "cc"
        include = f"-I{sysconfig.get_path('include')}"
        code = str(Path(__file__).with_name("library.c"))
        command = [compiler, *_FLAGS, f"-I{place}", include, code, *map(str, sorted(place.glob("*.o")))]
        try:
            subprocess.run([*command, "-o", str(target)], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise KernelError(f"the library of kernels cannot be built: {error}") from error
    return target


def _kernels() -> Iterator[Callable[..., Any]]:
    """Yield the Python functions of all kernels, in the order of their modules."""
    for path in compiling_sources():
        if b"@kernel" in path.read_bytes() and path.parent != Path(__file__).parent:
            name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            for value in vars(importlib.import_module(name)).values():
                if isinstance(value, CPUDispatcher) and not isinstance(value, Part) and value.__module__ == name:
                    yield value.py_func


def _compile(function: Callable[..., Any]) -> _Kernel:
    kinds = kinds_of(function)
    part, arguments = Part(function), arguments_at(kinds)

    def entry(words: Any) -> Any:
        return part(*arguments(words))

    wrapped = Part(entry)
    wrapped.compile((types.int64[::1],))
    (compiled,) = wrapped.overloads.values()
    results = _results(function, compiled.signature.return_type)
    codes = "".join(_codes(kind) for kind in kinds)
    return _Kernel(name_of(function), codes, results, compiled.fndesc.llvm_func_name, compiled.library._final_module)


def _codes(kind: Any) -> str:
    if isinstance(kind, types.BaseTuple):
        return "".join(_codes(each) for each in kind.types)
    if isinstance(kind, types.Array):
        return f"{_CODES[str(kind.dtype)]}{kind.ndim}"
    return "q0"


def _results(function: Callable[..., Any], returned: Any) -> int:
    """Return how many integers a kernel returns. Raises KernelError if it returns something else."""
    if returned == types.none:
        return 0
    results = returned.types if isinstance(returned, types.BaseTuple) else (returned,)
    if any(each != types.int64 for each in results):
        raise KernelError(f"{name_of(function)} returns {returned}; a kernel returns int64s or nothing")
    return len(results)


def _header(kernels: list[_Kernel]) -> str:
    sources = compiling_sources()
    listed = " ".join(str(path.relative_to(PACKAGE)) for path in sources)
    each = [f'EACH({n}, "{k.name}", "{k.arguments}", {k.results})' for n, k in enumerate(kernels)]
    levels = range(len(LEVELS))
    return "\n".join(
        (
            f"#define LEVELS {len(LEVELS)}",
            f'#define STAMP "{stamp(sources)}"',
            f'#define SOURCES "{listed}"',
            "#define DECLARE(number) extern Entry " + ", ".join(f"kernel_{n}_##number" for n in levels) + ";",
            "#define ENTRIES(number) " + ", ".join(f"kernel_{n}_##number" for n in levels),
            "#define KERNELS \\\n  " + " \\\n  ".join(each),
            "",
        )
    )


def _object_code(kernels: list[_Kernel], number: int, level: str) -> bytes:
    """Optimise all kernels together for a processor level, and return an object file with their entries."""
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(cpu=level, features="", opt=3, reloc="pic", codemodel="default")
    whole = llvm.parse_assembly("")
    whole.triple, whole.data_layout = kernels[0].module.triple, kernels[0].module.data_layout
    for kernel in kernels:
        whole.link_in(kernel.module, preserve=True)
    for value in (*whole.functions, *whole.global_variables):
        if not value.is_declaration:
            value.linkage = "internal"
    for at, kernel in enumerate(kernels):
        entry = whole.get_function(kernel.symbol)
        entry.linkage, entry.visibility, entry.name = "external", "hidden", f"kernel_{number}_{at}"
    for effort in ({"opt": 0, "loop_vectorize": False, "slp_vectorize": False}, {"opt": 3, "loop_vectorize": True}):
        builder = create_pass_builder(machine, **effort)
        builder.getModulePassManager().run(whole, builder)
    whole.verify()
    return bytes(machine.emit_object(whole))


if __name__ == "__main__":
    os.environ["KGREASON_KERNELS"] = "numba"
    sys.stdout.write(f"{build(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)}\n")
