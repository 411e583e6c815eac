"""`kgreason profile rules`: shows which rules cost most, and what each of them found. The word `rules` may be left out.

    share  rewrites  derivations  last commit  rule
    61.2%    12,345        4,000            0  grand: [?x, :grand, ?z] :- [?x, :parent, ?y], [?y, :parent, ?z] .
    30.1%     6,071        5,012           12  prp-trp, from the axiom :ancestor a owl:TransitiveProperty .

The rules of one axiom count together.

Cost: one small file is read. If there are commits after the last snapshot, the state of the engine is read instead.
`--anew` costs a computation of the closure from scratch. `--alone` costs a look at every derivation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click

from kgreason.cli.bulk.load_profile import load_profile
from kgreason.cli.edit.listing import reason
from kgreason.cli.notation import prefixes_of, shorten, shown_prefixes
from kgreason.cli.options import as_json, example, functions, integer, verbose, with_store
from kgreason.cli.places import Graph, Place, graph_at
from kgreason.rules.canonical_form import canonical
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import origin

Row = dict[str, Any]
"""A rule as `KnowledgeGraph.rules(costs=True)` gives it, or all rules of an axiom together."""

_AXIOM = ("<", "_:", '"')
"""How the reason (`why`) of a rule begins if the rule was translated from an axiom: the axiom begins with a term."""
_SUMS = "share", "rewrites", "derivations", "last_rewrites", "last_derivations", "alone"


class _RulesFirst(click.Group):
    """A group whose command `rules` runs if no command is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `rules` before the words of a command line that names no command."""
        names_one = args and (args[0] in self.commands or args[0] in self.get_help_option_names(ctx))
        return super().parse_args(ctx, args if names_one else ["rules", *args])


@click.group(cls=_RulesFirst, epilog=example("kgreason profile -l store"))
def profile() -> None:
    """Show which rules of a store cost most (`rules`, the default), or where the time of a load goes (`load`)."""


profile.add_command(load_profile)


@profile.command(
    short_help="Show which rules of a store cost most.",
    epilog=example(
        "kgreason profile rules -l store --prefix =http://example.org/",
        "kgreason profile rules -l store --anew --alone --limit 5",
    ),
)
@with_store
@integer("--limit", default=20, help="How many rules to show.")
@click.option(
    "--alone", is_flag=True, help="Count the facts that each rule alone supports: no other rule, and no file."
)
@click.option("--anew", is_flag=True, help="Compute everything from scratch, in memory, and show the cost of that.")
@functions
@shown_prefixes
@as_json
@verbose
def rules(
    location: Place,
    limit: int,
    alone: bool,
    anew: bool,
    functions: list[Callable[..., Any]],
    prefixes: dict[str, str],
    as_json: bool,
    verbose: bool,
) -> None:
    """Show which rules cost most: their share of all work, and how many derivations they found.

    A rewrite is one step of evaluating a rule. The counts begin with the last computation from scratch, which `kgreason
    stats` calls a bootstrap; `last commit` has the rewrites of the last commit alone. The rules of one axiom count
    together. The counts are 0 if Spark computed the closure: then use --anew.
    """
    from kgreason.cli.progress import Bars

    with graph_at(location, functions=functions, read_only=True) as graph, Bars(verbose)("counting"):
        rows, prefixes = costs(graph, alone=alone, anew=anew), prefixes_of(graph, prefixes)
    if as_json:
        click.echo(json.dumps(rows, indent=1))
    else:
        click.echo("\n".join(costs_text(rows[:limit], len(rows), prefixes)))


def costs(graph: Graph, *, alone: bool = False, anew: bool = False) -> list[Row]:
    """Return the costs of a graph's rules, with one row for all rules of an axiom (`by_axiom`).

    The row of a user's rule has the rule as the user wrote it, and the file that it came from. `alone` and `anew` are
    those of `KnowledgeGraph.rules`.
    """
    own = {(rule.name, format_rule(canonical(rule))): rule for rule in graph.own_rules()}
    rows = graph.rules(costs=True, alone=alone, anew=anew)
    for row in rows:
        if rule := own.get((row["name"], row["rule"])):
            row.update(rule=format_rule(rule), why=origin(rule))
    return by_axiom(rows)


def by_axiom(rules: Iterable[Row]) -> list[Row]:
    """Sum the costs of rules: one row for all rules that were translated from the same axioms, one for any other rule.

    `rules` are dicts of `KnowledgeGraph.rules(costs=True)`. In each row of the result, `names` are the names of the
    rules that are summed, and `rules` are their texts. The costliest row comes first.
    """
    groups: dict[object, Row] = {}
    for rule in rules:
        key = rule["why"] if rule["why"].startswith(_AXIOM) else (rule["name"], rule["rule"])
        row = groups.setdefault(key, {"why": rule["why"], "names": [], "rules": []})
        row["names"] += [rule["name"]] if rule["name"] not in row["names"] else []
        row["rules"].append(rule["rule"])
        for name in _SUMS:
            if name in rule:
                row[name] = row.get(name, 0) + rule[name]
    return sorted(groups.values(), key=lambda row: (-row["rewrites"], -row["derivations"], row["names"]))


def costs_text(rows: list[Row], count: int, prefixes: Mapping[str, str]) -> Iterator[str]:
    """Write rows of costs as the lines of a table.

    `count` is the number of all rows. If `rows` are fewer, the last line says how many rows are not shown.
    """
    heads = ["share", "rewrites", "derivations", "last commit", *(["alone"] if rows and "alone" in rows[0] else [])]
    names = ["rewrites", "derivations", "last_rewrites", "alone"]
    table = [[f"{row['share']:.1%}", *(f"{row[name]:,}" for name in names if name in row)] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *table, strict=True)]
    yield "  ".join([*(head.rjust(width) for head, width in zip(heads, widths, strict=True)), "rule"])
    for row, cells in zip(rows, table, strict=True):
        yield "  ".join([*(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)), _text(row, prefixes)])
    if count > len(rows):
        yield f"and {count - len(rows):,} more; --limit N shows more of them"


def _text(row: Row, prefixes: Mapping[str, str]) -> str:
    """Return the text of the column `rule` for a row, on one line.

    For rules of an axiom the text has their names and the axiom, otherwise the name and the text of the rule.
    """
    if row["why"].startswith(_AXIOM):
        return f"{', '.join(row['names'])}, {reason(row['why'], 1, prefixes)}"
    text = " ".join(shorten(row["rules"][0], prefixes).split())
    return f"{row['names'][0]}: {text}"
