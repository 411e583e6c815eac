"""`kgreason classify`: writes the taxonomy of an ontology, as `robot reason` does, without Java.

    status   meaning
    0        something can be in every class
    1        nothing can be in some class, or the ontology has no model; each such class is named, with a proof
    2        an error

Law: what is written is in the order of the texts, so that two runs write the same file. Cost: that of
`entailment.classification.taxonomy`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from pyoxigraph import NamedNode, Triple

from kgreason.cli.failures import Verdict
from kgreason.cli.notation import full, known, labels, labels_in, shown_prefixes
from kgreason.cli.options import as_json, catalogue, example, threads, verbose, warn
from kgreason.errors import InputError
from kgreason.files import whole
from kgreason.proofs.notation import term_text
from kgreason.rdf.writing import write
from kgreason.rules.model import Triple as Row
from kgreason.terms import vocabulary as v

if TYPE_CHECKING:
    from kgreason.entailment.classification.taxonomy import Taxonomy
    from kgreason.graph.knowledge_graph import KnowledgeGraph

_PROOFS = 20
"""So many classes that nothing can be in are shown with a proof."""
_RDF = {".ttl": "ttl", ".nt": "nt", ".rdf": "rdf", ".owl": "rdf", ".xml": "rdf"}


@click.command(
    cls=Verdict,
    epilog=example(
        "kgreason classify anatomy.owl -o taxonomy.ttl",
        "kgreason classify anatomy.ofn --merge --remove-redundant -o release.ttl",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="A .ttl, .nt, .rdf or .owl file.")
@click.option(
    "--reasoner",
    type=click.Choice(["el", "rl", "rl+el"]),
    default="el",
    show_default=True,
    help="The rules: owl2el, owl2rl, or both.",
)
@click.option("--merge", is_flag=True, help="Write the asserted triples as well.")
@click.option(
    "--remove-redundant", is_flag=True, help="With --merge: leave out asserted superclasses that others imply."
)
@click.option("--include-indirect", is_flag=True, help="Write all superclasses, not only the direct ones.")
@click.option(
    "--equivalent-classes",
    type=click.Choice(["report", "fail"]),
    default="report",
    show_default=True,
    help="Whether equal named classes that nobody asserted are an error.",
)
@catalogue
@threads
@labels
@full
@as_json
@shown_prefixes
@verbose
@click.pass_context
def classify(
    context: click.Context,
    files: tuple[str, ...],
    output: Path | None,
    reasoner: Any,
    merge: bool,
    remove_redundant: bool,
    include_indirect: bool,
    equivalent_classes: str,
    catalogue: Path | None,
    threads: int | None,
    language: str | None,
    full: bool,
    as_json: bool,
    prefixes: dict[str, str],
    verbose: bool,
) -> None:
    """Find the direct superclasses of all named classes of an ontology, and the classes that nothing can be in.

    Without -o the taxonomy is printed as Turtle. Superclasses that others imply are left out, unless
    --include-indirect is given; so is owl:Thing. With --merge the asserted triples are written as well.

    The exit status is 1 if nothing can be in some class, or if equal classes are an error and there are some.
    """
    from kgreason.cli.progress import Bars
    from kgreason.entailment.classification.taxonomy import classify as classified

    if remove_redundant and not merge:
        raise click.UsageError("--remove-redundant takes asserted triples away: it needs --merge")
    if output and output.suffix not in _RDF:
        raise click.UsageError(f"-o {output}: the name must end in {', '.join(_RDF)}")
    found = classified(*files, reasoner=reasoner, progress=Bars(verbose), catalogue=catalogue, threads=threads)
    with found.graph as graph:
        taxonomy, names = found.taxonomy, known(graph, prefixes)
        warn(graph.warnings)
        stated = {(str(row[0]), str(row[2])) for row in graph.match(None, v.OWL_EQUIVALENT_CLASS, None, asserted=True)}
        rows = {triple: Triple(*map(_name, triple)) for triple in taxonomy.triples(indirect=include_indirect)}
        if merge:
            implied = set(taxonomy.indirect) if remove_redundant else set()
            rows |= dict(_asserted(graph, implied))
        _write([rows[triple] for triple in sorted(rows)], output, names)
        shown = [found.why_unsatisfiable(name) for name in taxonomy.unsatisfiable[:_PROOFS]]
        words = labels_in(graph, shown, language)
        proofs = [proof.to_text(names, labels=words, full=full) for proof in shown]
    equal = [group for group in taxonomy.equal if not _are_stated(group, stated)]
    if as_json:
        click.echo(json.dumps(_json(taxonomy, equal, proofs), indent=1), err=output is None)
    else:
        click.echo("\n".join(_lines(taxonomy, equal, proofs, names)), err=True)
    is_wrong = taxonomy.unsatisfiable or not taxonomy.is_consistent or (equivalent_classes == "fail" and equal)
    context.exit(1 if is_wrong else 0)


def _name(text: str) -> NamedNode:
    return NamedNode(text[1:-1])


def _asserted(graph: KnowledgeGraph, implied: set[tuple[str, str]]) -> Iterator[tuple[Row, Triple]]:
    """Yield the asserted triples by their texts, without the subsumptions `implied`."""
    for quad in graph.match(None, None, None, asserted=True):
        row = quad.triple
        texts = str(row.subject), str(row.predicate), str(row.object)
        if texts[1] != v.RDFS_SUB_CLASS_OF or (texts[0], texts[2]) not in implied:
            yield texts, row


def _are_stated(group: tuple[str, ...], stated: set[tuple[str, str]]) -> bool:
    """Whether somebody stated that each two classes next to each other in a group are equal."""
    return all((one, other) in stated or (other, one) in stated for one, other in pairwise(group))


def _write(rows: list[Triple], output: Path | None, prefixes: Mapping[str, str]) -> None:
    """Write the rows to a file, as a whole or not at all, or print them as Turtle."""
    text = BytesIO()
    syntax = _RDF[output.suffix] if output else "ttl"
    write(rows, text, syntax, prefixes if syntax in ("ttl", "rdf") else None)
    if output is None:
        click.echo(text.getvalue().decode(), nl=False)
        return
    try:
        with whole(output) as file:
            file.write(text.getvalue())
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror}") from error


def _json(taxonomy: Taxonomy, equal: Sequence[Sequence[str]], proofs: Sequence[str]) -> dict[str, Any]:
    return {
        "consistent": taxonomy.is_consistent,
        "unsatisfiable": taxonomy.unsatisfiable,
        "proofs": proofs,
        "equal": taxonomy.equal,
        "inferred_equal": equal,
        "direct": len(taxonomy.links),
        "indirect": len(taxonomy.indirect),
    }


def _lines(
    taxonomy: Taxonomy, equal: Iterable[Sequence[str]], proofs: Sequence[str], prefixes: Mapping[str, str]
) -> Iterator[str]:
    """Yield the lines that say what was found."""
    if not taxonomy.is_consistent:
        yield "the ontology contradicts itself, so it has no model: `kgreason check` with the same rules shows why"
    for proof in proofs:
        yield f"{proof}\n"
    empty = len(taxonomy.unsatisfiable)
    if empty > len(proofs):
        yield f"and {empty - len(proofs):,} more classes that nothing can be in; --json names all"
    for group in equal:
        yield f"equal, and nobody stated it: {', '.join(term_text(name, prefixes) for name in group)}"
    yield (
        f"{len(taxonomy.links):,} direct superclasses, {len(taxonomy.indirect):,} indirect ones;"
        f" {len(taxonomy.equal):,} groups of equal classes; {empty:,} classes that nothing can be in"
    )
