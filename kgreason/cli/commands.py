"""`main`: the root of the command line, with the list of commands.

Each command is a module of its own with the name of the command. The help lists them in the order in which a user meets
them: commands that load, query and change a store, then commands that work without a store.

Cost: a quarter of a second for a small query, nearly all of it imports.
"""

from __future__ import annotations

import click

from kgreason import __version__
from kgreason.cli.ask.backup import backup
from kgreason.cli.ask.check import check
from kgreason.cli.ask.compare import compare
from kgreason.cli.ask.diff import diff
from kgreason.cli.ask.dump import dump
from kgreason.cli.ask.entails import entails
from kgreason.cli.ask.explain import explain
from kgreason.cli.ask.log import log
from kgreason.cli.ask.profile import profile
from kgreason.cli.ask.query import query
from kgreason.cli.ask.stats import stats
from kgreason.cli.ask.watch import watch
from kgreason.cli.bulk.lubm import lubm
from kgreason.cli.bulk.materialize import materialize
from kgreason.cli.edit.convert import convert
from kgreason.cli.edit.load import load
from kgreason.cli.edit.relation import relation
from kgreason.cli.edit.revert import revert
from kgreason.cli.edit.rules import rules
from kgreason.cli.edit.unload import unload
from kgreason.cli.edit.update import update
from kgreason.cli.failures import STATUSES, Reporting
from kgreason.cli.mcp import mcp
from kgreason.cli.options import example
from kgreason.cli.run import run
from kgreason.cli.serve import serve

_EXAMPLE = example(
    "kgreason load -l store -f ontology.ttl data.nt.gz --rules owl2rl",
    "kgreason query -l store --query 'SELECT * { ?s a ?class } LIMIT 10'",
)


@click.group("kgreason", cls=Reporting, invoke_without_command=True, epilog=_EXAMPLE + STATUSES)
@click.version_option(__version__, prog_name="kgreason", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Keep an RDF knowledge graph materialized under RDFS, OWL 2 RL and rules of your own."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


_SUMMARIES = {
    load: "Load RDF files into a store (a new one, or one that is there).",
    query: "Ask a store a SPARQL query.",
    update: "Change a store by SPARQL Update.",
    unload: "Take the triples of RDF files out of a store.",
    diff: "Show what an update or a load would change.",
    explain: "Show why a triple of a store holds.",
    check: "Show the contradictions in a store or in RDF files.",
    watch: "Show what other processes change in a store.",
    log: "List the commits of a store, and what changed between two.",
    revert: "Take a commit of a store back.",
    rules: "List, add and remove the rules of a store.",
    relation: "Show and edit the facts of relations.",
    dump: "Print the triples of a store.",
    stats: "Count the triples, rules and contradictions of a store.",
    backup: "Copy a store, while others use it.",
    serve: "Serve a store over HTTP to many users.",
    mcp: "Let assistants ask a store (Model Context Protocol).",
    profile: "Show which rules of a store cost most.",
    materialize: "Write all triples that follow from RDF files; no store.",
    compare: "Compare what two versions of an ontology entail; no store.",
    entails: "Say whether RDF files entail another RDF file; no store.",
    run: "Run a Datalog program on tables; no store.",
    lubm: "Generate benchmark data.",
}
"""Every command, in the order of the help, with its line there."""
rules.add_command(convert)
for command, summary in _SUMMARIES.items():
    command.short_help = summary
    main.add_command(command)
