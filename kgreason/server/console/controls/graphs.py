"""The named graphs of a store, and a field in which the user names one of them."""

from __future__ import annotations

from markupsafe import Markup

from kgreason.server.console.calls import Calls

_MOST = 1_000
_NAMES = f"SELECT ?graph {{ GRAPH ?graph {{ }} FILTER(isIRI(?graph)) }} LIMIT {_MOST}"


async def graph_names(calls: Calls) -> list[str]:
    """Return the IRIs of the named graphs, at most a thousand. Raises Problem."""
    return sorted(row[0][1:-1] for row in await calls.rows(_NAMES))


def graph_field(graph: str) -> Markup:
    """Make a field for the name of a graph. An empty name means the default graph. `graph_options` makes its list."""
    return Markup(
        '<label for="graph">Graph</label><input id="graph" name="graph" list="graph-offers" value="{}" size="24"'
        ' autocomplete="off" spellcheck="false" placeholder="default graph">'
    ).format(graph)


def graph_options(found: list[str]) -> Markup:
    """Make the options of the list with the id `graph-offers`."""
    return Markup("").join(Markup('<option value="{}"></option>').format(name) for name in found)
