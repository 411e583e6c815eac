"""`kgreason entails`: whether RDF files entail another one.

    status   what it means
    0        the conclusion is entailed; also by premises that contradict themselves, which entail everything
    1        a part of it is not seen to be, and is shown
    2        this could not be found out

Cost: the closure of the premises, then a few small commits for each axiom of the conclusion.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import click

from kgreason.cli.failures import Verdict
from kgreason.cli.notation import prefixes
from kgreason.cli.options import RULE_SETS, as_json, catalogue, example
from kgreason.entailment.entails import ENTAILMENT_RULES, Semantics, judged
from kgreason.proofs.notation import fact_text
from kgreason.rules.model import triple

_EVERYTHING = ", because the premises contradict themselves and entail everything: `kgreason check` shows how"


@click.command(cls=Verdict, epilog=example("kgreason entails zoo.ttl facts.nt --conclusion claims.ttl"))
@click.argument("premises", nargs=-1, required=True, metavar="PREMISE...")
@click.option("--conclusion", required=True, metavar="FILE", help="What is to follow from the premises.")
@click.option("--rules", multiple=True, default=ENTAILMENT_RULES, metavar="RULES", help=f"{RULE_SETS} (owl2rl).")
@click.option(
    "--semantics",
    type=click.Choice(get_args(Semantics)),
    default="direct",
    show_default=True,
    help="Whether declarations and annotations say nothing (direct), or are triples to be entailed (rdf-based).",
)
@catalogue
@as_json
@prefixes
@click.pass_context
def entails(
    context: click.Context,
    premises: tuple[str, ...],
    conclusion: str,
    rules: tuple[str, ...],
    semantics: Semantics,
    catalogue: Path | None,
    as_json: bool,
    prefixes: dict[str, str],
) -> None:
    """Say whether RDF files entail a conclusion, and which parts of it they are not seen to entail.

    Blank nodes of the conclusion are variables; its axioms and class expressions are understood as such. Premises that
    contradict themselves entail everything, and the answer says so. The exit status is 0 if all of the conclusion is
    entailed, 1 if not, and 2 after an error.
    """
    parts, is_contradictory = judged(premises, conclusion, rules=rules, semantics=semantics, catalogue=catalogue)
    if as_json:
        click.echo(json.dumps({"entailed": not parts, "contradictory": is_contradictory, "unproved": parts}))
    for part in () if as_json else parts:
        click.echo("not entailed: " + " . ".join(fact_text(triple(*each), prefixes) for each in part))
    if not (parts or as_json):
        click.echo(f"entailed{_EVERYTHING if is_contradictory else ''}")
    context.exit(1 if parts else 0)
