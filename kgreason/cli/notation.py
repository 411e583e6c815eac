"""Triples as a command line takes them, and prefixes to abbreviate IRIs.

A triple is three terms of N-Triples; with prefixes also of Turtle. Literals are written as `dump` shows them, which is
how they were loaded: queries show some of them otherwise.
"""

from __future__ import annotations

import click
import pyoxigraph
from pyoxigraph import RdfFormat

from kgreason.errors import InputError
from kgreason.rules.model import Triple
from kgreason.terms.vocabulary import OWL, RDF, RDFS, XSD

PREFIXES = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD}


def _prefixes(_context: click.Context, _option: click.Parameter, words: tuple[str, ...]) -> dict[str, str]:
    """The prefixes of a command line and the usual ones; none at all where it has none."""
    found = {}
    for word in words:
        prefix, mark, namespace = word.partition("=")
        if not mark:
            raise click.BadParameter(f"{word}: not of the form p=IRI")
        found[prefix.removesuffix(":")] = namespace.removeprefix("<").removesuffix(">")
    return PREFIXES | found if found else {}


prefixes = click.option(
    "--prefix",
    "prefixes",
    multiple=True,
    metavar="p=IRI",
    callback=_prefixes,
    help="Write IRIs short; rdf, rdfs, owl and xsd are known then, too. May be given several times.",
)


def triple_of(text: str, prefixes: dict[str, str]) -> Triple:
    """The triple that three terms say. Raises InputError."""
    lines = [f"@prefix {prefix}: <{namespace}> ." for prefix, namespace in prefixes.items()]
    stop = "" if text.rstrip().endswith(" .") else " ."
    try:
        found = list(pyoxigraph.parse("\n".join([*lines, text + stop]), RdfFormat.TURTLE))
    except SyntaxError as error:
        raise InputError(f"{text}: not a triple in N-Triples terms: {error.msg}") from error
    if len(found) != 1:
        raise InputError(f"{text}: {len(found)} triples, where one is asked for")
    return str(found[0].subject), str(found[0].predicate), str(found[0].object)
