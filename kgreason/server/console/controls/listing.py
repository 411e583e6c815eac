"""`Listing`: a table that the user sorts by a click on a title, and that shows its rows a page at a time.

The server keeps the rows, and the browser gets one page of them. Cost: a sort of all rows for each click on a title.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from markupsafe import Markup
from nicegui import ui
from nicegui.events import GenericEventArguments

from kgreason.server.console.frame import html
from kgreason.server.console.literals import literal_of
from kgreason.server.console.markup import Row, table

PAGE = 100
"""How many rows a page has."""
_CLICKED = "(event) => { const name = event.target.closest('button[data-do]')?.dataset.do; if (name) emit(name); }"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_Item = TypeVar("_Item")


class Listing(Generic[_Item]):
    """A table with the titles `head`, which screen readers call `label`.

    `row` makes the row of an item, and `order(item, place)` returns the value by which a column is sorted. A column
    whose title is empty is not sorted. The columns with the indexes `numbers` are aligned right.
    """

    def __init__(
        self,
        label: str,
        head: Sequence[str],
        items: Sequence[_Item],
        row: Callable[[_Item], Row],
        order: Callable[[_Item, int], Any],
        numbers: Iterable[int] = (),
    ) -> None:
        self._label, self._head, self._row, self._order = label, head, row, order
        self._numbers = tuple(numbers)
        self._given = self._items = items
        self._sorted: int | None = None
        self._is_down = False
        self._begin = 0
        self._content = html(self._page()).classes("listing")
        self._content.on("click", self._on_click, js_handler=_CLICKED)

    def _on_click(self, event: GenericEventArguments) -> None:
        name = str(event.args)
        if name == "next" and self._begin + PAGE < len(self._items):
            self._begin += PAGE
        elif name == "previous":
            self._begin = max(0, self._begin - PAGE)
        elif name in {str(place) for place, title in enumerate(self._head) if title}:
            self._sort(int(name))
        self._content.set_content(self._page())
        ui.run_javascript(
            f"const box = getHtmlElement({self._content.id});"
            f"(box.querySelector('[data-do=' + CSS.escape({json.dumps(name)}) + ']:enabled')"
            " ?? box.querySelector('.pages button:enabled'))?.focus()"
        )

    def _sort(self, place: int) -> None:
        """Sort by a column: upwards, at the second click downwards, and at the third click as the rows came."""
        if self._sorted == place and self._is_down:
            self._sorted, self._items = None, self._given
        else:
            self._is_down = self._sorted == place
            self._sorted = place
            self._items = sorted(self._given, key=lambda item: self._order(item, place), reverse=self._is_down)
        self._begin = 0

    def _page(self) -> Markup:
        shown = self._items[self._begin : self._begin + PAGE]
        direction = "descending" if self._is_down else "ascending"
        orders = [direction if place == self._sorted else "none" for place in range(len(self._head))]
        rows = (self._row(each) for each in shown)
        inner = table(self._head, rows, label=self._label, numbers=self._numbers, orders=orders)
        return inner + (self._pages(len(shown)) if len(self._items) > PAGE else Markup(""))

    def _pages(self, count: int) -> Markup:
        first, last = self._begin + 1, self._begin + count
        return _PAGES.format(
            Markup(" disabled") if first == 1 else "",
            f"{first:,} to {last:,} of {len(self._items):,}",
            Markup(" disabled") if last == len(self._items) else "",
            self._label,
        )


_PAGES = Markup(
    '<div class="pages" role="group" aria-label="Pages of: {3}">'
    '<button type="button" data-do="previous"{0}>Previous</button><span role="status">{1}</span>'
    '<button type="button" data-do="next"{2}>Next</button></div>'
)


def sort_key(text: str) -> tuple[int, float, str]:
    """Return the value by which a term, given as N-Triples text, is sorted: numbers first, then texts and names.

    >>> sorted(['"10"^^<http://www.w3.org/2001/XMLSchema#integer>', "<http://e/b>", "9", ""], key=sort_key)
    ['', '9', '"10"^^<http://www.w3.org/2001/XMLSchema#integer>', '<http://e/b>']
    """
    shown = literal_of(text).value if text.startswith('"') else text
    if not shown:
        return 0, 0.0, ""
    if _NUMBER.fullmatch(shown):
        return 1, float(shown), shown
    return 2, 0.0, shown.casefold()
