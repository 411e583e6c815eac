"""`kgreason rules`: the rules of a store, and those of the user come and go.

What `list` prints is rule text again, with the reasons as comments: it can be read by people and by the parser. A rule
that was translated from axioms names the schema triples it comes from, a generic one says why it is needed. `add` and
`remove` are for the user's rules; those of an ontology go with their axioms.

Invariant: an edit of rules is one commit, or none. Cost: to list, one small file; to edit, what that changes. Text that
is no rule, and rules to remove that nobody added, are refused before the engine is opened.
"""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import click

from kgreason.cli.edit.options import Done, Means, amount, changes, counts, edited, means
from kgreason.cli.options import as_json, example, existing, location, verbose
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.user_rules import asked_for, without
from kgreason.materialize.selection import check_own
from kgreason.rules.parser import load, parse

_files = click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
_texts = click.option(
    "--rule", "texts", multiple=True, metavar="TEXT", help="A rule as text; may be given several times."
)


@click.group(epilog=example("kgreason rules list -l store"))
def rules() -> None:
    """Show and edit the rules of a store."""


@rules.command("list", epilog=example("kgreason rules list -l store --json"))
@location
@as_json
def list_rules(location: Path, as_json: bool) -> None:
    """List the rules in force: the name, the rule, and as a comment why it is there.

    Rules that were translated from axioms say which schema triples they come from.
    """
    with KnowledgeGraph.open(location, read_only=True) as graph:
        found = graph.rules()
    if as_json:
        click.echo(json.dumps(found, indent=1))
        return
    for why, group in groupby(found, key=lambda rule: rule["why"]):
        click.echo(f"# {why}")
        for rule in group:
            click.echo(f"@rule {rule['name']}\n{rule['rule']}")
        click.echo()


@rules.command(
    epilog=example(
        "kgreason rules add -l store family.dl",
        "kgreason rules add -l store --rule '@prefix : <http://e/> . [?x, :knows, ?y] :- [?y, :knows, ?x] .'",
    )
)
@existing
@_files
@_texts
@means
@as_json
@verbose
def add(
    location: Path,
    files: tuple[Path, ...],
    texts: tuple[str, ...],
    how: Means,
    as_json: bool,
    verbose: bool,
) -> None:
    """Add the rules of files, or rules given as text, and derive what follows.

    A rule that the store has already is not added again. Where anything goes wrong, the store stays as it was.
    """
    from kgreason.cli.progress import Bars

    _check_some(files, texts)
    done = Done(as_json=as_json, verbose=verbose)
    for program in (*map(load, files), *(parse(text, "<rule>") for text in texts)):
        check_own(program.rules)
    with edited(location, **how) as graph:
        with Bars(verbose)("reasoning"), graph.transaction() as tx:
            for file in files:
                tx.load_rules(file)
            for text in texts:
                tx.add_rules(text, "<rule>")
        stats = graph.stats()
    values = counts(tx.delta)
    line = f"added {amount(values['rules_added'], 'rule')} {done.took}: {changes(values)}"
    done.say(line, stats, values)


@rules.command(
    epilog=example("kgreason rules remove -l store family.dl", "kgreason rules remove -l store --name grandparent")
)
@existing
@_files
@_texts
@click.option("--name", "names", multiple=True, metavar="NAME", help="The rules of a name; may be given several times.")
@means
@as_json
@verbose
def remove(
    location: Path,
    files: tuple[Path, ...],
    texts: tuple[str, ...],
    names: tuple[str, ...],
    how: Means,
    as_json: bool,
    verbose: bool,
) -> None:
    """Take away rules that were added, by the files that have them, by name or as text, and what followed from them.

    The names of variables do not matter. Where one of the rules was never added, the store stays as it was.
    """
    from kgreason.cli.progress import Bars

    _check_some(files, texts, names)
    done = Done(as_json=as_json, verbose=verbose)
    with edited(location, **how) as graph:
        own = graph.own_rules()
        for file in files:
            own = without(own, load(file).rules)
        for text in (*names, *texts):
            own = without(own, asked_for(own, text, "<rule>"))
        with Bars(verbose)("reasoning"), graph.transaction() as tx:
            for file in files:
                tx.unload_rules(file)
            for text in (*names, *texts):
                tx.remove_rules(text, "<rule>")
        stats = graph.stats()
    values = counts(tx.delta)
    line = f"removed {amount(values['rules_removed'], 'rule')} {done.took}: {changes(values)}"
    done.say(line, stats, values)


def _check_some(*given: tuple[object, ...]) -> None:
    if not any(given):
        raise click.UsageError("name the rules: a file, --rule or --name")
