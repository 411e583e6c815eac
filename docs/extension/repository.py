"""Pages that are files of the repository: the changelog, how to contribute, the map of the tests, security."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {
    "changelog": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
    "security": "SECURITY.md",
    "tests": "tests/README.md",
}


def page(name: str) -> Callable[[str], str]:
    """The function that makes a page from a file: it gives the text, with links that lead to pages."""
    file = ROOT / PAGES[name]
    return lambda _stub: _linked(file.read_text(encoding="utf-8"), file.parent)


def _linked(text: str, folder: Path) -> str:
    return re.sub(r"\[([^]]*)\]\((?!https?:|#)([^)]*)\)", lambda found: _link(found[1], folder / found[2]), text)


def _link(text: str, target: Path) -> str:
    """A link to the page of a file; the text alone where the file has none."""
    file = target.resolve().relative_to(ROOT).as_posix()
    pages = {path: f"{name}.md" for name, path in PAGES.items()}
    if file.startswith("docs/"):
        return f"[{text}]({file.removeprefix('docs/')})"
    return f"[{text}]({pages[file]})" if file in pages else text
