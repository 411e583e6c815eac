"""One module for each page of the console. `register` makes their addresses known to NiceGUI."""

from __future__ import annotations

from nicegui import app, ui

from kgreason.server.console.pages.contradictions import contradictions_page
from kgreason.server.console.pages.edit import edit_page
from kgreason.server.console.pages.explore import explore_page
from kgreason.server.console.pages.feed import feed_page
from kgreason.server.console.pages.ontology import ontology_page
from kgreason.server.console.pages.query import query_page
from kgreason.server.console.pages.shapes import shapes_page
from kgreason.server.console.pages.status import status_page
from kgreason.server.console.pages.why import why_page
from kgreason.server.problems import problem_of


def register() -> None:
    """Make the addresses of all pages known to NiceGUI."""
    ui.page("/")(query_page)
    ui.page("/console/edit")(edit_page)
    ui.page("/console/explore")(explore_page)
    ui.page("/console/why")(why_page)
    ui.page("/console/ontology")(ontology_page)
    ui.page("/console/contradictions")(contradictions_page)
    ui.page("/console/shapes")(shapes_page)
    ui.page("/console/feed")(feed_page)
    ui.page("/console/status")(status_page)
    # in place of a page that could not be made; no traceback leaves the process
    app.on_page_exception(lambda error: ui.label(problem_of(error).detail))
