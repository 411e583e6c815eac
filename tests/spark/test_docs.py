"""The program of docs/spark.md runs as it stands, and prints what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

pytestmark = pytest.mark.usefixtures("brief_java")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_program_prints_what_the_page_says(tmp_path: Path) -> None:
    program, shown = "\n".join(blocks("python")), "\n".join(blocks("text"))
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert [line for line in done.stdout.splitlines() if line] == [line for line in shown.splitlines() if line]


def test_every_block_is_looked_at() -> None:
    """Commands for a cluster are shown only; `test_workers` does what they do."""
    assert 2 * len(blocks("python") + blocks("text") + blocks("sh")) == len(re.findall(r"^\s*```", PAGE, re.MULTILINE))
