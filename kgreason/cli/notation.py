"""`--prefix p=IRI` and `--labels`: how a command names terms; and a text with shorter IRIs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

import click

from kgreason.cli.options import Command
from kgreason.rules.formatter import format_term
from kgreason.terms import vocabulary as v

if TYPE_CHECKING:
    from kgreason.graph.labels import LabelSource
    from kgreason.proofs.proof import Proof


class HasPrefixes(Protocol):
    """A graph that remembers prefixes."""

    @property
    def prefixes(self) -> Mapping[str, str]:
        """The prefixes of loaded files."""


_TERM = re.compile(r'"(?:[^"\\]|\\.)*"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?|<[^<>\s]*>')
_TAG = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
PREFIXES = {"rdf": v.RDF, "rdfs": v.RDFS, "owl": v.OWL, "xsd": v.XSD}


def _prefixes(_context: click.Context, _option: click.Parameter, words: tuple[str, ...]) -> dict[str, str]:
    """Read the values of `--prefix`. Returns these prefixes together with rdf, rdfs, owl and xsd.

    Without `--prefix` the result is empty, so that IRIs in an RDF Patch are not shortened.
    """
    found = {}
    for word in words:
        prefix, mark, namespace = word.partition("=")
        if not mark:
            raise click.BadParameter(f"write p=IRI, such as ex=http://example.org/; got {word}")
        found[prefix.removesuffix(":")] = namespace.removeprefix("<").removesuffix(">")
    return PREFIXES | found if found else {}


def _prefix(does: str) -> Callable[[Command], Command]:
    """Make an option `--prefix`. `does` is the beginning of its help text, such as "Show"."""
    return click.option(
        "--prefix",
        "prefixes",
        multiple=True,
        metavar="p=IRI",
        callback=_prefixes,
        help=f"{does} IRIs with this prefix: ex=http://example.org/ for names such as ex:tom, =http://e.org/ for :tom. "
        "Prefixes of loaded files, rdf, rdfs, owl and xsd need no --prefix. May be given several times.",
    )


prefixes = _prefix("Read and show")
"""The option of a command that reads terms from its command line, and shows terms."""
shown_prefixes = _prefix("Show")
"""The option of a command that only shows terms."""


def _language(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
    """Return the language of `--labels`, "" if it names none, or None without `--labels`. Raises BadParameter."""
    if text and not _TAG.fullmatch(text):
        raise click.BadParameter(f"{text} is no language such as en or de; to name none, put --labels at the end")
    return text


labels = click.option(
    "--labels",
    "language",
    is_flag=False,
    flag_value="",
    metavar="[LANG]",
    callback=_language,
    help="Show labels (rdfs:label, skos:prefLabel) in the place of IRIs, those in the language LANG first.",
)
full = click.option(
    "--full",
    is_flag=True,
    help="Show all steps, also those that take lists and class expressions apart, and the labels of blank nodes.",
)


def labels_in(graph: LabelSource, proofs: Iterable[Proof], language: str | None) -> dict[str, str] | None:
    """Return the labels of the terms of proofs; None without `--labels`."""
    if language is None:
        return None
    from kgreason.graph.labels import labels
    from kgreason.proofs.words.naming import terms_of

    return labels(graph, (term for proof in proofs for term in terms_of(proof)), language)


def prefixes_of(graph: HasPrefixes, prefixes: Mapping[str, str]) -> dict[str, str]:
    """Return the prefixes that a command knows: rdf, rdfs, owl, xsd, those of the graph, and those of `--prefix`.

    If several have one name, the last of these counts.
    """
    return {**PREFIXES, **graph.prefixes, **prefixes}


def shorten(text: str, prefixes: Mapping[str, str]) -> str:
    """Shorten the IRIs in a text that has terms in N-Triples syntax. rdf:type becomes `a`."""
    if not prefixes:
        return text
    text = text.replace(f" {v.RDF_TYPE} ", " a ")
    return _TERM.sub(lambda term: format_term(term[0], prefixes), text)


def short_warnings(warnings: Iterable[str], prefixes: Mapping[str, str]) -> list[str]:
    """Return the warnings of a graph; in those about axioms the IRIs are shortened. A document keeps its IRI."""
    from kgreason.ontology.read.unread_kinds import OF_AXIOMS

    return [shorten(each, prefixes) if OF_AXIOMS in each else each for each in warnings]
