"""Media types, and content negotiation (RFC 9110, section 12.5.1).

    Accept: text/turtle;q=0.5, application/*   ->   the best of the formats that the server has

If two formats have the same quality, the format that the header names more exactly wins. If the header names both
equally exactly, the format that comes first in the server's list wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from kgreason.server.problems import Problem
from kgreason.wire import EXACT

Types: TypeAlias = Mapping[str, Sequence[str]]
"""For each format, by its suffix, the media types that name it. The first of them is sent."""

SOLUTIONS: Types = {
    "json": ("application/sparql-results+json", "application/json"),
    "xml": ("application/sparql-results+xml", "application/xml", "text/xml"),
    "csv": ("text/csv",),
    "tsv": ("text/tab-separated-values", "text/tsv"),
}
"""The formats of the answers of SELECT and ASK."""
TRIPLES: Types = {
    "nt": ("application/n-triples", "text/plain"),
    "ttl": ("text/turtle", "application/x-turtle", "application/turtle"),
    "rdf": ("application/rdf+xml", "application/xml", "text/xml"),
    "jsonld": ("application/ld+json", "application/json"),
    "n3": ("text/n3",),
}
"""The formats of one graph."""
QUADS: Types = {
    "nq": ("application/n-quads", "text/x-nquads"),
    "trig": ("application/trig", "application/x-trig"),
}
"""The formats of several graphs."""

REPORTS: Types = {
    "json": ("application/json",),
    "exact": (EXACT,),
    "txt": ("text/plain",),
    "md": ("text/markdown",),
    **{form: medias for form, medias in TRIPLES.items() if form not in ("nt", "jsonld")},
    "nt": ("application/n-triples",),
    "jsonld": ("application/ld+json",),
}
"""The formats of a validation report."""


def best_format(accept: str | None, types: Types) -> str | None:
    """Return the name of the format among `types` that an Accept header prefers; None if it accepts none of them.

    >>> best_format("text/turtle;q=0.5, application/*", TRIPLES), best_format("*/*", SOLUTIONS)
    ('nt', 'json')
    """
    ranges = list(_ranges(accept or "*/*"))
    ranked = ((_quality(media, ranges), name) for name, medias in types.items() for media in medias)
    best = max(ranked, key=lambda each: each[0])
    return best[1] if best[0][0] > 0 else None


def required_format(accept: str | None, types: Types) -> str:
    """Return the result of `best_format`. Raises Problem 406 if the header accepts none of the formats `types`."""
    if (name := best_format(accept, types)) is None:
        raise unacceptable(types)
    return name


def unacceptable(types: Types) -> Problem:
    """Make the problem for an Accept header that accepts none of the formats `types`."""
    return Problem(406, f"the answer can be {', '.join(medias[0] for medias in types.values())}")


def _ranges(accept: str) -> Iterator[tuple[str, float]]:
    for part in accept.split(","):
        media, *parameters = (each.strip().lower() for each in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip() == "q":
                try:
                    quality = float(value)
                except ValueError:
                    quality = 0.0
        yield media, quality


def _quality(media: str, ranges: Sequence[tuple[str, float]]) -> tuple[float, int]:
    """Return the quality of the range that matches a media type most exactly, and how exact it is (0 to 2)."""
    exactness = {media: 2, f"{media.partition('/')[0]}/*": 1, "*/*": 0}
    found = [(exactness[each], quality) for each, quality in ranges if each in exactness]
    exact, quality = max(found, default=(0, 0.0))
    return quality, exact


def content_type(media: str) -> str:
    """Return the Content-Type header for a media type. For text the header says that the text is UTF-8."""
    return f"{media}; charset=utf-8" if media.startswith("text/") else media


def media_type(header: str | None) -> str:
    """Return the media type in a Content-Type header, without parameters. Raises Problem 415 for text not in UTF-8."""
    media, *parameters = (each.strip().lower() for each in (header or "").split(";"))
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "charset" and value.strip().strip("\"'") not in ("utf-8", "utf8", "us-ascii"):
            raise Problem(415, f"the text is in {value.strip()}, and the server reads UTF-8")
    return media


def format_of(media: str, types: Types) -> str:
    """Return the name of the format among `types` that has this media type. Raises Problem 415 if none has it."""
    for name, medias in types.items():
        if media in medias:
            return name
    known = ", ".join(medias[0] for medias in types.values())
    raise Problem(415, f"the content type {media or 'is missing; it'} is none of {known}")
