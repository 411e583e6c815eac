"""Tables for notebooks: HTML with every text escaped.

Cost: linear in the rows that are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from kgreason.graph.input.terms import NO_PREFIXES, text_of
from kgreason.rules.formatter import format_term
from kgreason.terms.prefixes import USUAL

_IRI = re.compile(r"<[^<>\s\"]+>")
SHOWN = 50
"""A table shows at most this many rows."""


def html_table(
    caption: str, names: Sequence[str], rows: Iterable[Sequence[object]], prefixes: Mapping[str, str] = NO_PREFIXES
) -> str:
    """Return an HTML table with a caption and columns called `names`. A cell that is None is empty.

    `prefixes` shorten the IRIs of terms.
    """
    lines = [f"<table><caption>{escape(caption)}</caption>", _html_row("th", names)]
    lines += (_html_row("td", [_cell_text(cell, prefixes) for cell in row]) for row in rows)
    return "\n".join([*lines, "</table>"])


def shorten_cell(cell: object, prefixes: Mapping[str, str]) -> object:
    """Return a cell in which each IRI of a text, such as a rule, is shortened by `prefixes` and the usual ones."""
    if not isinstance(cell, str):
        return cell
    known = {**USUAL, **prefixes}
    return _IRI.sub(lambda found: format_term(found[0], known), cell)


def _cell_text(cell: object, prefixes: Mapping[str, str]) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    return format_term(text_of(cell), {**USUAL, **prefixes}) if prefixes else text_of(cell)


def _html_row(kind: str, cells: Sequence[str | None]) -> str:
    texts = ("" if cell is None else escape(cell) for cell in cells)
    return f"<tr>{''.join(f'<{kind}>{text}</{kind}>' for text in texts)}</tr>"
