"""Processes: what they took is their own, what fails says so, and commands are shown as they are typed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.process import CommandError, rival, run, shown

posix = pytest.mark.skipif(os.name != "posix", reason="needs wait4")


@posix
def test_the_peak_memory_of_a_process_is_not_that_of_its_parent(tmp_path: Path) -> None:
    mine = np.ones(1 << 27, dtype=np.uint8)
    small = run([sys.executable, "-S", "-c", "pass"], tmp_path).peak
    large = run([sys.executable, "-S", "-c", f"b'x' * {2 * mine.size}"], tmp_path).peak
    assert small < mine.nbytes / 2
    assert large > 2 * mine.nbytes


@posix
def test_a_process_runs_in_its_folder_with_its_variables(tmp_path: Path) -> None:
    script = "import os, pathlib; pathlib.Path('out').write_text(os.environ['WORD'])"
    assert run([sys.executable, "-c", script], tmp_path, {"WORD": "here"}).seconds > 0
    assert (tmp_path / "out").read_text() == "here"


@posix
def test_a_command_that_fails_says_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="exit status 3: alas"):
        run([sys.executable, "-c", "import sys; sys.stderr.write('well\\nalas\\n'); sys.exit(3)"], tmp_path)


@posix
def test_the_rivals_run(tmp_path: Path) -> None:
    (tmp_path / "in.ttl").write_text("<http://e/a> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/b> .\n")
    run(rival("bulk_load", "store", "in.ttl"), tmp_path)
    assert (tmp_path / "store" / "CURRENT").exists()
    pytest.importorskip("reasonable", reason="needs the bench extra")
    run(rival("reason", "out.nt", "in.ttl"), tmp_path)
    assert "<http://e/a> " in (tmp_path / "out.nt").read_text()


def test_commands_are_shown_as_they_are_typed() -> None:
    command: list[str | Path] = [Path("some", "where", "kgreason"), "load", "-f", "a.nt"]
    assert shown(command) == "kgreason load -f a.nt"
    assert shown(rival("reason", "out.nt")) == f"{Path(sys.executable).name} reason.py out.nt"
