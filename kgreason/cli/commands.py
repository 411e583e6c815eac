"""`main`: the root of the command line, with the list of commands.

Each command is a module of its own with the name of the command. The help lists them in the order in which a user meets
them: commands that load, query and change a store, then commands that work without a store.

A module is imported when its command is asked for. Cost: the imports of one command; all commands for the help.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module

import click

from kgreason import __version__
from kgreason.cli.failures import STATUSES, CommandGroup

_SUMMARIES = {
    "edit.load": "Load RDF files into a store (a new one, or one that is there).",
    "ask.query": "Ask a store a SPARQL query.",
    "edit.update": "Change a store by SPARQL Update.",
    "edit.unload": "Take the triples of RDF files out of a store.",
    "ask.diff": "Show what an update or a load would change.",
    "ask.explain": "Show why a triple of a store holds.",
    "ask.check": "Show the contradictions in a store or in RDF files.",
    "ask.validate": "Validate a store or RDF files against SHACL shapes.",
    "ask.watch": "Show what other processes change in a store.",
    "ask.log": "List the commits of a store, and what changed between two.",
    "edit.revert": "Take a commit of a store back.",
    "edit.rules": "List, add and remove the rules of a store.",
    "edit.shapes": "Load SHACL shapes into a store, and take them out.",
    "edit.relation": "Show and edit the facts of relations.",
    "ask.dump": "Print the triples of a store.",
    "ask.stats": "Count the triples, rules and contradictions of a store.",
    "ask.backup": "Copy a store, while others use it.",
    "serve": "Serve a store over HTTP to many users.",
    "mcp": "Let assistants ask a store (Model Context Protocol).",
    "ask.profile": "Show which rules cost most, and where a load's time goes.",
    "bulk.materialize": "Write all triples that follow from RDF files; no store.",
    "bulk.classify": "Write the taxonomy of an ontology; no store.",
    "bulk.compare": "Compare what two versions of an ontology entail; no store.",
    "ask.entails": "Say whether RDF files entail another RDF file; no store.",
    "run": "Run a Datalog program on tables; no store.",
    "bulk.lubm": "Generate benchmark data.",
}
"""Every command by the place of its module, in the order of the help, with its line there."""
_EXAMPLE = """\b
Examples:
  kgreason load -l store -f ontology.ttl data.nt.gz --rules owl2rl
  kgreason query -l store --query 'SELECT * { ?s a ?class } LIMIT 10'"""


class _Commands(MutableMapping[str, click.Command]):
    """The commands by name, in the order of the help. The module of a command is imported when the command is read."""

    def __init__(self) -> None:
        self._places = {place.rpartition(".")[2]: place for place in _SUMMARIES}
        self._read: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        place = self._places[name]
        if name not in self._read:
            command: click.Command = getattr(import_module(f"kgreason.cli.{place}"), name)
            command.short_help = _SUMMARIES[place]
            self._read[name] = command
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __setitem__(self, name: str, command: click.Command) -> None:
        raise TypeError("the commands are those of _SUMMARIES")

    def __delitem__(self, name: str) -> None:
        raise TypeError("the commands are those of _SUMMARIES")


@click.group(
    "kgreason", cls=CommandGroup, commands=_Commands(), invoke_without_command=True, epilog=_EXAMPLE + STATUSES
)
@click.version_option(__version__, prog_name="kgreason", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Keep an RDF knowledge graph materialized under RDFS, OWL 2 RL and rules of your own."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
