"""The site is one folder: its pages ask no other host for a font, a style, a script or a picture.

python -m docs.extension.offline FOLDER        says what the site in a folder loads from elsewhere; then status 1
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_LOADED = re.compile(r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//[^\s"'>]+
    |<link\b[^>]*\bhref=["']?(?:https?:)?//[^\s"'>]+
    |(?:@import\s+|url\(\s*)["']?(?:https?:)?//[^\s"')]+""", re.VERBOSE)  # fmt: skip


def loaded(folder: Path) -> set[str]:
    """The addresses that pages and styles in a folder load from other hosts, each after the name of its file."""
    files = (path for suffix in ("html", "css") for path in folder.rglob(f"*.{suffix}"))
    return {f"{path.name}: {found[0]}" for path in files for found in _LOADED.finditer(path.read_text("utf-8"))}


if __name__ == "__main__":
    if found := loaded(Path(sys.argv[1])):
        sys.exit("\n".join(["the site loads files of other hosts:", *sorted(found)]))
