"""A field for a term: while the user types, it offers the terms whose label or name has the typed words.

    classes and properties that the console knows (`Words`)  +  a query for labels and names in the graph  ->  hits

The browser shows the offers with its own list (datalist), so that keyboard, touch and screen readers work as in any
field. Cost: a query that looks through the labels of the graph, at most `_SECONDS` long, when the user stops typing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import NamedTuple

from markupsafe import Markup
from nicegui import ui
from pyoxigraph import Literal

from kgreason.errors import KgreasonError
from kgreason.server.console.calls import Calls
from kgreason.server.console.frame import Frame, html
from kgreason.server.console.vocabulary import WELL_KNOWN, Words, best_label_texts, local_name
from kgreason.server.problems import Problem

MOST = 20
"""The largest number of terms that a search finds."""
_PAUSE, _SECONDS, _SHORTEST = 0.2, 2, 2
_LABELS = f"""PREFIX rdfs: <{WELL_KNOWN["rdfs"]}> PREFIX skos: <{WELL_KNOWN["skos"]}>
SELECT DISTINCT ?term ?label {{
  {{ ?term rdfs:label ?label }} UNION {{ ?term skos:prefLabel ?label }}
  FILTER(isIRI(?term)) BIND(LCASE(STR(?label)) AS ?text) %s
}} LIMIT {10 * MOST}"""
_NAMES = f"""SELECT DISTINCT ?term {{
  ?term ?any ?thing FILTER(isIRI(?term)) BIND(LCASE(STR(?term)) AS ?text) %s
}} LIMIT {10 * MOST}"""


class Hit(NamedTuple):
    """A term that a search has found: its IRI, and its label, or "" if it has none."""

    iri: str
    label: str


async def search(calls: Calls, wanted: str, words: Words) -> list[Hit]:
    """Return the terms whose label or name has all words of `wanted`, the best first.

    `wanted` may also be the beginning of an IRI or of a prefixed name.
    """
    wanted = wanted.strip().lower()
    known = (*words.classes, *words.properties)
    hits = {iri: words.labels.get(iri, "") for iri in known if wanted and words.matches(iri, wanted)}
    if len(wanted) >= _SHORTEST:
        stem = (words.iri_of_prefixed(wanted) or (wanted if "/" in wanted else "")).lower()
        parts = [stem] if stem else wanted.split()
        tests = " ".join(f"FILTER(CONTAINS(?text, {Literal(part)}))" for part in parts)
        labelled, named = await asyncio.gather(_rows(calls, _LABELS % tests), _rows(calls, _NAMES % tests))
        hits |= best_label_texts((row[0][1:-1], row[1]) for row in labelled)
        for iri in (row[0][1:-1] for row in named):
            if stem or all(part in local_name(iri).lower() for part in parts):
                hits.setdefault(iri, words.labels.get(iri, ""))
    ranked = sorted(hits.items(), key=lambda hit: _rank(hit[0], hit[1], wanted))
    return [Hit(*each) for each in ranked[:MOST]]


async def _rows(calls: Calls, query: str) -> list[list[str]]:
    """Return the rows of a query, or none if it takes too long."""
    try:
        return await calls.rows(query, timeout=_SECONDS)
    except (Problem, KgreasonError):
        return []


def _rank(iri: str, label: str, wanted: str) -> tuple[bool, bool, int, str]:
    """Return a value that sorts terms: those called `wanted` first, then those whose name begins with it."""
    names = [local_name(iri).lower(), label.lower()]
    return wanted not in names, not any(name.startswith(wanted) for name in names), len(label or local_name(iri)), iri


def term_options(hits: Iterable[Hit], words: Words) -> Markup:
    """Make the options of a list: each has the short name of a term, and its label beside it."""
    option = Markup('<option value="{}">{}</option>')
    return Markup("").join(option.format(words.name(hit.iri), hit.label) for hit in hits)


def offer_terms(frame: Frame, form: ui.html, field: str) -> None:
    """Offer terms in the field with the id `field`, inside `form`. The field names the list `{field}-offers`."""
    offered = html("", tag="datalist").props(f'id="{field}-offers"')

    async def find(text: str) -> None:
        await asyncio.sleep(_PAUSE)
        offered.set_content(term_options(await search(frame.calls, text, frame.words), frame.words))

    typed = f"(event) => event.target.id === '{field}' && emit(event.target.value)"
    form.on("input", lambda event: frame.start_task(lambda: find(str(event.args)), f"find {field}"), js_handler=typed)
