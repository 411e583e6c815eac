"""`View`: how a stream of /changes shows a commit: its form, and which facts it has.

    json    server-sent events: {"commit": 7, "appeared": {...}, ...}        for people and other programs
    exact   server-sent events with the values of the library (`wire`)       for clients that are kgreason themselves
    patch   RDF Patch: a header with the number of the commit, then a transaction

A commit that has none of the wanted facts is sent as an event without data, or as an empty transaction. So every stream
knows up to which commit it has read.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from kgreason.errors import InputError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.changes.delta_filter import filter_delta
from kgreason.graph.input.terms import term_text_at
from kgreason.store.journal.record import origin_headers
from kgreason.terms.vocabulary import RDF_TYPE
from kgreason.wire import deltas

_TERM = re.compile(
    r'\s*(?:(?P<any>\?\w*)|(?P<type>a)|(?P<term><[^<>\s]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:\^\^<[^<>\s]*>|@[\w-]+)?))(?=\s|$)'
)
_PLACES = ("subject", "predicate", "object")
_ALL = (None, None, None)
Terms = tuple[str | None, str | None, str | None]


class View(NamedTuple):
    """How a stream shows commits.

    - `form`: the form of the text: "json", "exact" or "patch"
    - `terms`: a fact is shown if it has these terms; None stands for any term
    - `asserted`: True shows only asserted facts, False only inferred ones, None both
    """

    form: str = "json"
    terms: Terms = _ALL
    asserted: bool | None = None

    @property
    def media(self) -> str:
        """The content type of the answer that has the stream."""
        return "application/rdf-patch" if self.form == "patch" else "text/event-stream; charset=utf-8"

    def first_bytes(self, after: int) -> bytes:
        """Return the first bytes of a stream that begins after the commit `after`."""
        return b"# following\n" if self.form == "patch" else f"id: {after}\n: following\n\n".encode()

    def heartbeat(self) -> bytes:
        """Return the bytes to send if there is no commit for a while. They show the client that the stream is alive."""
        return b"# still here\n" if self.form == "patch" else b": still here\n\n"

    def text(self, delta: Delta) -> bytes:
        """Return the text for a commit, with only the facts that the view shows."""
        is_part = self.terms != _ALL or self.asserted is not None
        shown = filter_delta(delta, self.terms, self.asserted) if is_part else delta
        if self.form == "patch":
            headers = "".join([f'H commit "{delta.commit}" .\n', *origin_headers(delta.time, delta.author)])
            return f"{headers}{shown.to_patch()}".encode()
        if is_part and not shown:
            return f"id: {delta.commit}\n\n".encode()
        found = deltas.to_json(shown) if self.form == "exact" else shown.to_json()
        return f"id: {delta.commit}\nevent: commit\ndata: {json.dumps(found)}\n\n".encode()


def pattern_of(text: str) -> Terms:
    """Return the terms of a pattern such as `<http://e/a> ?p ?o`. A variable or `?` gives None, for any term.

    Raises InputError.

    >>> pattern_of("?s a <http://e/Cat>")
    (None, '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>', '<http://e/Cat>')
    """
    found: list[str | None] = []
    at = 0
    while at < len(text.rstrip()):
        term = _TERM.match(text, at)
        if term is None:
            raise InputError(f"{text}: write three terms, such as <http://e/tom> a ?class")
        found.append(RDF_TYPE if term["type"] else term["term"])
        at = term.end()
    if len(found) != len(_PLACES):
        raise InputError(f"{text}: write three terms, such as <http://e/tom> a ?class")
    subject, predicate, object_ = (
        None if term is None else term_text_at(term, place) for term, place in zip(found, _PLACES, strict=True)
    )
    return subject, predicate, object_
