"""The site is one folder: its pages ask no other host for a font, a style, a script or a picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_LOADED = re.compile(r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//[^\s"'>]+
    |<link\b[^>]*\bhref=["']?(?:https?:)?//[^\s"'>]+
    |(?:@import\s+|url\(\s*)["']?(?:https?:)?//[^\s"')]+""", re.VERBOSE)  # fmt: skip


def check(app: Any, error: Exception | None) -> None:
    """Sphinx has built the site: raise ExtensionError where one of its files loads something from elsewhere."""
    from sphinx.errors import ExtensionError

    found = [] if error else sorted(loaded(Path(app.outdir)))
    if found:
        raise ExtensionError("\n".join(["the site loads files of other hosts:", *found]))


def loaded(folder: Path) -> set[str]:
    """What the pages and styles of a folder load from elsewhere, each with its file."""
    files = (path for suffix in ("html", "css") for path in folder.rglob(f"*.{suffix}"))
    return {f"{path.name}: {found[0]}" for path in files for found in _LOADED.finditer(path.read_text("utf-8"))}
