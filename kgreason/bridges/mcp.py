"""`mcp_server`: a server of the Model Context Protocol (MCP), through which assistants query a graph.

The server is made with the package `mcp`. Its tools:

    query     answers a SPARQL query: rows or triples
    explain   says why a triple holds
    what_if   says what a SPARQL update would change, and changes nothing
    schema    lists classes and properties, with counts
    update    carries out a SPARQL update; this tool exists only with `writes`

Laws: without `writes` no tool changes the graph. No tool reads a file or sends a request to another machine. Every list
in an answer has at most 1000 elements. Each call opens the graph anew, so it sees the last commit.

Threads: `mcp` calls the tools in threads of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pyoxigraph import QueryBoolean, QuerySolutions

from kgreason import __version__
from kgreason.errors import KgreasonError
from kgreason.graph.changes.delta import Delta
from kgreason.sparql.operations import Load
from kgreason.sparql.parser import parse
from kgreason.sparql.tokens import TOKEN

Open = Callable[[], AbstractContextManager[Any]]
"""A function that opens the graph: a `KnowledgeGraph`, or a graph with the same methods."""
Edit = Callable[[str], Delta]
"""A function of a SPARQL update that returns what the update would change, or what it has changed."""
_MOST = 1000
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
_ABOUT = (
    "A knowledge graph in RDF that is kept materialized: queries see all triples that its ontology and rules entail. "
    "Call schema first. Use full IRIs, or PREFIX in a query."
)
_CLASSES = "SELECT ?name (COUNT(*) AS ?count) { ?s a ?name FILTER(isIRI(?name)) } GROUP BY ?name ORDER BY DESC(?count)"
_PROPERTIES = "SELECT ?name (COUNT(*) AS ?count) { ?s ?name ?o } GROUP BY ?name ORDER BY DESC(?count)"


class _Tools:
    """The tools of the server. An assistant reads the docstring of a tool to learn what the tool does."""

    def __init__(
        self, open_: Open, tried: Callable[[str], Delta], made: Callable[[str], Delta], seconds: float
    ) -> None:
        self._open, self._tried, self._made, self._seconds = open_, tried, made, seconds

    def query(self, sparql: str, limit: int = 100) -> dict[str, Any]:
        """Answer a SPARQL 1.1 query (SELECT, ASK, CONSTRUCT or DESCRIBE). Returns up to `limit` rows, at most 1000."""
        most = max(0, min(limit, _MOST))
        with _tool_errors(), self._open() as graph:
            found = graph.query(_without_service(sparql), timeout=self._seconds)
            if isinstance(found, (bool, QueryBoolean)):
                return {"answer": bool(found)}
            rows = list(islice(found, most + 1))
            shown = {"complete": len(rows) <= most}
            if not hasattr(found, "variables") and not isinstance(found, QuerySolutions):
                return {"triples": [str(triple) for triple in rows[:most]]} | shown
            names = [variable.value for variable in found.variables]
            return {"columns": names, "rows": [[_text(each) for each in row] for row in rows[:most]]} | shown

    def explain(self, triple: str) -> str:
        """Say why a triple holds, down to asserted triples and axioms. Write `triple` in Turtle: `<s> <p> <o>`."""
        with _tool_errors(), self._open() as graph:
            return str(graph.explain(triple).to_text())

    def what_if(self, update: str, limit: int = 100) -> dict[str, Any]:
        """Say which triples would appear and disappear by a SPARQL update, and which contradictions would be new.

        Returns up to `limit` of each, at most 1000.
        """
        with _tool_errors():
            return _changes(self._tried(_without_files(update)), limit)

    def schema(self, limit: int = 100) -> dict[str, Any]:
        """List each class with the number of its members, and each property with the number of its triples.

        Returns up to `limit` classes and properties, at most 1000 of each, the most frequent ones first. Returns the
        counts of the whole graph and the number of the last commit, too.
        """
        most = max(0, min(limit, _MOST))
        with _tool_errors(), self._open() as graph:
            found = {
                name: {_text(row["name"]): int(row["count"].value) for row in self._rows(graph, text, most)}
                for name, text in (("classes", _CLASSES), ("properties", _PROPERTIES))
            }
            return {**found, "counts": graph.stats(), "commit": graph.commit}

    def _rows(self, graph: Any, sparql: str, most: int) -> list[Any]:
        return list(graph.select(f"{sparql} LIMIT {most}", timeout=self._seconds))

    def update(self, update: str, limit: int = 100) -> dict[str, Any]:
        """Carry out a SPARQL update as one commit, and say what it changed. Call what_if first.

        Returns up to `limit` of the triples that appeared, of those that disappeared, and of the new contradictions,
        at most 1000 of each.
        """
        with _tool_errors():
            return _changes(self._made(_without_files(update)), limit)


def mcp_server(
    open_: Open,
    tried: Edit,
    made: Edit,
    *,
    writes: bool = False,
    seconds: float = 30,
) -> MCPServer[Any]:
    """Make the server that lets an assistant ask a graph.

    `open_` opens the graph. `tried` computes what a SPARQL update would change. `made` carries out a SPARQL update and
    returns what has changed. With `writes` there is the tool `update`. A query may take at most `seconds`.
    """
    server: MCPServer[Any] = MCPServer("kgreason", instructions=_ABOUT, version=__version__)
    tools = _Tools(open_, tried, made, seconds)
    for tool in (tools.query, tools.explain, tools.what_if, tools.schema):
        server.add_tool(tool, annotations=_READS)
    if writes:
        server.add_tool(tools.update, annotations=_WRITES)
    return server


@contextmanager
def _tool_errors() -> Iterator[None]:
    """Within the block, turn errors that an assistant can correct into ToolError.

    `mcp` shows an assistant no other error.
    """
    try:
        yield
    except KgreasonError as error:
        raise ToolError(str(error)) from error
    except (SyntaxError, ValueError) as error:
        raise ToolError(f"the text cannot be read: {error}") from error


def _without_files(update: str) -> str:
    """Return a SPARQL update as it is. Raises ToolError if it contains LOAD, which reads files."""
    if any(isinstance(operation, Load) for operation in parse(_without_service(update))):
        raise ToolError("LOAD is refused: an assistant does not read files; use INSERT DATA")
    return update


def _without_service(sparql: str) -> str:
    """Return a SPARQL text as it is. Raises ToolError if it contains SERVICE, which asks other machines."""
    if any((token["name"] or "").upper() == "SERVICE" for token in TOKEN.finditer(sparql)):
        raise ToolError("SERVICE is refused: an assistant does not ask other machines")
    return sparql


def _text(term: Any) -> str | None:
    return None if term is None else str(term)


def _changes(delta: Delta, limit: int) -> dict[str, Any]:
    most = max(0, min(limit, _MOST))
    appeared, disappeared = delta.appeared(), delta.disappeared()
    return {
        "appear": [" ".join(map(str, triple)) for triple in islice(appeared, most)],
        "disappear": [" ".join(map(str, triple)) for triple in islice(disappeared, most)],
        "counts": {"appear": len(appeared), "disappear": len(disappeared)},
        "contradictions": [str(each) for each in delta.contradictions[:most]],
    }
