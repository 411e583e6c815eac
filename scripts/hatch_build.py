"""Hatch's build hook: with KGREASON_WHEEL=platform the wheel gets the library of kernels and what else can be prepared.

`scripts/wheel` sets the variable. Without it the wheel is for every platform, and Numba compiles the kernels when they
are first used. The library needs no more than the stable ABI of Python 3.11 and an old C library, so one wheel serves
every Python from 3.11 on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_TAG = "cp311-abi3-manylinux_2_17_x86_64"


class PlatformHook(BuildHookInterface[Any]):
    """Adds the files that are made when the wheel is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files, and name the platform of the wheel."""
        if version == "editable" or os.environ.get("KGREASON_WHEEL") != "platform":
            return
        folder = Path(self.root, "build", "wheel")
        folder.mkdir(parents=True, exist_ok=True)
        prepared = folder / "prepared"
        shutil.rmtree(prepared, ignore_errors=True)
        prepared.mkdir()
        environment = os.environ | {"KGREASON_KERNELS": "numba", "PYTHONPATH": self.root}
        for command in (["-m", "kgreason.compiled.build", str(folder)], ["scripts/prepared.py", str(prepared)]):
            subprocess.run([sys.executable, *command], cwd=self.root, env=environment, check=True)
        build_data["force_include"] |= {
            str(folder / "_library.abi3.so"): "kgreason/compiled/_library.abi3.so",
            str(prepared): "kgreason/prepared",
        }
        build_data["pure_python"] = False
        build_data["tag"] = _TAG
