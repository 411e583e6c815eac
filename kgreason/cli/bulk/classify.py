"""`kgreason classify`: writes the taxonomy of an ontology, as `robot reason` does, without Java.

    status   meaning
    0        something can be in every class
    1        nothing can be in some class; each such class is named, with a proof
    2        an error
    3        the ontology contradicts itself; nothing is written but proofs

With --query, `entailment.dl_query` answers, and the status is 1 if nothing can be in the class expression.

Law: what is written is in the order of the texts, so that two runs write the same file. Cost: that of
`entailment.classification`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from pyoxigraph import NamedNode, Triple

from kgreason.cli.bulk.class_query import place, print_answer
from kgreason.cli.failures import Verdict
from kgreason.cli.notation import full, labels, labels_in, prefixes_of, short_warnings, shown_prefixes
from kgreason.cli.options import Command, as_json, catalogue, example, threads, verbose, warn
from kgreason.cli.places import Place, token_file
from kgreason.errors import InputError
from kgreason.files import whole_file
from kgreason.proofs.notation import term_text
from kgreason.rdf.owl import functional_syntax
from kgreason.rdf.writing import write
from kgreason.terms import vocabulary as v

if TYPE_CHECKING:
    from kgreason.entailment.classification.taxonomy import Taxonomy
    from kgreason.proofs.proof import Proof

_PROOFS = 20
"""So many classes that nothing can be in are shown with a proof."""
_CONTRADICTIONS = 3
"""So many contradictions of an inconsistent ontology are shown with a proof, of those with one cause."""
_KINDS = ("SubClass", "EquivalentClass")
_ABSURD = (v.OWL_THING, v.RDFS_SUB_CLASS_OF, v.OWL_NOTHING)
_OF_TAXONOMIES = (
    "output", "merge", "remove_redundant", "axiom_generators", "annotate", "equivalent_classes", "language", "full",
    "exclude_duplicate_axioms", "exclude_external_entities",
)  # fmt: skip
"""The options that --query does not have."""
_RDF = {".ttl": "ttl", ".nt": "nt", ".rdf": "rdf", ".owl": "rdf", ".xml": "rdf", ".ofn": "ofn"}


def _generators(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[str, ...]:
    from kgreason.entailment.classification.release import GENERATORS

    names = _KINDS if text is None else tuple(text.replace(",", " ").split())
    for name in names:
        if name not in GENERATORS:
            raise click.BadParameter(f"{name}: not one of {', '.join(GENERATORS)}")
    return names


def _refused_option(name: str, why: str) -> Callable[[Command], Command]:
    """Make an option that `robot reason` has, and that is refused here with the reason `why`."""

    def refuse(_context: click.Context, _option: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(f"{name}: leave it out, because {why}")

    return click.option(name, hidden=True, expose_value=False, callback=refuse)


@click.command(
    cls=Verdict,
    epilog=example(
        "kgreason classify anatomy.owl -o taxonomy.ttl",
        "kgreason classify anatomy.ofn --merge --remove-redundant -o release.ttl",
        "kgreason classify anatomy.owl --axiom-generators 'SubClass ClassAssertion'",
        "kgreason classify anatomy.owl --query \"'part of' some Body\"",
    ),
)
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="A .ttl, .nt, .rdf, .owl or .ofn file."
)
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
    "--axiom-generators",
    metavar="'NAME ...'",
    callback=_generators,
    help="What to write of what follows: SubClass, EquivalentClass, ClassAssertion, PropertyAssertion,"
    " SubObjectProperty, SubDataProperty, EquivalentObjectProperty (default: 'SubClass EquivalentClass').",
)
@click.option(
    "--exclude-duplicate-axioms", is_flag=True, help="Leave out what files or imported documents state already."
)
@click.option(
    "--exclude-external-entities",
    is_flag=True,
    help="Leave out inferred axioms about terms that only imported documents describe.",
)
@_refused_option("--exclude-tautologies", "no tautologies are written, such as a class below itself or below owl:Thing")
@_refused_option("--exclude-owl-thing", "it is never written that a class is below owl:Thing")
@click.option("--annotate", is_flag=True, help="Give each axiom that nobody asserted the annotation is_inferred.")
@click.option(
    "--query",
    "expression",
    metavar="CLASS",
    help="A class expression in Manchester syntax: show the classes above, beside and below it, and who is in it.",
)
@place
@token_file
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
    axiom_generators: tuple[str, ...],
    exclude_duplicate_axioms: bool,
    exclude_external_entities: bool,
    annotate: bool,
    expression: str | None,
    location: Place | None,
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

    With --query nothing is written. The answer has the classes that are nearest to the expression, or all with
    --include-indirect. Names are prefixed names, IRIs in <>, labels in single quotation marks, or the ends of IRIs.

    The exit status is 1 if nothing can be in some class, or if equal classes are an error and there are some. It is 3
    if the ontology contradicts itself: then nothing is written but proofs.
    """
    from kgreason.cli.progress import Bars
    from kgreason.entailment.classification.release import release
    from kgreason.entailment.classification.taxonomy import classify as classified

    if expression is not None:
        given = [each for each in context.command.params if _is_given(context, str(each.name))]
        if useless := [each.opts[0] for each in given if each.name in _OF_TAXONOMIES]:
            raise click.UsageError(f"--query writes no taxonomy and no proof: leave {', '.join(useless)} out")
        if location is not None and (catalogue or threads or _is_given(context, "reasoner")):
            raise click.UsageError("--reasoner, --catalogue and --threads are for files: a store has its own rules")
        how = {"catalogue": catalogue, "threads": threads}
        context.exit(
            print_answer(expression, files, location, reasoner, include_indirect, as_json, prefixes, verbose, how)
        )
    if location is not None:
        raise click.UsageError("-l is for --query: a taxonomy is written of files")
    if not files:
        raise click.UsageError("give files")
    if remove_redundant and not merge:
        raise click.UsageError("--remove-redundant takes asserted triples away: it needs --merge")
    if remove_redundant and not set(_KINDS) <= set(axiom_generators):
        raise click.UsageError("--remove-redundant needs the --axiom-generators SubClass and EquivalentClass")
    if output and output.suffix not in _RDF:
        raise click.UsageError(f"-o {output}: the name must end in {', '.join(_RDF)}")
    found = classified(*files, reasoner=reasoner, progress=Bars(verbose), catalogue=catalogue, threads=threads)
    with found.graph as graph:
        taxonomy, names = found.taxonomy, prefixes_of(graph, prefixes)
        warn(short_warnings(graph.warnings, names))

        def texts(proofs: Sequence[Proof]) -> list[str]:
            words = labels_in(graph, proofs, language)
            return [proof.to_text(names, labels=words, full=full) for proof in proofs]

        if not taxonomy.is_consistent:
            proofs = texts(graph.prove_contradictions(each=_CONTRADICTIONS) or [graph.explain(_ABSURD)])
            _print_contradictions(proofs, as_json=as_json, err=output is None)
            context.exit(3)
        named, pairs = graph.pairs(v.OWL_EQUIVALENT_CLASS, asserted=True)
        stated = {(named[one], named[other]) for one, other in pairs.tolist()}
        written = release(
            graph,
            taxonomy,
            axiom_generators,
            indirect=include_indirect,
            merge=merge,
            redundant=not remove_redundant,
            annotate=annotate,
            duplicates=not exclude_duplicate_axioms,
            external=not exclude_external_entities,
        )
        _write(written.rows, output, names)
        proofs = texts([found.why_unsatisfiable(name) for name in taxonomy.unsatisfiable[:_PROOFS]])
    equal = [group for group in taxonomy.equal if not _is_stated_group(group, stated)]
    if as_json:
        click.echo(json.dumps(_json(taxonomy, equal, proofs), indent=1), err=output is None)
    else:
        click.echo("\n".join(_lines(taxonomy, equal, proofs, names)), err=True)
    if written.annotated:
        kept = _amount(written.annotated, "redundant superclass is", "redundant superclasses are")
        warn([f"{kept} kept, because of annotations"])
    is_wrong = taxonomy.unsatisfiable or (equivalent_classes == "fail" and equal)
    context.exit(1 if is_wrong else 0)


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) != ParameterSource.DEFAULT


def _print_contradictions(proofs: Sequence[str], *, as_json: bool, err: bool) -> None:
    if as_json:
        click.echo(json.dumps({"consistent": False, "proofs": proofs}), err=err)
        return
    for proof in proofs[:_PROOFS]:
        click.echo(proof, err=True)
    click.echo("the ontology contradicts itself, so it has no model; nothing is written", err=True)


def _is_stated_group(group: tuple[str, ...], stated: set[tuple[str, str]]) -> bool:
    """Whether somebody stated that each two classes next to each other in a group are equal."""
    return all((one, other) in stated or (other, one) in stated for one, other in pairwise(group))


def _write(rows: list[Triple], output: Path | None, prefixes: Mapping[str, str]) -> None:
    """Write the rows to a file, as a whole or not at all, or print them as Turtle."""
    text = BytesIO()
    syntax = _RDF[output.suffix] if output else "ttl"
    if output and syntax == "ofn":
        text.write(functional_syntax(_with_declarations(rows), prefixes, str(output)))
    else:
        write(rows, text, syntax, prefixes if syntax in ("ttl", "rdf") else None)
    if output is None:
        click.echo(text.getvalue().decode(), nl=False)
        return
    try:
        with whole_file(output) as file:
            file.write(text.getvalue())
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror}") from error


def _with_declarations(rows: list[Triple]) -> list[Triple]:
    """Add declarations of the named classes of axioms, and of restrictions: functional syntax needs them."""
    of_classes = {v.RDFS_SUB_CLASS_OF: (0, 2), v.OWL_EQUIVALENT_CLASS: (0, 2), v.RDF_TYPE: (2,)}
    named = [row for row in rows if isinstance(row.subject, NamedNode)]
    names = {row[place] for row in named for place in of_classes.get(str(row.predicate), ())}
    classes = {name for name in names if isinstance(name, NamedNode) and not name.value.startswith(v.BUILT_IN)}
    restrictions = {row.subject for row in rows if str(row.predicate) == v.OWL_ON_PROPERTY}
    kinds = ((classes, v.OWL_CLASS), (restrictions, f"<{v.OWL}Restriction>"))
    type_ = NamedNode(v.RDF_TYPE[1:-1])
    declared = (Triple(name, type_, NamedNode(kind[1:-1])) for names, kind in kinds for name in names)
    return list(dict.fromkeys([*rows, *declared]))


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
    yield from proofs
    empty = len(taxonomy.unsatisfiable)
    if empty > len(proofs):
        more = _amount(empty - len(proofs), "more class", "more classes")
        yield f"and {more} that nothing can be in; --json names all"
    for group in equal:
        yield f"equal, and nobody stated it: {', '.join(term_text(name, prefixes) for name in group)}"
    direct = _amount(len(taxonomy.links), "direct superclass", "direct superclasses")
    yield (
        f"{direct}, {len(taxonomy.indirect):,} indirect;"
        f" {_amount(len(taxonomy.equal), 'group', 'groups')} of equal classes;"
        f" {_amount(empty, 'class', 'classes')} that nothing can be in"
    )


def _amount(count: int, noun: str, nouns: str) -> str:
    return f"{count:,} {noun if count == 1 else nouns}"
