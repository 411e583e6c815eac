"""Extensions of Sphinx that the documentation site uses.

    commands      the command-line reference, made of the parser's help
    repository    pages that are files of the repository, such as the changelog
    cases         the cases of the rules, made of the folders of tests/cases
    docstrings    docstrings as Sphinx reads them
    offline       a check after the build: no font, style or script of another host

Cost: a second or two of the build.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docs.extension import cases, commands, docstrings, repository

DOCS = Path(__file__).parents[1]


MADE = {
    "command-line": commands.page,
    "rule-cases": cases.page,
    "rule-support": cases.linked,
    **{name: repository.page(name) for name in repository.PAGES},
}
"""The pages that are made or changed, each by a function of the text that the file has."""


def made(_app: object, name: str, source: list[str]) -> None:
    """Sphinx reads a page: the text that is made of it."""
    if name in MADE:
        source[0] = MADE[name](source[0])


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx."""
    from pygments.lexers.special import TextLexer

    app.connect("source-read", made)
    app.connect("autodoc-process-docstring", docstrings.readable)
    app.add_lexer("mermaid", TextLexer)  # flowcharts are shown as text: what draws them is a script of another host
    return {"parallel_read_safe": True, "parallel_write_safe": True}
