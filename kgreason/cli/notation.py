"""Prefixes to abbreviate IRIs, as a command line takes them."""

from __future__ import annotations

import click

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
