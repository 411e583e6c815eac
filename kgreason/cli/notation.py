"""`--prefix p=IRI`: the prefixes that shorten IRIs on a command line."""

from __future__ import annotations

import click

from kgreason.terms.vocabulary import OWL, RDF, RDFS, XSD

PREFIXES = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD}


def _prefixes(_context: click.Context, _option: click.Parameter, words: tuple[str, ...]) -> dict[str, str]:
    """The prefixes of a command line and the usual ones. Without any `--prefix`, nothing is shortened: `{}`."""
    found = {}
    for word in words:
        prefix, mark, namespace = word.partition("=")
        if not mark:
            raise click.BadParameter(f"write p=IRI, such as ex=http://example.org/; got {word}")
        found[prefix.removesuffix(":")] = namespace.removeprefix("<").removesuffix(">")
    return PREFIXES | found if found else {}


prefixes = click.option(
    "--prefix",
    "prefixes",
    multiple=True,
    metavar="p=IRI",
    callback=_prefixes,
    help="Shorten IRIs by this prefix, and by rdf, rdfs, owl and xsd. May be given several times.",
)
