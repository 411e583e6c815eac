"""`kgreason rules`: lists the rules of a store, and adds and removes rules of the user.

`list` prints rule text, with the reasons as comments, so that people and the parser can read it (`listing`). `add` and
`remove` are for the rules of the user. A rule of an ontology is removed with its axioms.

Invariant: an edit of rules is one commit, or none. Cost: `list` reads one small file; the cost of an edit is
proportional to what changes. Mistakes cost little: `add` parses the rules before it opens the store, and `remove` looks
for the rules among those of the user before it starts the engine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click

from kgreason.cli.edit.convert import convert
from kgreason.cli.edit.listing import described_rules, is_helper, text_of
from kgreason.cli.edit.options import ChangeReport, Means, amount, changes_text, counters_of, graph_to_edit, means
from kgreason.cli.edit.placement import placement
from kgreason.cli.notation import prefixes_of, shown_prefixes
from kgreason.cli.options import STDIN, as_json, catalogue, example, is_stdin, location, stdin_text, with_store
from kgreason.cli.places import Place, Server, graph_at
from kgreason.errors import RuleError, RuleSyntaxError
from kgreason.functions.registry import Registry
from kgreason.graph.opening.options import catalogue_of
from kgreason.graph.user_rules import without_named_rules, without_rules
from kgreason.materialize.selection import check_user_rules
from kgreason.rules.expressions import RESERVED
from kgreason.rules.model import Rule
from kgreason.rules.parser import Syntax, load, parse
from kgreason.rules.program import Finder

_UNDECLARED = "is not declared"
"""These words are in the error message about a prefix that is not declared."""
_files = click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
_texts = click.option(
    "--rule",
    "texts",
    multiple=True,
    metavar="TEXT",
    help="A rule as text; may be given several times. The text may use the prefixes "
    "of --prefix; a file declares its own.",
)


_syntax = click.option(
    "--syntax",
    type=click.Choice(["datalog", "srl", "rq"]),
    default="datalog",
    help="The language of --rule and of standard input: datalog (the default), srl (SPARQL-RL) or rq (a CONSTRUCT "
    "query). The name of a FILE says its own: .srl, .rq, or any other ending for datalog.",
)


@click.group(epilog=example("kgreason rules list -l store"))
def rules() -> None:
    """Show and edit the rules of a store, convert files of rules, and show how Spark divides their facts."""


@rules.command(
    "list",
    short_help="Show the rules in force, and where they come from.",
    epilog=example("kgreason rules list -l store --prefix =http://example.org/"),
)
@location
@click.option("--all", "every", is_flag=True, help="Show the helper rules of kgreason too.")
@as_json
@shown_prefixes
def list_rules(location: Place, every: bool, as_json: bool, prefixes: dict[str, str]) -> None:
    """List the rules in force. A comment before each group of rules says where they come from.

    Rules of your own come first, as you wrote them, with the name of their file. Rules that were translated from the
    ontology follow, with their axioms, and then the rules of the rule set that need no axiom. kgreason also has helper
    rules, for equal terms, the values of literals and class expressions. --all and --json show these as well.

    `# stratum 2` says when NOT, AGGREGATE and SKOLEM of a rule are decided: after those of stratum 1, whose results
    it needs.
    """
    with graph_at(location, read_only=True) as graph:
        prefixes = prefixes_of(graph, prefixes)
        found = described_rules(graph, {} if as_json else prefixes)
    if as_json:
        click.echo(json.dumps(found, indent=1))
        return
    shown = [rule for rule in found if every or not is_helper(rule)]
    for line in text_of(shown, prefixes):
        click.echo(line)
    if len(shown) < len(found):
        click.echo(f"# {amount(len(found) - len(shown), 'helper rule')} not shown; --all shows them")


@rules.command(
    short_help="Add rules from files or from text.",
    epilog=example(
        "kgreason rules add -l store family.dl",
        "kgreason rules add -l store --rule '@prefix : <http://e/> . [?x, :knows, ?y] :- [?y, :knows, ?x] .'",
    ),
)
@with_store
@_files
@_texts
@_syntax
@catalogue
@means
def add(
    location: Place,
    files: tuple[Path, ...],
    texts: tuple[str, ...],
    syntax: Syntax,
    catalogue: Path | None,
    how: Means,
    done: ChangeReport,
) -> None:
    """Add the rules of files, or rules given as text, and derive what follows.

    A rule that the store already has is not added again. After an error the store stays as it was.
    """
    _check_selection("a FILE with rules, or --rule TEXT", files, texts)
    rule_files, sourced = _with_stdin(files, texts)
    given = 0
    find = _finder(catalogue)
    functions = None if isinstance(location, Server) else Registry(how["functions"], RESERVED).find
    sourced = [(_with_prefixes(text, source, how["prefixes"], syntax, find), source) for text, source in sourced]
    programs = [load(file, functions, find) for file in rule_files]
    programs += [parse(text, source, functions, syntax=syntax, find=find) for text, source in sourced]
    for program in programs:
        check_user_rules(program.rules)
        given += len(program.rules)
    with graph_to_edit(location, catalogue=catalogue, **how) as graph:
        before = len(graph.own_rules())
        with done.progress("reasoning"), graph.transaction() as tx:
            for file in rule_files:
                tx.load_rules(file)
            for text, source in sourced:
                tx.add_rules(text, source, syntax=syntax)
        stats, added = graph.stats(), len(graph.own_rules()) - before
    values = counters_of(tx.delta)
    line = f"added {amount(added, 'rule')} {done.took}: {changes_text(values)}"
    if given > added:
        line += f"; {amount(given - added, 'rule')} not added, because the store has the same already"
    done.say(line, stats, values)


@rules.command(
    short_help="Remove rules that were added.",
    epilog=example(
        "kgreason rules remove -l store family.dl",
        "kgreason rules remove -l store --name grandparent",
        "kgreason rules remove -l store --name rule-2 --file family.dl",
    ),
)
@with_store
@_files
@_texts
@click.option("--name", "names", multiple=True, metavar="NAME", help="The name of a rule; may be given several times.")
@click.option(
    "--file",
    "origin",
    metavar="FILE",
    help="Only rules that came from this file, which is not read: those of --name, or all of them.",
)
@_syntax
@catalogue
@means
def remove(
    location: Place,
    files: tuple[Path, ...],
    texts: tuple[str, ...],
    names: tuple[str, ...],
    origin: str | None,
    syntax: Syntax,
    catalogue: Path | None,
    how: Means,
    done: ChangeReport,
) -> None:
    """Remove rules that were added, and everything that only they derive.

    Say which rules: a FILE that contains them, --name, --file, or their text (--rule). The names of variables in a text
    do not matter. If the third rule of a file has no name, its name is rule-3. `kgreason rules list` shows the names
    and the files. If one of the rules was never added, or if rules of several files have the name, the command fails
    and the store stays as it was.
    """
    _check_selection("a FILE with rules, --rule TEXT, --name NAME or --file FILE", files, texts, names, origin)
    rule_files, sourced = _with_stdin(files, texts)
    of_file = names or ((None,) if origin else ())
    find = _finder(catalogue)
    with graph_to_edit(location, catalogue=catalogue, **how) as graph:
        own, selected = graph.own_rules(), graph.options["rules"]
        for file in rule_files:
            own = without_rules(own, load(file, None, find).rules)
        for name in of_file:
            own = without_named_rules(own, name, "<rule>", origin, selected=selected)
        sourced = [(_with_prefixes(text, source, how["prefixes"], syntax, find), source) for text, source in sourced]
        for text, source in sourced:
            _check_rule_or_name(text, own, syntax)
            own = without_named_rules(own, text, source, selected=selected, syntax=syntax, find=find)
        with done.progress("reasoning"), graph.transaction() as tx:
            for file in rule_files:
                tx.unload_rules(file)
            for name in of_file:
                tx.remove_rules(name, "<rule>", file=origin)
            for text, source in sourced:
                tx.remove_rules(text, source, syntax=syntax)
        stats = graph.stats()
    values = counters_of(tx.delta)
    line = f"removed {amount(values['rules_removed'], 'rule')} {done.took}: {changes_text(values)}"
    done.say(line, stats, values)


def _with_stdin(files: tuple[Path, ...], texts: tuple[str, ...]) -> tuple[list[Path], list[tuple[str, str]]]:
    """Return the rule files without `-`, and the pairs (text, name of the text in messages).

    If `-` is among the files, standard input is read, and its text is in the last pair.
    """
    sourced = [(text, "<rule>") for text in texts]
    if any(map(is_stdin, files)):
        sourced.append((stdin_text("rules", "--rule"), STDIN))
    return [file for file in files if not is_stdin(file)], sourced


def _finder(catalogue: Path | None) -> Finder | None:
    found = catalogue_of(catalogue)
    return found.find if found else None


def _with_prefixes(
    text: str, source: str, prefixes: Mapping[str, str], syntax: Syntax, find: Finder | None = None
) -> str:
    """If a text of rules uses a prefix that it does not declare, return the text with `prefixes` declared before it.

    Any other text is returned unchanged, even if it has a mistake. `source` is the name of the text in messages. `find`
    is the catalogue for the imports of the text. Raises RuleSyntaxError if the text with the declarations has a
    mistake. The error has the line and column in the text as the user wrote it.
    """
    try:
        parse(text, source, None, syntax=syntax, find=find)
    except RuleSyntaxError as error:
        if not prefixes or _UNDECLARED not in str(error):
            return text
    else:
        return text
    line = "@prefix {}: <{}> .\n" if syntax == "datalog" else "PREFIX {}: <{}>\n"
    declared = "".join(line.format(prefix, namespace) for prefix, namespace in prefixes.items())
    try:
        parse(f"{declared}{text}", source, None, syntax=syntax, find=find)
    except RuleSyntaxError as error:
        at = error.line and error.line - len(prefixes)
        raise RuleSyntaxError(source, at, error.column, error.problem) from None
    return f"{declared}{text}"


def _check_rule_or_name(text: str, own: tuple[Rule, ...], syntax: Syntax) -> None:
    """Raise RuleError if a text is neither the name of a rule in `own` nor contains a full stop, as each rule does.

    In other languages than "datalog" nothing is checked.
    """
    if syntax == "datalog" and "." not in text and all(rule.name != text.strip() for rule in own):
        raise RuleError(f"{text}: is not a rule (HEAD :- BODY .), and no rule of this name was added")


def _check_selection(ways: str, *given: object) -> None:
    if not any(given):
        raise click.UsageError(f"say which rules: {ways}")


rules.add_command(convert)
rules.add_command(placement)
