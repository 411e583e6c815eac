"""`kgreason rules`: lists the rules of a store, and adds and removes rules of the user.

`list` prints rule text, with the reasons as comments, so that people and the parser can read it. A rule that was
translated from axioms names the schema triples that it comes from. A generic rule says why it is needed. `add` and
`remove` are for the rules of the user. A rule of an ontology is removed with its axioms.

Invariant: an edit of rules is one commit, or none. Cost: `list` reads one small file; the cost of an edit is
proportional to what changes. `add` refuses text that is not a rule before it opens the store, and `remove` refuses
rules that nobody added before it starts the engine.
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
    """List the rules in force: the name and the text of each rule, and a comment that says why the rule is in force.

    A rule that was translated from axioms names the schema triples that it comes from.
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

    A rule that the store already has is not added again. After an error the store stays as it was.
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
@click.option("--name", "names", multiple=True, metavar="NAME", help="The name of rules; may be given several times.")
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
    """Remove rules that were added, and everything that only they derive.

    Name the rules by the files that contain them, by --name, or by their text (--rule). The names of variables do not
    matter. If one of the rules was never added, the command fails and the store stays as it was.
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
        raise click.UsageError("say which rules: give a file, --rule or --name")
