"""The page of each example: its commands and its program run, and what comes out is what the page shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import succeed
from tests.examples.programs import EXAMPLES, ROOT

NAMES = sorted(path.name for path in EXAMPLES.iterdir())
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
TABLE = re.compile(r"`(out/\w+\.csv)`(?:(?!```).)*?\n\n```text\n(.*?)```", re.DOTALL)


def page(name: str) -> str:
    return (EXAMPLES / name / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in NAMES if "```sh" in page(name)])
def test_the_commands_of_a_page_write_the_tables_that_it_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for line in "".join(text for kind, text in BLOCK.findall(page(name)) if kind == "sh").splitlines():
        command, *arguments = shlex.split(line)
        if command == "kgreason":
            succeed(*arguments)
        else:
            subprocess.run([sys.executable, *arguments], check=True, timeout=120)
    tables = TABLE.findall(page(name))
    assert tables
    for path, shown in tables:
        assert (tmp_path / path).read_text(encoding="utf-8") == shown, path


@pytest.mark.parametrize("name", [name for name in NAMES if "```python" in page(name)])
def test_the_program_of_a_page_prints_what_it_shows(name: str) -> None:
    text = TABLE.sub("", page(name))
    program = "".join(block for kind, block in BLOCK.findall(text) if kind == "python")
    shown = "".join(block for kind, block in BLOCK.findall(text) if kind == "text")
    command = [sys.executable, "-W", "error", "-c", program]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    assert result.stdout.rstrip() == shown.rstrip()


def test_the_pages_name_all_examples() -> None:
    listed = (ROOT / "docs" / "how-to" / "rules.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in listed] == []
