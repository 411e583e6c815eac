"""One module for each page of the console. `register` makes their addresses known to NiceGUI."""

from __future__ import annotations

from nicegui import app, ui

from kgreason.server.console.pages.query import query_page
from kgreason.server.problems import problem_of


def register() -> None:
    """Make the addresses of all pages known."""
    ui.page("/")(query_page)
    app.on_page_exception(_failed)


def _failed(error: Exception) -> None:
    """The page in place of a page that could not be made: no traceback leaves the process."""
    ui.label(problem_of(error).detail)
