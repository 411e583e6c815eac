"""Tables for notebooks: HTML with every text escaped.

Cost: linear in the rows that are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from kgreason.graph.input.terms import text_of

SHOWN = 50
"""A table shows at most this many rows."""


def table(caption: str, names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table with a caption and columns called `names`. A cell that is None is empty."""
    lines = [f"<table><caption>{escape(caption)}</caption>", _row("th", names), *(_row("td", row) for row in rows)]
    return "\n".join([*lines, "</table>"])


def _row(kind: str, cells: Sequence[object]) -> str:
    texts = ("" if cell is None else escape(text_of(cell)) for cell in cells)
    return f"<tr>{''.join(f'<{kind}>{text}</{kind}>' for text in texts)}</tr>"
