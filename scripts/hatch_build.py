"""Hatch's build hook: a wheel gets the library of kernels and what else can be prepared, if this machine can make them.

The environment variable KGREASON_WHEEL says what is made:

    platform    a wheel with the library, for every Linux on x86-64; an error if the library cannot be built
    any         a wheel without the library, for every platform: Numba compiles the kernels when they are first used
    (not set)   a wheel with the library for this machine, as `pip install .` wants it; if the library cannot be built,
                the wheel of `any`

`scripts/wheel` sets `platform`. The library needs no more than the stable ABI of Python 3.11 and an old C library, so
one wheel serves every Python from 3.11 on. An editable installation gets nothing, because the kernels change there.

Cost of the library: half a minute, and the dependencies of kgreason in the environment of the build.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_TAG = "cp311-abi3-manylinux_2_17_x86_64"
_OWN_TAG = "cp311-abi3-linux_x86_64"
"""The tag of a wheel for this machine: package indexes refuse it."""


def _choice() -> str:
    choice = os.environ.get("KGREASON_WHEEL", "")
    if choice not in ("", "any", "platform"):
        raise ValueError(f"KGREASON_WHEEL={choice}: it must be `platform` or `any`, or not be set")
    return choice


def _is_made() -> bool:
    """Whether this wheel gets the library, if the library can be built."""
    return _choice() == "platform" or (_choice() == "" and _has_compiler())


def _has_compiler() -> bool:
    """Whether the library can be built here (`kgreason.compiled.build`): a C compiler makes an extension module."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    options = ["-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", "-x", "c", "-", "-o", os.devnull]
    try:
        command = [os.environ.get("CC") or "cc", *options]
        return not subprocess.run(command, input=b"#include <Python.h>\n", capture_output=True, check=False).returncode
    except OSError:
        return False


class PlatformHook(BuildHookInterface[Any]):
    """Adds the files that are made when the wheel is built."""

    _made: TemporaryDirectory[str] | None = None

    def dependencies(self) -> list[str]:
        """Return what the build needs beside Hatch: to compile the kernels, all that kgreason needs."""
        return list(self.metadata.core.dependencies) if _is_made() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files, and name the platform of the wheel."""
        if version == "editable" or not _is_made():
            return
        must = _choice() == "platform"
        self._made = TemporaryDirectory()
        library, prepared = Path(self._made.name, "_library.abi3.so"), Path(self._made.name, "prepared")
        try:
            self._make(library.parent, prepared)
        except (OSError, subprocess.CalledProcessError) as error:
            self._made.cleanup()
            if must:
                raise
            self.app.display_warning(f"no library of kernels ({error}): Numba compiles them when they are first used")
            return
        build_data["force_include"] |= {
            str(library): "kgreason/compiled/_library.abi3.so",
            str(prepared): "kgreason/prepared",
        }
        build_data["pure_python"] = False
        build_data["tag"] = _TAG if must else _OWN_TAG

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the files that were made; the wheel has them."""
        if self._made is not None:
            self._made.cleanup()

    def _make(self, folder: Path, prepared: Path) -> None:
        prepared.mkdir()
        own = {"KGREASON_KERNELS": "numba", "PYTHONDONTWRITEBYTECODE": "1"}
        path = os.pathsep.join(filter(None, (self.root, os.environ.get("PYTHONPATH"))))  # pip's environment is in it
        for command in (["-m", "kgreason.compiled.build", str(folder)], ["scripts/prepared.py", str(prepared)]):
            environment = os.environ | own | {"PYTHONPATH": path}
            subprocess.run([sys.executable, *command], cwd=self.root, env=environment, check=True)
