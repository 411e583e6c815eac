"""`kgreason query`: SPARQL over a store, read-only.

Queries see the materialized graph: the default graph is everything that was loaded or derived, each named graph what
was loaded into it. Several processes may ask a store at the same time.

The query is evaluated in a thread, so that Ctrl-C and the timeout end the command at once.

Cost: the query itself, and a quarter of a second to start; neither the engine nor Numba is loaded.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import click
from pyoxigraph import QueryBoolean, QueryResultsFormat, RdfFormat

from kgreason.cli.failures import watched
from kgreason.cli.options import example, given, location
from kgreason.errors import QueryError
from kgreason.graph.answers import Found, Triples
from kgreason.graph.knowledge_graph import KnowledgeGraph

_TABLES = ("csv", "tsv", "json", "xml")
_GRAPHS = ("nt", "nq", "ttl", "trig", "n3", "rdf", "jsonld")
_LONGEST = 240


@click.command(epilog=example("kgreason query -l store --query-file query.rq --results-format csv"))
@location
@click.option("-q", "--query", "text", metavar="QUERY", help="The SPARQL query; from stdin without this and a file.")
@click.option("--query-file", type=click.Path(path_type=Path), metavar="FILE", help="The file that has the query.")
@click.option(
    "--results-format",
    "syntax",
    type=click.Choice([*_TABLES, *_GRAPHS]),
    help="csv, tsv, json, xml for SELECT and ASK (csv); the others for CONSTRUCT and DESCRIBE (nt).",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="End with an error where the answer takes longer.",
)
def query(location: Path, text: str | None, query_file: Path | None, syntax: str | None, timeout: float | None) -> None:
    """Ask a store a SPARQL query (SELECT, ASK, CONSTRUCT or DESCRIBE)."""
    sparql, _ = given(text, query_file, "query")
    with KnowledgeGraph.open(location, read_only=True) as graph:
        try:
            watched(lambda: _print(graph.query(sparql), syntax), timeout)
        except (QueryError, RuntimeError) as error:
            problem = f"{query_file}: {error}" if query_file else str(error)
            raise QueryError(textwrap.shorten(problem, _LONGEST, placeholder=" ...")) from error


def _print(results: Found, syntax: str | None) -> None:
    out = sys.stdout.buffer
    if isinstance(results, Triples):
        results.serialize(out, RdfFormat.from_extension(_checked(syntax or "nt", _GRAPHS, "triples")))
        return
    syntax = _checked(syntax or "csv", _TABLES, "no triples")
    results.serialize(out, QueryResultsFormat.from_extension(syntax))
    if isinstance(results, QueryBoolean) or syntax in ("json", "xml"):
        out.write(b"\n")


def _checked(syntax: str, fitting: tuple[str, ...], what: str) -> str:
    if syntax not in fitting:
        raise click.UsageError(f"--results-format {syntax}: the query gives {what}, which can be {', '.join(fitting)}")
    return syntax
