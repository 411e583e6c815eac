"""The parts of the site that are made: every command, every case, and nothing of another host."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from docs.extension import DOCS, MADE, cases, commands, docstrings, offline
from docs.extension.repository import ROOT
from kgreason import KnowledgeGraph
from tests.docs.page import Page, pages
from tests.w3crules import cases as folders

TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def page_text(name: str) -> str:
    return MADE[name](Page(name).text)


def test_the_command_line_page_has_every_command_and_option() -> None:
    text = page_text("command-line")
    for path, command in commands.commands():
        section = text.split(f"\n## {path}\n")[1].split("\n## ")[0]
        assert command.epilog
        assert f"```sh\n{path}" in section or "\necho " in section or " | kgreason" in section
        shown = [each for each in command.params if not (isinstance(each, click.Option) and each.hidden)]
        options = [option for parameter in shown for option in parameter.opts if option.startswith("--")]
        assert all(f"{option}" in section for option in options)


def test_the_page_of_cases_has_every_case_and_rule_support_links_to_it() -> None:
    headings = {heading.lower() for heading in re.findall(r"^## (.+)$", page_text("rule-cases"), re.MULTILINE)}
    linked = set(re.findall(r"\]\(rule-cases\.md#([^)]+)\)", page_text("rule-support")))
    assert linked == headings
    assert len(linked) == len(folders.cases())
    assert "../tests" not in page_text("rule-support")


def test_every_page_is_in_the_navigation() -> None:
    listed = {
        (path.parent.relative_to(DOCS) / line).as_posix()
        for path in DOCS.rglob("*.md")
        for toc in TOCTREE.findall(path.read_text(encoding="utf-8"))
        for line in toc.splitlines()
        if line and not line.startswith(":")
    }
    assert listed == {page.name for page in pages()} - {"index"}


@pytest.mark.parametrize(
    "text",
    [
        '<script async src="https://cdn.example.org/a.js"></script>',
        '<link rel="stylesheet" href="//fonts.example.org/css">',
        '<img alt="" src="http://example.org/a.png">',
        "@import 'https://fonts.example.org/css';",
        "src: url(https://fonts.example.org/a.woff2)",
    ],
)
def test_files_of_other_hosts_are_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(text)
    assert len(offline.loaded(tmp_path)) == 1


def test_links_and_own_files_are_no_requests(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="https://example.org/">x</a> <script src="_static/a.js"></script>')
    (tmp_path / "a.css").write_text("src: url(fonts/a.woff2)")
    assert not offline.loaded(tmp_path)


def test_an_indented_block_of_a_docstring_is_code() -> None:
    lines = [
        "A tree:",
        "",
        "    a",
        "",
        "    b",
        "",
        "- an item",
        "",
        "    its second paragraph",
        "Told::",
        "",
        "    c",
    ]
    docstrings.readable(None, "", "", None, None, lines)
    assert lines[:5] == ["A tree:", "", "::", "", "    a"]
    assert lines.count("::") == 1


def test_cases_are_in_blocks_of_their_own_language() -> None:
    text = cases.page("")
    assert text.count("```turtle") == len(folders.cases())


def test_the_map_of_the_tests_has_every_folder() -> None:
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "tests" / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    folders_there = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert named | {"oracle", "strategies"} == folders_there


def test_pages_of_files_link_to_pages() -> None:
    assert "](how-to/rules.md)" in page_text("contributing")
    assert "](tests.md)" in page_text("contributing")
    assert "](security.md)" in page_text("contributing")
    assert "(LICENSE)" not in page_text("contributing")
    assert "](rule-support.md)" in page_text("changelog")


INSIDE = {
    "at_home",
    "check_known",
    "check_room",
    "check_writable",
    "load_interned",
    "matches",
    "number_warning",
    "prover",
    "store",
}
"""Methods of a graph for other parts of kgreason."""


def test_the_api_page_has_every_method_of_a_graph() -> None:
    members = (DOCS / "api.md").read_text(encoding="utf-8").split(":members:")[1].split(":exclude-members:")[0]
    public = {name for name in dir(KnowledgeGraph) if not name.startswith("_")}
    assert public - INSIDE <= set(re.findall(r"\w+", members))
