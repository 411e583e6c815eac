"""Kernels that check their indices (`KGREASON_KERNELS=bounds`), each time in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ENGINE = Path(__file__).parents[1] / "engine"
WRONG = """
import numpy as np
from kgreason.engine.engine import Engine
from kgreason.engine.facts.facts import look_for_rows
from kgreason.engine.crew.standby import wait_for_word

none = np.empty(0, dtype=np.int32)
words = np.zeros(3, dtype=np.int64)
for call in (
    lambda: look_for_rows(Engine()._circuit.block, 0, 5_000, none, none, np.empty(9_000, dtype=np.int32)),
    lambda: wait_for_word(words, 3, 1, 1, 0),
    lambda: look_for_rows(words, 0, 1, none, none, none),
):
    try:
        call()
    except IndexError as error:
        print(error)
"""
"""An index beside an array of the engine, a word that an atomic operation reads, and the address of an array."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    kernels = os.environ | {"KGREASON_KERNELS": "bounds"}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, env=kernels)


def test_a_wrong_index_is_an_error() -> None:
    assert run("-c", WRONG).stdout.splitlines() == ["index is out of bounds"] * 3


def test_the_engine_on_kernels_that_check_their_indices() -> None:
    names = (
        "parts/test_growth",
        "parts/test_threads",
        "commits/test_histories",
        "commits/test_interrupts",
        "commits/test_undo",
    )
    ran = run("-m", "pytest", "-q", "-p", "no:cacheprovider", *(str(ENGINE / f"{name}.py") for name in names))
    assert ran.returncode == 0, ran.stdout
