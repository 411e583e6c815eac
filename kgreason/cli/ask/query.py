"""`kgreason query`: runs a SPARQL query over a store; the store is only read.

Queries see the materialized graph: the default graph holds every triple that was loaded or derived, and a named graph
holds the triples that were loaded into it. Several processes may query a store at the same time.

Invariant: results are printed when all of them are known, so that a query that fails prints nothing. The query is
evaluated in a thread (`store.oxigraph.worker`), so that Ctrl-C and the timeout end the command at once.

Cost: the query itself, and a quarter of a second to start. Neither the engine nor Numba is loaded, with one exception:
a CONSTRUCT or DESCRIBE that gives a typed literal, if the store has commits after its snapshot. Results of more than
16 MB are kept in a temporary file until they are printed.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, BinaryIO, cast

import click
from pyoxigraph import QueryBoolean, QueryResultsFormat, QueryTriples

from kgreason.cli.notation import prefixes
from kgreason.cli.options import example, integer, location, number_warnings, seconds, text_and_name, warn
from kgreason.cli.places import Graph, Place, graph_at
from kgreason.errors import QueryError
from kgreason.graph.results.answers import QueryAnswer, Triples
from kgreason.rdf.writing import write_results
from kgreason.sparql.query.columns import declarations
from kgreason.store.oxigraph.worker import call_in_worker

if TYPE_CHECKING:
    from kgreason.client.remote_past import RemotePast

_TABLES = ("table", "csv", "tsv", "json", "xml")
_GRAPHS = ("nt", "nq", "ttl", "trig", "n3", "rdf", "jsonld")
_LONGEST = 240
_IN_MEMORY = 1 << 24


@click.command(
    epilog=example(
        "kgreason query -l store --query-file query.rq --results-format csv",
        "kgreason query -l store --query 'PREFIX e: <http://e/> SELECT * { ?x a e:C }' --results-format table",
    )
)
@location
@click.option(
    "-q",
    "--query",
    "text",
    metavar="QUERY",
    help="The SPARQL query. Without -q and --query-file it is read from standard input.",
)
@click.option("--query-file", type=click.Path(path_type=Path), metavar="FILE", help="A file with the query.")
@click.option(
    "--results-format",
    "syntax",
    type=click.Choice([*_TABLES, *_GRAPHS]),
    help="For SELECT and ASK: table, csv, tsv, json, xml (default: table on a terminal, else csv). For CONSTRUCT and "
    "DESCRIBE: the others (default: nt).",
)
@seconds("--timeout", help="Stop with an error if the answer takes longer.")
@integer("--as-of", "commit", least=0, help="Ask the store as it was after commit N.")
@prefixes
def query(
    location: Place,
    text: str | None,
    query_file: Path | None,
    syntax: str | None,
    timeout: float | None,
    commit: int | None,
    prefixes: dict[str, str],
) -> None:
    """Ask a store a SPARQL query (SELECT, ASK, CONSTRUCT or DESCRIBE).

    The columns have the order of the SELECT. For SELECT * they have the order in which the query first names the
    variables. Tables and Turtle shorten IRIs by the prefixes of loaded files, of --prefix and of the query. The query
    may use those of loaded files and of --prefix without a PREFIX line; its own PREFIX lines count first. --as-of needs
    a store that keeps its history (`load --history all`).
    """
    sparql, _ = text_and_name(text, query_file, "query")
    with SpooledTemporaryFile(_IN_MEMORY) as out:
        with (
            _graph_of(location, commit) as (graph, remembered),
            _errors_with_file(query_file),
            number_warnings() as told,
        ):
            known = {**remembered, **prefixes}
            names = known | declarations(sparql)
            call_in_worker(
                lambda: _write(graph.query(sparql, prefixes=known), syntax, names, cast(BinaryIO, out)), timeout
            )
        warn(told)
        out.seek(0)
        shutil.copyfileobj(out, sys.stdout.buffer)


@contextmanager
def _graph_of(location: Place, commit: int | None) -> Iterator[tuple[Graph | RemotePast, dict[str, str]]]:
    """Give the block the graph at a place, and the prefixes that it remembers now."""
    with graph_at(location, read_only=True) as graph:
        if commit is None:
            yield graph, graph.prefixes
        else:
            with graph.as_of(commit) as past:
                yield past, graph.prefixes


@contextmanager
def _errors_with_file(query_file: Path | None) -> Iterator[None]:
    """If a query fails in the block, raise QueryError with a shortened message that names the file of the query."""
    try:
        yield
    except (QueryError, RuntimeError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # from the system, not from Oxigraph
            raise
        problem = str(error) if isinstance(error, QueryError) else f"the query cannot be evaluated: {error}"
        problem = f"{query_file}: {problem}" if query_file else problem
        raise QueryError(textwrap.shorten(problem, _LONGEST, placeholder=" ...")) from error


def _write(results: QueryAnswer, syntax: str | None, prefixes: Mapping[str, str], out: BinaryIO) -> None:
    if isinstance(results, Triples):
        syntax = _fitting_syntax(syntax or "nt", _GRAPHS, "triples")
        if syntax in ("nt", "nq"):
            write_results(cast(QueryTriples, results), out, syntax)
        else:
            results.serialize(out, syntax, prefixes)
        return
    syntax = _fitting_syntax(syntax or ("table" if sys.stdout.isatty() else "csv"), _TABLES, "no triples")
    if syntax != "table":
        results.serialize(out, QueryResultsFormat.from_extension(syntax))
    elif isinstance(results, QueryBoolean):
        out.write(b"true" if results else b"false")
    else:
        from kgreason.cli.table import write_table

        text = TextIOWrapper(out, encoding="utf-8", errors="surrogateescape", write_through=True)
        write_table(results, prefixes, text)
        text.detach()
    if isinstance(results, QueryBoolean) or syntax in ("json", "xml"):
        out.write(b"\n")


def _fitting_syntax(syntax: str, fitting: tuple[str, ...], what: str) -> str:
    if syntax not in fitting:
        raise click.UsageError(f"--results-format {syntax}: the query gives {what}; use {', '.join(fitting)}")
    return syntax
