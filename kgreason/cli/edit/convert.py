"""`kgreason rules convert`: writes a file of rules in another language of rules.

    family.dl    our own language (datalog)      every rule can be said in it
    family.srl   SPARQL-RL                       rules over triples, without AGGREGATE and contradictions
    uncle.rq     a SPARQL CONSTRUCT query        one such rule, without DATA

Invariant: the file that is written says the same as the file that was read, or nothing is written.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.edit.options import amount
from kgreason.cli.options import catalogue, example
from kgreason.errors import InputError, RuleError
from kgreason.graph.opening.options import catalogue_of


@click.command(
    short_help="Write a file of rules in another language of rules.",
    epilog=example("kgreason rules convert family.dl family.srl", "kgreason rules convert uncle.rq uncle.dl"),
)
@click.argument("source", type=click.Path(path_type=Path), metavar="IN")
@click.argument("target", type=click.Path(path_type=Path), metavar="OUT")
@catalogue
def convert(source: Path, target: Path, catalogue: Path | None) -> None:
    """Read the rules of IN, and write them to OUT.

    The ending of a name says the language: .srl is SPARQL-RL, .rq is a SPARQL CONSTRUCT query, and any other ending is
    the rule language of kgreason. Rule sets that IN imports are written to OUT as well. If a rule cannot be said in the
    language of OUT, the command says why and writes nothing.

    If the name of a rule is not an IRI, it becomes a comment in SPARQL-RL. Rules may make new terms from each other's
    results without end. kgreason refuses such rules in SPARQL-RL, but not in its own language.
    """
    from kgreason.rules.formatter import format_program
    from kgreason.rules.parser import load, parse, syntax_of

    found = catalogue_of(catalogue)
    program, syntax = load(source, None, found.find if found else None), syntax_of(target)
    if syntax == "datalog":
        text = format_program(program)
    else:
        from kgreason.rules.srl.writer import format_as

        try:
            text = format_as(program, syntax, lambda written: parse(written, str(target), None, syntax=syntax))
        except RuleError as error:
            raise RuleError(f"{source} cannot be written as {target}: {error}") from None
    try:
        target.write_text(text, "utf-8")
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from error
    click.echo(f"wrote {amount(len(program.rules), 'rule')} to {target}")
