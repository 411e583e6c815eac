"""`RemoteGraph`: a graph that a server holds, with the methods of `KnowledgeGraph`.

    change      `add`, `remove`, `load`, `unload`, `update`, `transaction`, `add_rules`, `relation`; `what_if`
    ask         `query`, `select`, `get`, `construct`, `match`, `in`, `len`, iteration
    understand  `explain`, `explain_all`, `why_not`, `contradictions`, `unsatisfiable_classes`, `rules`, `warnings`,
                `stats`
    follow      `subscribe`, `dump`
    validate    `shapes`, `validate`

Laws: each method gives the same result as the method of `KnowledgeGraph` with this name, and raises the same errors.
Results such as `Solutions`, `Delta` and `Proof` have the same classes. A call sees each edit whose answer came before
the call began.

Threads: any number of threads may use a graph. Cost: a request over HTTP. An answer comes as a whole, in a temporary
file if it is long. Only deltas, files and rows of terms need Numba here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, Self, TypedDict, Unpack, cast

import httpx
import pyoxigraph
from pyoxigraph import DefaultGraph, QueryResultsFormat, QueryTriples, RdfFormat, Triple

from kgreason.client.link import Link, with_parameters
from kgreason.client.readable_graph import ReadableRemoteGraph
from kgreason.client.remote_past import RemotePast
from kgreason.client.stream import Deltas, RowChanges
from kgreason.client.transaction import RemoteTransaction
from kgreason.errors import QueryError, QueryTimeoutError, ServerError
from kgreason.graph.changes.load_result import Loaded
from kgreason.graph.input.arguments import check_paths, check_text, check_texts
from kgreason.graph.input.bindings import Bindings, with_bindings
from kgreason.graph.input.terms import UserTerm, checked_prefixes, graph_name, text_of
from kgreason.graph.opening.options import File, Strategy
from kgreason.graph.results.answers import Matches, QueryAnswer, Triples, answer_of
from kgreason.graph.results.questions import Queryable
from kgreason.options import check_choice, check_count, check_seconds
from kgreason.progress import Progress, progress_of
from kgreason.rdf.lines.skipped_lines import Skipped
from kgreason.sparql.query.evaluation import with_repeated_columns
from kgreason.sparql.query.numbers import warn_caller
from kgreason.store.journal.record import check_headers
from kgreason.store.oxigraph.results import Triples as ReadTriples
from kgreason.terms.tags import parse_quads
from kgreason.wire import EXACT

if TYPE_CHECKING:
    from kgreason.client.relation import RemoteRelation
    from kgreason.graph.changes.delta import Delta
    from kgreason.graph.history.revert import Reverted
    from kgreason.graph.input.frames import FrameMapping
    from kgreason.graph.input.quads import Item, Table
    from kgreason.graph.shapes.shapes import Shapes
    from kgreason.graph.shapes.shapes_editor import Source
    from kgreason.graph.shapes.validation import DataMode
    from kgreason.graph.sparql_update.update import Updated
    from kgreason.rules.parser import Syntax
    from kgreason.shapes.report import Report

_TABLE = f"{QueryResultsFormat.JSON.media_type}, application/n-triples"
_LINES = "application/x-ndjson"
_CHUNK = 1 << 20


class How(TypedDict, total=False):
    """Options of a commit, which say how it is evaluated; `KnowledgeGraph.open` explains them."""

    strategy: Strategy
    budget: int | None


def connect(
    url: str,
    *,
    token: str | None = None,
    timeout: float | None = None,
    strategy: Strategy = "auto",
    budget: int | None = None,
) -> RemoteGraph:
    """Return the graph that `kgreason serve` serves at an address such as http://127.0.0.1:7878.

    - `token`: one of the server's tokens. It may be None if the server has no tokens.
    - `timeout`: how many seconds to wait for an answer of the server. None is no limit.
    - `strategy`, `budget`: as for `KnowledgeGraph.open`, for the commits of this client. If the server has a budget of
      its own, the commits must keep both.

    Raises ServerError if no server answers, and InputError for a text that is not an address.
    """
    check_seconds("timeout", timeout)
    if budget is not None:
        check_count("budget", budget, 1)
    graph = RemoteGraph(Link(url, token, timeout), {"strategy": strategy, "budget": budget})
    graph.commit  # noqa: B018  # ask once, so that a wrong address is told here
    return graph


class RemoteGraph(ReadableRemoteGraph, Queryable):
    """A graph of a server; `connect` makes one. Use it in a `with` block, or call `close` in the end."""

    def __init__(self, link: Link, how: How) -> None:
        super().__init__(link)
        self._how = [(name, str(value)) for name, value in how.items() if value is not None and value != "auto"]

    @property
    def url(self) -> str:
        """The address of the server."""
        return self._link.url

    @property
    def commit(self) -> int:
        """The number of the last commit; 0 if there is none."""
        return int(self._link.get("/health", [("live", "true")]).json()["commit"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; the server goes on."""
        self._link.close()

    def __repr__(self) -> str:
        """The address. Cost: no request."""
        return f"<RemoteGraph {self.url}>"

    def __bool__(self) -> bool:
        """True, also for an empty graph."""
        return True

    # Edits.

    def transaction(
        self,
        headers: Mapping[str, str] | None = None,
        *,
        timeout: float | None = None,  # noqa: ARG002
    ) -> RemoteTransaction:
        """Begin a transaction: the edits of a `with` block are sent as one request, and become one commit.

        The request is sent at the end of the block. Until then, other clients may edit the graph. `headers` are stored
        with the commit; see `KnowledgeGraph.transaction`.
        """
        if headers is not None:
            check_texts("headers", headers)
            check_headers(headers)
        return self._begin("/transactions", [("header", f"{name}={text}") for name, text in (headers or {}).items()])

    def what_if(self, *, reasons: int = 0, timeout: float | None = None) -> RemoteTransaction:  # noqa: ARG002
        """Begin a transaction that computes a delta and changes nothing; see `KnowledgeGraph.what_if`."""
        given = [("why", "true"), ("limit", str(reasons))] if reasons else []
        return self._begin("/what-if", given)

    def _begin(self, path: str, given: list[tuple[str, str]]) -> RemoteTransaction:
        is_edit = path != "/what-if"

        def send(file: IO[bytes]) -> Delta:
            from kgreason.wire.deltas import from_json

            told = self._link.send(with_parameters(path, [*self._how, *given]), file, _LINES, EXACT, is_edit=is_edit)
            return from_json(told.json())

        return RemoteTransaction(send, self.own_rules)

    def add(
        self, *items: Item | Table, prefixes: Mapping[str, str] | None = None, **mapping: Unpack[FrameMapping]
    ) -> Delta:
        """Assert items as one commit, and return its delta; see `KnowledgeGraph.add`."""
        with self.transaction() as tx:
            tx.add(*items, prefixes=prefixes, **mapping)
        return tx.delta

    def remove(
        self, *items: Item | Table, prefixes: Mapping[str, str] | None = None, **mapping: Unpack[FrameMapping]
    ) -> Delta:
        """Retract triples and quads as one commit, and return its delta. Items are given as for `add`."""
        with self.transaction() as tx:
            tx.remove(*items, prefixes=prefixes, **mapping)
        return tx.delta

    def add_rules(self, text: str, source: str = "<rules>", *, syntax: Syntax = "datalog") -> Delta:
        """Add rules as one commit, and return its delta; see `Transaction.add_rules`."""
        with self.transaction() as tx:
            tx.add_rules(text, source, syntax=syntax)
        return tx.delta

    def remove_rules(
        self,
        text: str | None = None,
        source: str = "<rules>",
        *,
        file: File | None = None,
        syntax: Syntax = "datalog",
    ) -> Delta:
        """Remove rules that the user added, as one commit, and return its delta; see `Transaction.remove_rules`."""
        with self.transaction() as tx:
            tx.remove_rules(text, source, file=file, syntax=syntax)
        return tx.delta

    def load(
        self,
        *paths: File,
        syntax: str | None = None,
        skip_malformed: bool = False,
        progress: Progress | bool = False,
    ) -> Loaded:
        """Assert the quads of RDF files as one commit; see `KnowledgeGraph.load`. The client reads the files."""
        check_paths("load", paths)
        progress = progress_of(progress)
        begun, tx, skipped = time.perf_counter(), self.transaction(), Skipped() if skip_malformed else None
        return self._end_load(
            tx.load(*paths, syntax=syntax, skipped=skipped, progress=progress), begun, progress, skipped
        )

    def unload(self, *paths: File, syntax: str | None = None, progress: Progress | bool = False) -> Loaded:
        """Retract the quads of RDF files as one commit; see `KnowledgeGraph.unload`. The client reads the files."""
        check_paths("unload", paths)
        progress = progress_of(progress)
        begun, tx = time.perf_counter(), self.transaction()
        return self._end_load(tx.unload(*paths, syntax=syntax, progress=progress), begun, progress)

    def _end_load(
        self, tx: RemoteTransaction, begun: float, progress: Progress, skipped: Skipped | None = None
    ) -> Loaded:
        tx.end(True, progress)
        work = tx.delta.work._asdict()
        return Loaded(self.stats() | work, tx.delta, time.perf_counter() - begun, skipped)

    def update(
        self,
        sparql: str,
        source: str = "<update>",
        *,
        bindings: Bindings | None = None,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        keep: bool = True,
    ) -> Updated:
        """Carry out a SPARQL 1.1 Update request as one commit; see `KnowledgeGraph.update`.

        With `keep=False` nothing changes, and the result has the delta that the commit would have. If the server allows
        LOAD, the server reads the files that LOAD names.
        """
        from kgreason.graph.sparql_update.update import Updated
        from kgreason.wire.deltas import from_json

        check_text("update", "a SPARQL Update", sparql)
        if not sparql.strip():
            raise QueryError(f"{source}: the update is empty")
        sparql = with_bindings(sparql, bindings, checked_prefixes(prefixes), base)
        given = [("update", sparql), ("source", source), ("base", base or ""), *_prefix_parameters(prefixes)]
        path = with_parameters("/update", self._how) if keep else "/what-if"
        told = self._link.post_form(path, given, EXACT, is_edit=keep).json()
        return Updated(from_json(told), told["unasserted"], told["entailed"])

    # Questions.

    def query(
        self,
        sparql: str,
        *,
        bindings: Bindings | None = None,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        default_graph: UserTerm | None = None,
        timeout: float | None = None,
    ) -> QueryAnswer:
        """Return the results of a SPARQL query: `Solutions`, `Triples`, or a boolean; see `KnowledgeGraph.query`.

        The answer is read as a whole before the first row is given. Raises QueryError, QueryTimeoutError, InputError.
        """
        return self._answer(
            sparql, bindings=bindings, prefixes=prefixes, base=base, default_graph=default_graph, timeout=timeout
        )

    def _answer(
        self,
        sparql: str,
        *,
        bindings: Bindings | None = None,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        default_graph: UserTerm | None = None,
        timeout: float | None = None,
        as_of: int | None = None,
    ) -> QueryAnswer:
        """Answer a query over the graph as it is now, or as it was after the commit `as_of`."""
        check_text("query", "a SPARQL query", sparql)
        check_seconds("timeout", timeout)
        sparql = with_bindings(sparql, bindings, checked_prefixes(prefixes), base)
        given = [("query", sparql), ("base", base or ""), *_prefix_parameters(prefixes)]
        if default_graph is not None:
            name = graph_name(default_graph, checked_prefixes(prefixes))
            given += [] if name is None else [("default-graph", name.value)]
        given += [(name, str(value)) for name, value in (("timeout", timeout), ("as_of", as_of)) if value is not None]
        begun = time.monotonic()
        try:
            reply = self._link.post_form("/query", given, _TABLE, is_edit=False)
        except ServerError as error:
            is_cut = isinstance(error.__cause__, httpx.RemoteProtocolError)
            if timeout is None or time.monotonic() - begun < timeout or not is_cut:
                raise
            raise QueryTimeoutError(f"the query took longer than {timeout:g} s") from error
        if (told := reply.headers.get("kgreason-warning")) is not None:
            warn_caller(told)
        if reply.headers["content-type"].startswith("application/n-triples"):
            quads = pyoxigraph.parse(reply.file, RdfFormat.N_TRIPLES, lenient=True)
            return Triples(cast(QueryTriples, ReadTriples(quad.triple for quad in quads)), self._shown_prefixes)
        rows = pyoxigraph.parse_query_results(reply.file, QueryResultsFormat.JSON)
        return answer_of(with_repeated_columns(sparql, rows), self._shown_prefixes)

    def match(
        self,
        subject: UserTerm | None = None,
        predicate: UserTerm | None = None,
        object_: UserTerm | None = None,
        graph: UserTerm | None = None,
        *,
        asserted: bool = False,
        prefixes: Mapping[str, str] | None = None,
    ) -> Matches:
        """Return the quads that match a pattern of terms, as of this call; see `KnowledgeGraph.match`."""
        from kgreason.graph.match import pattern

        terms = pattern(subject, predicate, object_, graph, prefixes=checked_prefixes(prefixes))
        return self._match(terms, asserted=asserted)

    def _match(self, terms: Sequence[Any], *, asserted: bool) -> Matches:
        given = [(name, _text(term)) for name, term in zip("spog", terms, strict=True) if term is not None]
        given += [("asserted", "true")] if asserted else []
        file = self._link.get("/match", given).file
        chunks = iter(lambda: b"".join(file.readlines(_CHUNK)), b"")
        found = chain.from_iterable(parse_quads(chunk, lenient=True) for chunk in chunks)
        return Matches(lambda: found, self._shown_prefixes)

    def __contains__(self, item: Item) -> bool:
        """Whether the graph has a triple or a quad; see `KnowledgeGraph.__contains__`."""
        from kgreason.graph.input.quads import quad_of
        from kgreason.graph.match import pattern

        return any(self._match(pattern(*quad_of(item)), asserted=False))

    def __iter__(self) -> Iterator[Triple]:
        """Iterate over the triples of the closure, as of this call."""
        return (quad.triple for quad in self._match((None, None, None, DefaultGraph()), asserted=False))

    def __len__(self) -> int:
        """The number of triples in the closure."""
        return int(self.stats()["facts"])

    def relation(self, name: str, arity: int | None = None) -> RemoteRelation:
        """Return an object that reads and edits the facts of a relation; see `KnowledgeGraph.relation`."""
        from kgreason.client.relation import RemoteRelation
        from kgreason.rules.relations.names import checked_arity, checked_name

        return RemoteRelation(self, self._link, checked_name(name), checked_arity(arity))

    def relations(self) -> list[RemoteRelation]:
        """Return the user's relations, sorted by name: those that have facts, and those that are declared."""
        return [self.relation(each["name"], each["arity"]) for each in self._link.get("/relations").json()]

    @property
    def shapes(self) -> Shapes:
        """The shapes graph (SHACL); see `KnowledgeGraph.shapes`. The client reads the files of shapes."""
        from kgreason.graph.shapes.shapes import Shapes

        return Shapes(self)

    def validate(self, data: DataMode = "inferred", *, shapes: Source | Sequence[Source] | None = None) -> Report:
        """Return the report about the shapes graph; see `KnowledgeGraph.validate`. The client reads `shapes`."""
        from kgreason.graph.shapes.shapes_editor import triples_of_sources
        from kgreason.graph.shapes.validation import DataMode
        from kgreason.wire.reports import report_of

        check_choice("data", data, DataMode)
        if shapes is None:
            return report_of(self._link.get("/validate", [("data", data)], EXACT).json())
        triples = triples_of_sources(shapes if isinstance(shapes, (list, tuple)) else [shapes])
        body = "".join(f"{' '.join(triple)} .\n" for triple in sorted(triples)).encode()
        path = with_parameters("/validate", [("data", data)])
        return report_of(self._link.send(path, body, "application/n-triples", EXACT, is_edit=False).json())

    # Reasons.

    def as_of(self, commit: int) -> RemotePast:
        """Return an object that answers queries over the graph as it was after a commit.

        The first query raises HistoryError if the history does not have the commit.
        """
        check_count("commit", commit, 0)
        return RemotePast(commit, self._answer)

    def revert(self, commit: int) -> Reverted:
        """Take a commit back, as a new commit; see `KnowledgeGraph.revert`."""
        from kgreason.graph.history.revert import Reverted
        from kgreason.wire import deltas

        check_count("commit", commit, 1)
        told = self._link.post_form(
            with_parameters("/revert", [("commit", str(commit))]), [], EXACT, is_edit=True
        ).json()
        return Reverted(deltas.from_json(told["delta"]), tuple(told["conflicts"]))

    # Figures, dumps, and the commits as they come.

    def subscribe(self, after: int | None = None, *, patience: float = 60) -> Deltas:
        """Return an iterator over the deltas of all commits after the commit `after`. It waits for new commits.

        If `after` is None the deltas begin with the next commit.

        Use the result in a `with` block. If the connection is lost, the client connects again, and no commit is lost or
        repeated. Raises ServerError if there is no connection for `patience` seconds, and ServerError with the status
        410 if the server no longer has all commits after `after`.
        """
        return Deltas(self._link, "/changes", [("form", "exact")], after, patience)

    def standing(
        self,
        sparql: str,
        *,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        patience: float = 60,
    ) -> RowChanges:
        """Return an iterator over the changes that commits make in the rows of a query.

        The first item has all present rows as rows that appeared. Use the result in a `with` block. The items are as in
        `KnowledgeGraph.standing`, but after a lost connection one item may combine the changes of several commits. A
        read raises ServerError if there is no connection for `patience` seconds. Raises QueryError.
        """
        check_text("standing", "a SELECT or ASK query", sparql)
        given = [("query", sparql), ("base", base or ""), *_prefix_parameters(prefixes)]
        return RowChanges(self._link, given, patience)

    def backup(self, path: File) -> int:
        """Copy the store of the server to a path where nothing is yet. Returns the number of the copy's last commit.

        The copy is a store of its own, with the history. The token needs the role admin. Raises StoreError.
        """
        from pathlib import Path

        from kgreason.client.backup import copy_of_server

        check_paths("backup", (path,))
        return copy_of_server(self._link, Path(path))


def _prefix_parameters(prefixes: Mapping[str, str] | None) -> list[tuple[str, str]]:
    return [("prefix", f"{prefix}={namespace}") for prefix, namespace in checked_prefixes(prefixes).items()]


def _text(term: Any) -> str:
    return "" if isinstance(term, DefaultGraph) else text_of(term)
