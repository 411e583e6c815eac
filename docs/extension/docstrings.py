"""Docstrings as Sphinx reads them: an indented block that no `::` announces is a block of code."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ITEM = re.compile(r"\s*([-*]|\d+\.) ")


def readable(_app: object, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Sphinx hands over the lines of a docstring, and takes them as they are then."""
    lines[:] = _announced(lines)


def _announced(lines: list[str]) -> Iterator[str]:
    """The lines, with `::` ahead of each block of code."""
    last = ""
    for place, line in enumerate(lines):
        is_first = line.startswith("    ") and (place == 0 or not lines[place - 1])
        if is_first and not last.startswith("    ") and not last.endswith("::") and not _ITEM.match(last):
            yield from ("::", "")
        yield line
        last = line or last
