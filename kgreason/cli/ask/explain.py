"""`kgreason explain`: shows why a triple holds.

The rules are run backwards, from the triple down to asserted facts. The answer names the axioms that a rule was
translated from. Proofs are computed when they are asked for; the store keeps none. Several processes may read a store
at the same time.

Cost: the state of the engine is read, then the rules run backwards once for each fact of the proof. A triple that the
store does not have is refused before that.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from kgreason.cli.notation import full, labels, labels_in, prefixes, prefixes_of
from kgreason.cli.options import example, functions, integer, verbose, with_store
from kgreason.cli.places import Place, graph_at


@click.command(
    epilog=example(
        "kgreason explain -l store '<http://e/a> rdf:type <http://e/C>'",
        "kgreason explain -l store ':a a :C' --prefix =http://e/ --format mermaid",
        "kgreason explain -l store ':a a :D' --prefix =http://e/ --why-not",
    )
)
@with_store
@click.argument("triple", metavar="'S P O'")
@click.option("--all", "every", is_flag=True, help="Show every derivation of the triple, and whether it was loaded.")
@click.option(
    "--format",
    "syntax",
    type=click.Choice(["text", "json", "mermaid"]),
    default="text",
    show_default=True,
    help="Indented text, JSON (with --all a list of proofs), or a Mermaid flowchart.",
)
@click.option(
    "--why-not", "is_absent", is_flag=True, help="Show why a triple does not hold: the rules that could derive it."
)
@integer("--limit", default=10, help="With --why-not: how many rules to show.")
@labels
@full
@functions
@prefixes
@verbose
def explain(
    location: Place,
    triple: str,
    every: bool,
    syntax: str,
    functions: list[Callable[..., Any]],
    is_absent: bool,
    limit: int,
    language: str | None,
    full: bool,
    prefixes: dict[str, str],
    verbose: bool,
) -> None:
    """Show a proof of a triple: the rules, facts and axioms that it follows from, down to what was loaded.

    Write terms as in Turtle: `a` for rdf:type, and prefixed names. --prefix declares a prefix; those of loaded files,
    rdf, rdfs, owl and xsd are declared. Write a literal as `kgreason dump` or a query shows it.

    A blank node is shown as the class expression that it stands for, in Manchester syntax. Steps that only take lists
    and expressions apart are left out; --full and JSON have all steps.

    With --why-not the triple is one that does not hold. The answer shows the rules that could derive this triple, and
    the conditions of each rule that fail: missing triples, a false FILTER, or a NOT with the triples that make it fail.
    """
    from kgreason.cli.progress import Bars
    from kgreason.graph.input.quads import triple_of
    from kgreason.graph.labels import labels as found_labels

    if is_absent:
        if every or syntax == "mermaid":
            raise click.UsageError("--why-not shows no proofs: leave --all and --format mermaid out")
        with graph_at(location, functions=functions, read_only=True) as graph, Bars(verbose)("explaining"):
            prefixes = prefixes_of(graph, prefixes)
            answer = graph.why_not(triple_of(triple, prefixes), limit=limit)
            words = None if language is None else found_labels(graph, answer.terms(), language)
        text = answer.to_text(prefixes, labels=words, full=full)
        click.echo(json.dumps(answer.to_json(), indent=1) + "\n" if syntax == "json" else text, nl=False)
        return
    with graph_at(location, functions=functions, read_only=True) as graph:
        prefixes = prefixes_of(graph, prefixes)
        terms = triple_of(triple, prefixes)
        graph.check_known(terms)
        with Bars(verbose)("explaining"):
            proofs = [graph.explain(terms)]
            if every:
                proofs = [*(proof for proof in proofs if proof.is_asserted), *graph.explain_all(terms)]
        words = labels_in(graph, proofs, language)
    if syntax == "json":
        found = [proof.to_json() for proof in proofs]
        click.echo(json.dumps(found if every else found[0], indent=1))
        return
    texts = (proof.to_text if syntax == "text" else proof.to_mermaid for proof in proofs)
    click.echo("\n".join(text(prefixes, labels=words, full=full) for text in texts), nl=False)
