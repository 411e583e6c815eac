"""Terms, triples and tables as HTML.

Law: all text goes through `Markup.format` or `escape`, which escape the text. All links lead to pages of the console.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, urlencode

from markupsafe import Markup

from kgreason.server.console.vocabulary import Words
from kgreason.terms.quoting import unescape

_LONG, _WIDE = 300, 32
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_IRI = re.compile(r"<([^<>\s]+)>")
_ADDRESS = re.compile(r'\b(href|action)="/')
LISTS = tuple(f"<http://www.w3.org/1999/02/22-rdf-syntax-ns#{name}>" for name in ("first", "rest"))
"""The predicates of RDF lists: rdf:first and rdf:rest."""
Triple: TypeAlias = Sequence[str]


class Literal(NamedTuple):
    """The three parts of a literal: value, language and datatype; an absent part is ""."""

    value: str
    language: str
    datatype: str


def literal_of(text: str) -> Literal:
    r"""Split a literal, given as N-Triples text, into its parts.

    >>> literal_of('"a\\"b"@en'), literal_of('"7"^^<http://e/d>').datatype
    (Literal(value='a"b', language='en', datatype=''), 'http://e/d')
    """
    end = text.rindex('"')
    rest = text[end + 1 :]
    try:
        value = unescape(text[1:end])
    except ValueError:
        value = text[1:end]
    return Literal(value, rest[1:] if rest.startswith("@") else "", rest[3:-1] if rest.startswith("^^") else "")


def term(text: str, words: Words) -> Markup:
    """Show a term, given as N-Triples text. An IRI or a blank node becomes a link to the page Explore for it."""
    if text.startswith("<") and not text.startswith("<<"):
        iri = text[1:-1]
        shown = words.short(iri) or f"<{iri}>"
        kind = "term" if len(shown) < _WIDE else "term long"
        return Markup('<a class="{}" href="{}" title="{}">{}</a>').format(kind, explore(text), iri, _shortened(shown))
    if text.startswith("_:"):
        return Markup('<a class="term blank" href="{}">{}</a>').format(explore(text), _shortened(text))
    if text.startswith('"'):
        return _literal(literal_of(text), words)
    return Markup('<span class="literal">{}</span>').format(_shortened(text))


def _literal(literal: Literal, words: Words) -> Markup:
    mark = f"@{literal.language}" if literal.language else words.short(literal.datatype) or literal.datatype
    note = Markup('<span class="mark">{}</span>').format(mark) if mark and mark != "xsd:string" else ""
    if len(literal.value) <= _LONG:
        return Markup('<span class="literal">{}</span>{}').format(literal.value, note)
    return Markup('<details class="long"><summary>{}…</summary>{}</details>{}').format(
        literal.value[:_LONG], literal.value, note
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def plain(text: str, words: Words) -> str:
    """Return a term as short text without markup."""
    if text.startswith("<") and not text.startswith("<<"):
        return words.name(text[1:-1])
    return text


def explore(text: str) -> str:
    """Return the address of the page Explore for a term."""
    return f"/console/explore?term={quote(text, safe='')}"


def why(triple: Triple) -> str:
    """Return the address of the page that shows the proof of a triple."""
    return f"/console/why?{urlencode({'triple': ' '.join(triple)})}"


def triple(terms: Triple, words: Words) -> Markup:
    """Show a triple on one line; rdf:type is written `a`."""
    subject, predicate, object_ = terms
    verb = _verb(predicate, words)
    return Markup('<span class="fact">{} {} {}</span>').format(term(subject, words), verb, term(object_, words))


def _verb(predicate: str, words: Words) -> Markup:
    if predicate != _TYPE:
        return term(predicate, words)
    return Markup('<a class="term" href="{}" title="rdf:type">a</a>').format(explore(predicate))


class Row(NamedTuple):
    """A row of a table: the cells, and the name of a CSS class for the row."""

    cells: Sequence[Markup | str]
    kind: str = ""


def table(head: Sequence[str], rows: Iterable[Row], *, label: str, numbers: Iterable[int] = ()) -> Markup:
    """Make a table with the titles `head`. It scrolls inside its own box, which screen readers call `label`.

    The columns with the indexes `numbers` are aligned right.
    """
    right = set(numbers)
    titles = _cells(_TITLE, head, right)
    lines = Markup("").join(
        Markup('<tr class="{}">{}</tr>').format(row.kind, _cells(_CELL, row.cells, right)) for row in rows
    )
    return _TABLE.format(label, titles, lines)


_TABLE = Markup(
    '<div class="box" role="region" aria-label="{}" tabindex="0">'
    "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
)


_TITLE, _CELL = Markup('<th scope="col"{}>{}</th>'), Markup("<td{}>{}</td>")
_NUMBER = Markup(" class=number")


def _cells(form: Markup, cells: Sequence[Markup | str], right: set[int]) -> Markup:
    parts = (form.format(_NUMBER if place in right else "", cell) for place, cell in enumerate(cells))
    return Markup("").join(parts)


def badge(asserted: bool) -> Markup:
    """Show whether a triple is asserted, by the word "asserted" or "inferred"."""
    name = "asserted" if asserted else "inferred"
    return Markup('<span class="badge {}">{}</span>').format(name, name)


def notice(text: str, kind: str = "error") -> Markup:
    """Show a message. Screen readers announce an "error" at once, and other kinds of messages when they are idle."""
    role = "alert" if kind == "error" else "status"
    return Markup('<div class="notice {}" role="{}">{}</div>').format(kind, role, text)


def empty(title: str, advice: str | Markup) -> Markup:
    """Show a title and an advice, where a page has nothing else to show."""
    return Markup('<div class="empty"><p class="title">{}</p><p>{}</p></div>').format(title, advice)


def link(href: str, text: str, kind: str = "") -> Markup:
    """Make a link to the address `href`, which is a page of the console."""
    assert href.startswith("/")
    return Markup('<a class="{}" href="{}">{}</a>').format(kind, href, text)


def rooted(html: Markup, root: str) -> Markup:
    """Put the prefix `root` before every address of this server. In text and values a quotation mark is escaped.

    >>> rooted(Markup('<a href="/console/edit">href=&#34;/x&#34;</a>'), "/kg")
    Markup('<a href="/kg/console/edit">href=&#34;/x&#34;</a>')
    """
    return Markup(_ADDRESS.sub(rf'\1="{root}/', str(html))) if root else html  # noqa: S704  # `check_proxy` has seen it


def rule_text(text: str, words: Words) -> str:
    """Return the text of a rule in which IRIs are replaced by short names."""
    return _IRI.sub(lambda found: words.name(found[1]), text)
