"""What a page of the documentation shows is what happens: programs and command lines run, and print what it says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from kgreason import KnowledgeGraph
from kgreason.cli.commands import main
from kgreason.graph.transaction import Transaction
from tests.cli.calling import call
from tests.docs.page import SHOWN_ONLY, Page, is_as_shown, pages
from tests.tables import table

ELSEWHERE = {"spark"}
"""Pages with a test of their own: tests/spark/test_docs.py."""
OF_RDFLIB = {"how-to/rdflib", "how-to/pyshacl"}
"""Pages on which `graph` is a graph of rdflib."""
PAGES = [page for page in pages() if page.name not in ELSEWHERE]


def ids(page: Page) -> str:
    return page.name


@pytest.mark.parametrize("page", [page for page in PAGES if page.program], ids=ids)
def test_the_program_prints_what_the_page_says(page: Page, tmp_path: Path) -> None:
    page.lay_out(tmp_path)
    command = [sys.executable, "-W", "error", "-c", page.program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert is_as_shown(page.printed, done.stdout), done.stdout


@pytest.mark.parametrize("page", [page for page in PAGES if page.of("console")], ids=ids)
def test_the_command_lines_print_what_the_page_says(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    for command, shown in page.commands:
        program, *arguments = shlex.split(command, comments=True)
        assert program == "kgreason", command
        done = call(*arguments)
        printed = done.stdout + done.stderr
        assert is_as_shown(shown, printed), f"{command}\n{printed}"


@table("page", PAGES)
def test_every_block_is_looked_at(page: Page) -> None:
    assert 2 * len(page.blocks) == len(re.findall(r"^\s*```", page.text, re.MULTILINE))
    for name, language, text in page.blocks:
        assert name or language in {"python", "text", "console", *SHOWN_ONLY}, text


@table("page", PAGES)
def test_command_lines_that_are_only_shown_have_commands_and_options_that_exist(page: Page) -> None:
    lines = [line for block in page.of("sh") for line in block.splitlines() if line.startswith("kgreason ")]
    for line in lines:
        check_command_line(line)


@table("page", [*PAGES, Page("spark")])
def test_commands_and_methods_that_the_text_names_exist(page: Page) -> None:
    text = re.sub(r"\s+", " ", re.sub(r"^```.*?^```$", "", page.text, flags=re.DOTALL | re.MULTILINE))
    for code in re.findall(r"`([^`]+)`", text):
        if code.startswith("kgreason ") and code.split()[1] in main.commands:
            check_command_line(code)
        elif code.startswith("kgreason "):
            assert re.match(r"kgreason [-A-Z]", code), code
        if page.name not in OF_RDFLIB and (method := re.match(r"(graph|tx)\.(\w+)(?!\w*\.org)", code)):
            assert hasattr(KnowledgeGraph if method[1] == "graph" else Transaction, method[2]), code


def check_command_line(line: str) -> None:
    """Fail where a command line names a command or an option that does not exist."""
    _, *words = shlex.split(line, comments=True)
    command: click.Command = main
    while isinstance(command, click.Group):
        assert words, f"{line}: not a whole command"
        command = command.commands[words.pop(0)]
    options = {"--help"} | {option for parameter in command.params for option in parameter.opts}
    assert {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)} <= options, line
