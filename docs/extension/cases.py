"""The cases of the rules: the folders of tests/cases on one page, and the links of the rule-support page to it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.w3crules.cases import Case, cases

_FILES = {
    "input.ttl": ("turtle", "Loaded"),
    "loaded.patch": ("text", "What follows, as an RDF Patch"),
    "loaded.false": ("text", "Contradictions"),
    "edit.ru": ("sparql", "Then an edit"),
    "edited.patch": ("text", "All that the edit changes"),
    "edited.false": ("text", "Contradictions after the edit"),
}


def page(introduction: str) -> str:
    """The page: what its file says, then every case."""
    return "\n".join([introduction, *(line for case in cases() for line in _section(case))])


def linked(text: str) -> str:
    """The rule-support page with links to the page of cases where its own lead to folders."""
    return re.sub(r"\]\(\.\./tests/cases/([^)]*)\)", lambda found: f"](rule-cases.md#{_anchor(found[1])})", text)


def _anchor(folder: str) -> str:
    """The anchor that MyST gives to the heading of a case."""
    return folder.replace("/", "-").lower()


def _section(case: Case) -> Iterator[str]:
    yield from ("", f"## {_anchor(str(case))}", "")
    for name, (language, title) in _FILES.items():
        path = case.folder / name
        if path.is_file():
            yield from (f"{title}:", "", f"```{language}", path.read_text("utf-8").rstrip(), "```", "")
