"""`kgreason entails`: says whether RDF files entail another file.

    status   meaning
    0        the conclusion is entailed; premises that contradict themselves entail everything
    1        kgreason cannot prove a part of the conclusion; this part is shown
    2        an error: kgreason could not find out

Cost: the closure of the premises, then a few small commits for each axiom of the conclusion.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import click

from kgreason.cli.failures import Verdict
from kgreason.cli.notation import PREFIXES, shown_prefixes
from kgreason.cli.options import RULE_SETS, as_json, catalogue, example
from kgreason.entailment.entails import ENTAILMENT_RULES, Semantics, judge
from kgreason.proofs.notation import fact_text
from kgreason.rules.model import triple

_EVERYTHING = ", because the premises contradict themselves and entail everything: `kgreason check` shows how"


@click.command(cls=Verdict, epilog=example("kgreason entails zoo.ttl facts.nt --conclusion claims.ttl"))
@click.argument("premises", nargs=-1, required=True, metavar="PREMISE...")
@click.option("--conclusion", required=True, metavar="FILE", help="The file that should follow from the premises.")
@click.option(
    "--rules", multiple=True, default=ENTAILMENT_RULES, metavar="RULES", help=f"{RULE_SETS} (default: owl2rl)."
)
@click.option(
    "--semantics",
    type=click.Choice(get_args(Semantics)),
    default="direct",
    show_default=True,
    help="direct: ignore declarations and annotations of the conclusion; rdf-based: they must be entailed as triples.",
)
@catalogue
@as_json
@shown_prefixes
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
    """Say whether RDF files entail a conclusion, and show the parts of the conclusion that kgreason cannot prove.

    Blank nodes of the conclusion are variables. Axioms and class expressions of the conclusion are checked by their
    meaning, not triple by triple. Premises that contradict themselves entail everything, and the answer says so. The
    exit status is 0 if the whole conclusion is entailed, 1 if not, and 2 after an error.
    """
    parts, is_contradictory = judge(premises, conclusion, rules=rules, semantics=semantics, catalogue=catalogue)
    if as_json:
        click.echo(json.dumps({"entailed": not parts, "contradictory": is_contradictory, "unproved": parts}))
    for part in () if as_json else parts:
        click.echo("not entailed: " + " . ".join(fact_text(triple(*each), PREFIXES | prefixes) for each in part))
    if not (parts or as_json):
        click.echo(f"entailed{_EVERYTHING if is_contradictory else ''}")
    context.exit(1 if parts else 0)
