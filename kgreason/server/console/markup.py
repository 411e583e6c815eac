"""Terms, triples and tables as HTML.

Law: all text goes through `Markup.format` or `escape`, which escape the text. All links lead to pages of the console.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, urlencode

from markupsafe import Markup

from kgreason.server.console.literals import Literal, literal_of
from kgreason.server.console.vocabulary import Words

_LONG, _WIDE = 300, 32
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_IRI = re.compile(r"<([^<>\s]+)>")
_BLANK = re.compile(r"(?<![\w:])_:\w+")
_ADDRESS = re.compile(r'\b(href|action)="/')
LISTS = tuple(f"<http://www.w3.org/1999/02/22-rdf-syntax-ns#{name}>" for name in ("first", "rest"))
"""The predicates of RDF lists: rdf:first and rdf:rest."""
Triple: TypeAlias = Sequence[str]


def term(text: str, words: Words, graph: str = "") -> Markup:
    """Show a term, given as N-Triples text. An IRI or a blank node becomes a link to the page Explore for it.

    The link leads to the named graph `graph`; empty means the default graph.
    """
    if text.startswith("<") and not text.startswith("<<"):
        iri = text[1:-1]
        shown = words.label(iri) or words.prefixed_name(iri) or f"<{iri}>"
        title = f"{words.labels[iri]} {text}" if iri in words.labels else iri
        kind = "term" if len(shown) < _WIDE else "term long"
        return Markup('<a class="{}" href="{}" title="{}">{}</a>').format(
            kind, explore_address(text, graph), title, _shorten(shown)
        )
    if text.startswith("_:"):
        shown = words.expression(text) or text
        return Markup('<a class="term blank" href="{}">{}</a>').format(explore_address(text, graph), _shorten(shown))
    if text.startswith('"'):
        return _literal(literal_of(text), words)
    return Markup('<span class="literal">{}</span>').format(_shorten(text))


def _literal(literal: Literal, words: Words) -> Markup:
    mark = f"@{literal.language}" if literal.language else words.prefixed_name(literal.datatype) or literal.datatype
    note = Markup('<span class="mark">{}</span>').format(mark) if mark and mark != "xsd:string" else ""
    if len(literal.value) <= _LONG:
        return Markup('<span class="literal">{}</span>{}').format(literal.value, note)
    return Markup('<details class="long"><summary>{}…</summary>{}</details>{}').format(
        literal.value[:_LONG], literal.value, note
    )


def _shorten(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def plain_text(text: str, words: Words) -> str:
    """Return a term as short text without markup."""
    if text.startswith("<") and not text.startswith("<<"):
        return words.name(text[1:-1])
    return text


def explore_address(text: str, graph: str = "") -> str:
    """Return the address of the page Explore for a term, in the named graph `graph` or in the default graph."""
    return f"/console/explore?term={quote(text, safe='')}" + (f"&graph={quote(graph, safe='')}" if graph else "")


def why_address(triple: Triple) -> str:
    """Return the address of the page that shows the proof of a triple."""
    return f"/console/why?{urlencode({'triple': ' '.join(triple)})}"


def removal_address(triple: Triple) -> str | None:
    """Return the address of the page Edit with the update that removes a triple.

    Returns None for a triple with blank nodes, which an update cannot name.
    """
    if any(text.startswith("_:") for text in triple):
        return None
    text = f"DELETE DATA {{ {' '.join(triple)} }}"
    return f"/console/edit?{urlencode({'update': text})}"


def triple(terms: Triple, words: Words) -> Markup:
    """Show a triple on one line; rdf:type is written `a`."""
    if (text := words.statement(terms)) is not None:
        return Markup('<span class="fact">{}</span>').format(text)
    subject, predicate, object_ = terms
    verb = _verb(predicate, words)
    return Markup('<span class="fact">{} {} {}</span>').format(term(subject, words), verb, term(object_, words))


def _verb(predicate: str, words: Words) -> Markup:
    if predicate != _TYPE:
        return term(predicate, words)
    return Markup('<a class="term" href="{}" title="rdf:type">a</a>').format(explore_address(predicate))


class Row(NamedTuple):
    """A row of a table: the cells, and the name of a CSS class for the row."""

    cells: Sequence[Markup | str]
    kind: str = ""


def table(
    head: Sequence[str], rows: Iterable[Row], *, label: str, numbers: Iterable[int] = (), orders: Sequence[str] = ()
) -> Markup:
    """Make a table with the titles `head`. It scrolls inside its own box, which screen readers call `label`.

    The columns with the indexes `numbers` are aligned right. If `orders` says how each column is sorted, as the
    attribute aria-sort does, the titles are buttons, each with the index of its column.
    """
    right = set(numbers)
    titles = _titles(head, orders, right)
    lines = Markup("").join(Markup('<tr class="{}">{}</tr>').format(row.kind, _cells(row.cells, right)) for row in rows)
    return _TABLE.format(label, titles, lines)


_TABLE = Markup(
    '<div class="box" role="region" aria-label="{}" tabindex="0">'
    "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
)


_CELL, _NUMBER = Markup("<td{}>{}</td>"), Markup(" class=number")
_TITLE = Markup('<th scope="col"{}>{}</th>')
_SORTED = Markup('<th scope="col" aria-sort="{}"{}><button type="button" data-do="{}">{}</button></th>')
_UNTITLED = Markup("<td></td>")
"""In place of an empty title, which screen readers would read as a title."""


def _titles(head: Sequence[str], orders: Sequence[str], right: set[int]) -> Markup:
    parts = []
    for place, title in enumerate(head):
        kind = _NUMBER if place in right else ""
        titled = _SORTED.format(orders[place], kind, place, title) if orders else _TITLE.format(kind, title)
        parts.append(titled if title else _UNTITLED)
    return Markup("").join(parts)


def _cells(cells: Sequence[Markup | str], right: set[int]) -> Markup:
    parts = (_CELL.format(_NUMBER if place in right else "", cell) for place, cell in enumerate(cells))
    return Markup("").join(parts)


def badge(asserted: bool) -> Markup:
    """Show whether a triple is asserted, by the word "asserted" or "inferred"."""
    name = "asserted" if asserted else "inferred"
    return Markup('<span class="badge {}">{}</span>').format(name, name)


def notice(text: str, kind: str = "error") -> Markup:
    """Show a message. Screen readers announce an "error" at once, and other kinds of messages when they are idle."""
    role = "alert" if kind == "error" else "status"
    return Markup('<div class="notice {}" role="{}">{}</div>').format(kind, role, text)


def empty_notice(title: str, advice: str | Markup) -> Markup:
    """Show a title and an advice, where a page has nothing else to show."""
    return Markup('<div class="empty"><p class="title">{}</p><p>{}</p></div>').format(title, advice)


def link(href: str, text: str, kind: str = "") -> Markup:
    """Make a link to the address `href`, which is a page of the console."""
    assert href.startswith("/")
    return Markup('<a class="{}" href="{}">{}</a>').format(kind, href, text)


def with_root(html: Markup, root: str) -> Markup:
    """Put the prefix `root` before every address of this server. In text and values a quotation mark is escaped.

    >>> with_root(Markup('<a href="/console/edit">href=&#34;/x&#34;</a>'), "/kg")
    Markup('<a href="/kg/console/edit">href=&#34;/x&#34;</a>')
    """
    return Markup(_ADDRESS.sub(rf'\1="{root}/', str(html))) if root else html  # noqa: S704  # `check_proxy` has seen it


def js_literal(value: object) -> str:
    """Return a text or another JSON value as a literal of JavaScript, which may stand in a script of a page."""
    return json.dumps(value).replace("<", "\\u003c")


def rule_text(text: str, words: Words) -> str:
    """Return the text of a rule in which IRIs are replaced by short names, and blank nodes by what they stand for."""
    text = _IRI.sub(lambda found: words.name(found[1]), text)
    return _BLANK.sub(lambda found: words.expression(found[0]) or found[0], text)
