"""The page Explore: a term with its triples, the terms that a search finds, or the classes and the named graphs.

In the default graph, asserted and inferred triples are told apart (/triples), and every triple has a link to its proof.
In a named graph all triples are asserted (/match).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup
from nicegui import ui
from pyoxigraph import RdfFormat, parse
from starlette.requests import Request

from kgreason.server.console.controls import graphs
from kgreason.server.console.controls.listing import Listing, sort_key
from kgreason.server.console.controls.terms import Hit, offer_terms, search
from kgreason.server.console.frame import Frame, button, html
from kgreason.server.console.hierarchy import MOST, Hierarchy, neighbourhood, read_hierarchy, tree_of
from kgreason.server.console.literals import literal_of
from kgreason.server.console.markup import (
    Row,
    badge,
    empty_notice,
    js_literal,
    link,
    plain_text,
    removal_address,
    term,
    why_address,
)
from kgreason.server.console.vocabulary import Words

_MOST = 1_000
_LABELS = ("<http://www.w3.org/2000/01/rdf-schema#label>", "<http://www.w3.org/2004/02/skos/core#prefLabel>")
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_PAUSE = 0.2
_FORM = Markup(
    '<form class="bar" action="/console/explore" role="search"><label for="term">Term</label>'
    '<input id="term" name="term" list="term-offers" value="{}" size="34" autocomplete="off" spellcheck="false"'
    ' placeholder="a label, ex:Person or http://…">{}<button class="main">Explore</button></form>'
)
_UNTOUCHED = "const field = document.getElementById('term'); if (field.value === field.defaultValue) field.value = {}"


class Triples(NamedTuple):
    """Triples that match a pattern, each with a flag: whether it is asserted. `is_whole`: whether these are all.

    `described` has the triples that say what blank nodes stand for.
    """

    rows: Sequence[tuple[Sequence[str], bool]]
    is_whole: bool
    described: Sequence[Sequence[str]] = ()


async def explore_page(request: Request, term: str = "", graph: str = "") -> None:
    """Make the page Explore: it shows a term, or the classes of the graph if `term` is empty.

    `graph` is the IRI of a named graph; empty means the default graph.
    """
    with Frame(request, "Explore") as frame:
        _Explore(frame, term.strip(), graph.strip())


class _Explore:
    _words: Words | None = None
    """The words with the class expressions of the term that is shown."""

    def __init__(self, frame: Frame, text: str, graph: str) -> None:
        self._frame, self._text, self._graph = frame, text, graph.removeprefix("<").removesuffix(">")
        form = html(_FORM.format(text, graphs.graph_field(self._graph)))
        offer_terms(frame, form, "term")
        self._offers = html("", tag="datalist").props('id="graph-offers"')
        self._content = ui.element("div").classes("pane")
        frame.when_connected(self._load)

    async def _load(self) -> None:
        found = await graphs.graph_names(self._frame.calls)
        self._offers.set_content(graphs.graph_options(found))
        if self._text:
            await self._show_text()
        elif self._graph:
            await self._show_graph()
        else:
            await self._show_classes(found)

    async def _show_text(self) -> None:
        """Show the term that the user has named, or all terms that fit the text if there are several."""
        words = self._frame.words
        name = typed_term(self._text, words)
        if name is None:
            hits = await search(self._frame.calls, self._text, words)
            exact = [hit for hit in hits if hit.label.lower() == self._text.lower()]
            if len(exact) != 1 and len(hits) != 1:
                self._show_hits(hits)
                return
            name = f"<{(exact or hits)[0].iri}>"
        ui.run_javascript(_UNTOUCHED.format(js_literal(plain_text(name, words))))
        await self._show_term(name)

    def _show_hits(self, hits: list[Hit]) -> None:
        words = self._frame.words
        with self._content:
            if not hits:
                html(
                    empty_notice(
                        "The graph does not have this term", "Check its spelling, or choose another one above."
                    )
                )
                return
            html(Markup("<h2>Terms whose label or name fits</h2>"))
            rows = [(f"<{hit.iri}>", hit.label) for hit in hits]
            Listing(
                "Terms that fit",
                ["term", "label"],
                rows,
                lambda each: Row([term(each[0], words), each[1]]),
                _cell_sort_key,
            )

    async def _show_term(self, name: str) -> None:
        out = _NONE if name.startswith('"') else await self._triples(subject=name)
        into = await self._triples(object=name)
        words = self._words = self._frame.words.with_expressions((*out.described, *into.described))
        with self._content:
            html(_heading(name, out, words))
            if not (out.rows or into.rows):
                html(
                    empty_notice(
                        "The graph does not have this term", "Check its spelling, or choose another one above."
                    )
                )
                return
            if not self._graph:
                hierarchy = await read_hierarchy(self._frame.calls)
                if name in hierarchy.classes:
                    html(Markup("<h2>Class</h2>{}").format(neighbourhood(hierarchy, words, name)))
            self._table("What it says", out, (1, 2))
            self._table("What says something of it", into, (0, 1))

    async def _triples(self, **pattern: str) -> Triples:
        if self._graph:
            return await _matching_triples(self._frame, self._graph, **pattern)
        told = await self._frame.calls.json("/triples", limit=_MOST, described="true", **pattern)
        rows = [(each["triple"], each["asserted"]) for each in told["triples"]]
        return Triples(rows, told["complete"], told["described"])

    def _table(self, title: str, found: Triples, places: Sequence[int]) -> None:
        if not found.rows:
            return
        words, names = self._frame.words, ("subject", "predicate", "object")

        def row(each: tuple[Sequence[str], bool]) -> Row:
            triple, is_asserted = each
            cells = [self._term(triple[place]) for place in places]
            if self._graph:
                return Row(cells)
            links = link(why_address(triple), "why?", "why")
            if is_asserted and self._frame.has_role("write") and (address := removal_address(triple)):
                links += " " + link(address, "remove", "why")
            return Row([*cells, badge(is_asserted), links])

        def order(each: tuple[Sequence[str], bool], place: int) -> Any:
            return sort_key(plain_text(each[0][places[place]], words)) if place < len(places) else not each[1]

        html(Markup("<h2>{}</h2>").format(title))
        head = [*(names[place] for place in places), *([] if self._graph else ["kind", ""])]
        rows = sorted(found.rows, key=lambda each: (not each[1], *(each[0][place] for place in places)))
        Listing(title, head, rows, row, order)
        if not found.is_whole:
            html(Markup("<p>There are more; these are the first {}. The page Query finds all.</p>").format(len(rows)))

    def _term(self, text: str) -> Markup:
        return term(text, self._words or self._frame.words, self._graph)

    async def _show_graph(self) -> None:
        found = await _matching_triples(self._frame, self._graph)
        with self._content:
            html(Markup("<h2>The named graph {}</h2>").format(f"<{self._graph}>"))
            if not found.rows:
                html(empty_notice("There is no such graph", "A named graph exists as long as it has a triple."))
            self._table("Its triples", found, (0, 1, 2))

    async def _show_classes(self, names: list[str]) -> None:
        hierarchy = await read_hierarchy(self._frame.calls)
        with self._content:
            if names:
                html(_graphs(names))
            if hierarchy.classes:
                _Classes(self._frame, hierarchy)
            else:
                html(
                    empty_notice("The graph has no classes yet", link("/console/edit", "Add triples on the page Edit"))
                )


class _Classes:
    """The tree of classes, with a field that filters it, and a button that shows more of it."""

    def __init__(self, frame: Frame, hierarchy: Hierarchy) -> None:
        self._frame, self._hierarchy = frame, hierarchy
        self._wanted, self._most = "", MOST
        html(Markup("<h2>Classes, with the number of their members</h2>"))
        with ui.element("div").classes("bar"):
            html(Markup('<label for="filter">Filter</label>'))
            field = ui.element("input").props('id="filter" type="search" placeholder="a label or a name"')
            field.on("input", lambda event: self._filter(str(event.args)), js_handler="(e) => emit(e.target.value)")
            self._state = html("").classes("state")
        self._tree = html("")
        self._more = button("", self._show_more)
        frame.start_task(self._show, "filter")

    def _filter(self, wanted: str) -> None:
        self._wanted, self._most = wanted, MOST
        self._frame.start_task(partial(self._show, _PAUSE), "filter")

    def _show_more(self) -> None:
        self._most += MOST
        self._frame.start_task(self._show, "filter")

    async def _show(self, pause: float = 0) -> None:
        await asyncio.sleep(pause)
        tree = await asyncio.to_thread(tree_of, self._hierarchy, self._frame.words, self._wanted, self._most)
        count = f"{tree.size:,} {'class' if tree.size == 1 else 'classes'}"
        left = f", {tree.hidden:,} of them not shown yet" if tree.hidden else ""
        self._tree.set_content(tree.markup)
        self._state.set_content(Markup('<span role="status">{}{}</span>').format(count, left))
        self._more.set_visibility(tree.hidden > 0)
        with self._more:
            self._more.clear()
            html(f"Show {min(tree.hidden, MOST):,} more", tag="span")


def typed_term(text: str, words: Words) -> str | None:
    """Turn what a user has typed into a term in N-Triples text, or return None: then the text must be searched.

    The user may type an IRI, with or without angle brackets, a short name, the name of a class or of a property, a
    blank node or a literal.
    """
    text = text.strip()
    if text.startswith(("<", "_:", '"')):
        return text
    iri = words.iri_of_prefixed(text) or words.iri_named(text) or (text if _IRI.fullmatch(text) else None)
    return None if iri is None else f"<{iri}>"


_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*")
_NONE = Triples((), True)


async def _matching_triples(frame: Frame, graph: str, **pattern: str) -> Triples:
    """Return the triples of a named graph that match a pattern. A query cannot name a blank node, but /match can."""
    places = ("subject", "predicate", "object")
    if any(text.startswith("_:") for text in pattern.values()):
        given = {name[0]: text for name, text in pattern.items()} | {"g": f"<{graph}>"}
        async with frame.calls.open("GET", "/match", given) as answer:
            quads = list(islice(parse(await answer.read(), format=RdfFormat.N_QUADS), _MOST + 1))
        rows = [[*map(str, quad.triple)] for quad in quads]
    else:
        terms = [pattern.get(place, f"?{place}") for place in places]
        bound = " ".join(f"BIND({pattern[place]} AS ?{place})" for place in places if place in pattern)
        query = f"SELECT ?subject ?predicate ?object {{ {' '.join(terms)} {bound} }} LIMIT {_MOST + 1}"
        rows = await frame.calls.rows(query, **{"default-graph-uri": graph})
    return Triples([(row, True) for row in rows[:_MOST]], len(rows) <= _MOST)


def _heading(name: str, found: Triples, words: Words) -> Markup:
    labels = [triple[2] for triple, _ in found.rows if triple[1] in _LABELS]
    label = Markup("<p>{}</p>").format(literal_of(labels[0]).value) if labels and labels[0].startswith('"') else ""
    types = [
        Markup("{} {}").format(term(triple[2], words), badge(is_asserted))
        for triple, is_asserted in found.rows
        if triple[1] == _TYPE
    ]
    told = Markup('<p class="types">a {}</p>').format(Markup(", ").join(types[:20])) if types else ""
    return Markup("<h2 class='term-name'>{}</h2>{}{}").format(term(name, words), label, told)


def _graphs(names: list[str]) -> Markup:
    form = Markup('<li><a class="term" href="{}">{}</a></li>')
    lines = (form.format(f"/console/explore?{urlencode({'graph': name})}", name) for name in names)
    return Markup('<details class="graphs"><summary>Named graphs: {}</summary><ul>{}</ul></details>').format(
        len(names), Markup("").join(lines)
    )


def _cell_sort_key(each: tuple[str, str], place: int) -> tuple[int, float, str]:
    return sort_key(each[place])
