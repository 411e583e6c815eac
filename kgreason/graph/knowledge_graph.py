"""`KnowledgeGraph`: a graph that is kept materialized, in memory or in a store on disk.

    load, transaction, update -> engine -> journal -> store -> subscribers;   query -> store

Invariants: the store's default graph is the closure of the union of all graphs, each named graph holds its own asserted
quads; an edit that fails or is interrupted leaves graph and store as they were.

Threads: any number of threads may use a graph. Writers queue: one lock (`lock`) protects everything that touches the
engine, the dictionary or the journal, and a transaction has it from its beginning to its end. Queries never wait: each
reads the last commit as a whole. Cost: on a store that was closed in good
order `query` and `stats` start neither the engine nor Numba; nor do `dump` and `rules` while the journal is empty.
"""

from __future__ import annotations

import sys
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, TypedDict, TypeVar, Unpack

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, QueryBoolean, Triple

from kgreason.errors import InputTypeError, QueryError, StoreError, StoreLockedError
from kgreason.graph.changes.subscribers import Subscribers
from kgreason.graph.input.arguments import check_paths, check_text
from kgreason.graph.input.terms import UserTerm, checked, graph_name
from kgreason.graph.lock import GraphLock, locked
from kgreason.graph.results import notebook
from kgreason.graph.results.answers import Found, Matches, Solutions, Triples, found, of_form
from kgreason.graph.statistics import COUNTS
from kgreason.materialize.options import (
    ALIASES,
    SameAsMode,
    SchemaMode,
    check_choice,
    check_count,
    check_names,
    check_seconds,
    check_wait,
)
from kgreason.materialize.state import Saved
from kgreason.progress import SILENT, Progress
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.contradictions import FalseRules, contradictions
from kgreason.rdf.catalogue import Catalogue
from kgreason.rdf.generalised import is_rdf
from kgreason.sparql.columns import with_columns
from kgreason.sparql.problems import unparsed
from kgreason.store import snapshot
from kgreason.store.folder import Folder, Manifest, older, read_manifest
from kgreason.store.journal.record import check_headers
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.repository import Repository
from kgreason.store.rows import chunks, put_all
from kgreason.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from kgreason.engine.memory.layout import Int32
    from kgreason.graph.changes.delta import Delta
    from kgreason.graph.commits import LiveGraph
    from kgreason.graph.input.quads import Item
    from kgreason.graph.sparql_update.update import Updated
    from kgreason.graph.transaction import Transaction
    from kgreason.materialize.materializer import Materializer
    from kgreason.materialize.precomputed import Evaluated
    from kgreason.proofs.proof import Proof
    from kgreason.proofs.search import Facts
    from kgreason.rules.model import Atom, Rule, Triple

File = str | PathLike[str]
Strategy = Literal["auto", "update", "bootstrap"]
Documents = File | Catalogue | Mapping[str, File]
"""Where imported documents are: a path for `Catalogue.open`, or files by the IRIs that they are imported under."""
EngineName = Literal["columnar", "reference"]
Result = TypeVar("Result")
DEFAULT_RULES, NO_RULES = ("owl2rl",), ("none",)


class QueryOptions(TypedDict, total=False):
    """What `query`, `select`, `ask` and `construct` take besides the query."""

    prefixes: Mapping[str, str] | None
    base: str | None
    default_graph: UserTerm | None
    timeout: float | None


class KnowledgeGraph:
    """A materialized knowledge graph; use `KnowledgeGraph.open`.

    >>> from kgreason.resources import resource
    >>> with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
    ...     stats = graph.load(resource("ontologies", "univ-bench.ttl"))
    ...     bool(graph.query('''PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
    ...         ASK { ub:GraduateStudent <http://www.w3.org/2000/01/rdf-schema#subClassOf> ub:Person }'''))
    ...     sum(len(chunk.splitlines()) for chunk in graph.dump(asserted=False)) == stats["inferred"]
    True
    True
    """

    def __init__(
        self,
        repository: Repository | None = None,
        strategy: Strategy = "auto",
        budget: int | None = None,
        engine: EngineName = "columnar",
        catalogue: Catalogue | None = None,
    ) -> None:
        if not isinstance(repository, Repository):
            raise InputTypeError(
                "KnowledgeGraph() cannot be called: use KnowledgeGraph.open(path) for a store, or KnowledgeGraph.open()"
                " for a graph in memory"
            )
        self._home = repository
        self._catalogue = catalogue
        self._strategy: Strategy = strategy
        self._budget = budget
        self._is_reference = engine == "reference"
        self._live: LiveGraph | None = None
        self._open: weakref.ref[Transaction] | None = None
        self._subscribers = Subscribers()
        self._lock = GraphLock()
        self._depth = 0
        """How often the thread of the open transaction had the lock before."""
        self._drop: Callable[[], object] = lambda: None
        """Forgets the terms that the open transaction has read."""
        self._bring_forward()
        self._catch_up()

    @classmethod
    def open(
        cls,
        path: File | None = None,
        *,
        rules: File | Sequence[File] | None = None,
        schema: SchemaMode | None = None,
        same_as: SameAsMode | None = None,
        aliases: int | None = None,
        strategy: Strategy = "auto",
        budget: int | None = None,
        engine: EngineName = "columnar",
        catalogue: Documents | None = None,
        read_only: bool = False,
        wait: float | None = 0,
    ) -> Self:
        """Open the store at a path, made if it is not there, or a graph in memory.

        `rules` are names of rule sets (rdfs, rhodf, owl2rl, none) and rule files, or one; from its first commit on a
        store keeps those it was made with (owl2rl unless asked otherwise). `schema` is "axioms" (translated to rules)
        or "data" (read by generic rules). `same_as` is "aliases" (of terms that owl:sameAs makes one, each stands in
        every triple; where a clique of them would stand for more than `aliases` rows, one does), "representatives" (one
        stands for all) or "rules" (the plain rules of the W3C, whose cost is the cube of a clique's size). Of equal
        terms the one stands for the others whose text comes first; but where cliques have become one, or rules name
        members of a clique, only those that stood for a clique before, or are named, are chosen from. The commits alone
        decide this, so that it is the same after the store is opened again, and for whoever follows it.
        `strategy` says how commits are evaluated, `budget` how many rewrites one may extend. `engine="reference"` runs
        the executable specification instead, on small graphs in memory; it knows neither of the two. `catalogue` has
        the documents that owl:imports names: a folder, an XML catalog or a map (`Catalogue.open`), or files by IRI;
        without one none is read.

        A store is open for one writer, who waits `wait` seconds for the one before, and for any number of readers
        (`read_only`) beside it. Readers change nothing. They see the last commit as of their opening, or a later one;
        use `kgreason watch` to follow a writer. A `with` block that ends in an error takes away a store that it made,
        if nothing was committed. Raises StoreLockedError where the store is open for writing already,
        StoreVersionError, StoreError, RuleError for rules that cannot be used, and InputError for an unknown option and
        for files that cannot be read.
        """
        check_paths("open", () if path is None else (path,))
        rules = [rules] if isinstance(rules, (str, PathLike)) else rules
        wanted = _manifest(rules, schema, same_as, aliases)
        check_choice("strategy", strategy, Strategy)
        check_choice("engine", engine, EngineName)
        if budget is not None:
            check_count("budget", budget, 1)
        check_wait("wait", wait)
        known = opened(catalogue)
        if rules and (path is None or read_manifest(Path(path)) is None):
            _check_rules(wanted)
        if path is None:
            return cls(Repository(None, wanted, write=True), strategy, budget, engine, known)
        if engine == "reference":
            raise StoreError(f"{path}: the reference engine runs in memory alone")
        folder = Folder(Path(path), write=not read_only, wait=wait)
        if read_only and (folder.is_behind or folder.is_older):
            folder.close()
            cls._write_once(Path(path), known, folder.manifest)
            folder = Folder(Path(path), write=False)
        try:
            asked = None if rules is None else wanted.rules
            _check_same(folder, rules=asked, schema=schema, same_as=same_as, aliases=aliases)
            return cls(Repository(folder, wanted, write=not read_only), strategy, budget, catalogue=known)
        except BaseException:
            folder.close(is_failed=True)
            raise

    @classmethod
    def _write_once(cls, path: Path, catalogue: Catalogue | None, manifest: Manifest | None) -> None:
        """Open a store for writing, so that it can be read after that."""
        try:
            cls.open(path, catalogue=catalogue).close()
        except (StoreError, OSError) as error:
            if manifest is not None and manifest.is_older:
                raise older(path, manifest.format, error) from error
            if not isinstance(error, StoreLockedError):  # then there is a writer, who has brought the store up to date
                raise

    def _bring_forward(self) -> None:
        """Bring a store of an older format to the present one, from what is asserted in it."""
        if self._home.is_on_disk and self._home.is_writable and self._home.manifest.is_older:
            live = self._engine()
            self._home.bring_forward(live.manifest(), live.write, live.fill)

    def _catch_up(self) -> None:
        """Bring the store to the last commit, where a kill left it behind."""
        if self._home.is_writable and self._home.is_behind:
            if self._home.is_ahead:
                self._engine()
            self._home.refill(self._fill, self._manifest)
            self._settle()

    def _manifest(self) -> Manifest:
        """What the store says of itself as of the last commit."""
        return self._live.manifest() if self._live else self._home.manifest

    def _fill(self, store: OxigraphStore) -> None:
        """Bring an empty store to the last commit."""
        if state := self._state():
            put_all(store, *state)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._close(is_failed=kind is not None)

    def close(self) -> None:
        """Let go of the store; everything that was committed stays, and a transaction that this thread has open goes.

        Waits for the transaction of another thread.
        """
        self._close(is_failed=False)

    @locked
    def _close(self, *, is_failed: bool) -> None:
        try:
            self._forget("the graph is closed, and the transaction that was open went with it")
            self._settle()
        finally:
            self._live = None
            self._home.close(is_failed=is_failed)
            self._lock.surely_release(0)  # a transaction that was open had it as well

    def _settle(self) -> None:
        """Have the store on disk as of the last commit; a journal that has grown too long becomes a snapshot."""
        if self._live is not None and self._home.is_on_disk and self._home.is_writable and self._home.last:
            if self._home.is_checkpoint_due:
                self._live.checkpoint()
            self._home.settle(self._live.manifest())

    def _engine(self) -> LiveGraph:
        """The engine's side of the graph, restored when it is first needed."""
        self._check_open()
        return self._live or self._looking_again(self._started)

    def _started(self) -> LiveGraph:
        from kgreason.graph.commits import LiveGraph

        catalogue, reference = self._catalogue, self._is_reference
        start = partial(LiveGraph, self._home, self._strategy, self._budget, catalogue=catalogue, reference=reference)
        self._home.join()
        live = start()
        self._live = start() if self._home.cut() else live  # the journal was ahead of the store of this reader
        return self._live

    def _looking_again(self, read: Callable[[], Result]) -> Result:
        """What is read of the store's files; read again where a writer of another process replaced them meanwhile."""
        while True:
            try:
                return read()
            except StoreError:
                if not self._home.has_moved:
                    raise
            self._home.look_again()

    def transaction(self, headers: Mapping[str, str] | None = None, *, timeout: float | None = None) -> Transaction:
        """A transaction: `with graph.transaction() as tx`, which is one commit at the end of the block.

        `headers` are kept with the commit; those of the last commit of each `stream` are in `streams`. The graph is
        this thread's until the transaction ends: others wait, `timeout` seconds at most if they say so. Inside the
        block queries, `match`, `explain` and all else that reads see the last commit, without the edits. Raises
        GraphBusyError after `timeout`, StoreError where this thread has a transaction open already, or the store was
        opened for reading.
        """
        check_headers(headers or {})
        return self._begin(True, headers or {}, timeout)

    def check_writable(self) -> None:
        """Raise StoreError where nothing can be committed: the graph is closed, or was opened for reading only."""
        self._home.check_writable()

    def what_if(self, *, timeout: float | None = None) -> Transaction:
        """A transaction whose delta is looked at, and that changes nothing; it waits as others do."""
        return self._begin(False, {}, timeout)

    def _begin(self, is_kept: bool, headers: Mapping[str, str], timeout: float | None) -> Transaction:
        from kgreason.graph.transaction import Ends, Transaction

        check_wait("timeout", timeout)
        depth = self._lock.acquire(timeout)
        try:
            depth = min(depth, self._check_none_open())
            if is_kept:
                self.check_writable()
            live = self._engine()
            keep = partial(live.commit, headers=headers) if is_kept else live.try_out
            begun = Transaction(live.materializer, Ends(keep, live.forget, self._ended))
            self._open, self._depth = weakref.ref(begun), depth
            self._drop = partial(live.forget, len(live.materializer.dictionary))
        except BaseException:
            self._lock.surely_release(depth)
            raise
        return begun

    def _check_none_open(self) -> int:
        """Raises StoreError where this thread has a transaction open; one that nobody can end any more goes.

        That is one that a dead thread has left, or one that was never ended and that no variable holds. How often this
        thread had the lock, as far as the latter tells.
        """
        open_ = self._open() if self._open is not None else None
        if open_ is not None and not open_.is_left:
            raise StoreError(
                "this thread has a transaction open already (in another task, perhaps):"
                " leave its `with` block, or call `end(False)` on it"
            )
        before = self._depth if self._open is not None and open_ is None else sys.maxsize
        self._forget("the thread that began the transaction has ended, and the transaction with it")
        return before

    def _forget(self, why: str) -> None:
        """End the transaction that is open, if any, in place of its thread; the lock stays with this thread."""
        if self._open is None:
            return
        if (transaction := self._open()) is not None:
            self._depth = self._lock.depth
            transaction.abandon(why)
        else:
            self._open = None
            self._drop()

    def _ended(self) -> None:
        depth = self._depth  # a subscriber may edit the graph, in a transaction of its own
        try:
            self._open = None
            self._publish()
        finally:
            self._lock.surely_release(depth)

    def _publish(self) -> None:
        """Tell the subscribers of the commits that they have not heard of, and keep the journal short."""
        live = self._live
        if live is None or not live.unheard or self._subscribers.is_held:
            return
        if self._home.is_checkpoint_due:
            with suppress(StoreError):  # the commits stand, and closing the graph tries once more
                live.checkpoint()
        self._subscribers.tell(live.unheard)

    @locked
    def subscribe(self, callback: Callable[[Delta], object]) -> Callable[[], None]:
        """Have every delta from now on, once its commit stands; call what is returned to have no more.

        What a callback raises reaches whoever made the commit, which stands, once all have been told of it. It may edit
        the graph: deltas come in the order of their commits. It is called in the thread that made the commit, which has
        the graph's lock: it must not wait for another thread that uses the graph.
        """
        return self._subscribers.add(callback)

    def add(self, *items: Item, prefixes: Mapping[str, str] | None = None, timeout: float | None = None) -> Delta:
        """Assert rows of terms, or Turtle and TriG text, as one commit; its delta.

        An item is a tuple of three or four terms, as `match` takes them; a triple, quad or solution of pyoxigraph; or
        text, which may use the `prefixes`. `timeout` is how many seconds to wait for another thread. Raises
        RdfSyntaxError, InputError, and what a transaction raises.

        >>> with KnowledgeGraph.open() as graph:
        ...     delta = graph.add(("ex:tom", "a", "ex:Cat"), ("ex:tom", "ex:age", 7), prefixes={"ex": "http://e/"})
        ...     ("http://e/tom", "http://e/age", 7) in graph, len(graph)
        (True, 2)
        """
        return self._edited(lambda tx: tx.add(*items, prefixes=prefixes), timeout)

    def remove(self, *items: Item, prefixes: Mapping[str, str] | None = None, timeout: float | None = None) -> Delta:
        """Retract what `add` asserts, as one commit; its delta. What still follows stays, as inferred."""
        return self._edited(lambda tx: tx.remove(*items, prefixes=prefixes), timeout)

    def _edited(self, collect: Callable[[Transaction], object], timeout: float | None) -> Delta:
        with self.transaction(timeout=timeout) as tx:
            collect(tx)
        return tx.delta

    def load(
        self,
        *paths: File,
        syntax: str | None = None,
        progress: Progress = SILENT,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Assert what RDF files hold and bring the graph up to date; the statistics after it, and what this took.

        `-` is standard input; `syntax` names the format where the suffix does not. `timeout` is how many seconds to
        wait for another thread. Raises InputError, RdfSyntaxError (file and line), RuleError, LimitError, StoreError;
        then, and on Ctrl-C, nothing has changed.
        """
        check_paths("load", paths)
        return self._files(lambda tx: tx.load(*paths, syntax=syntax, progress=progress), progress, timeout)

    def start_from(
        self, evaluate: Callable[[Materializer], tuple[Int32, Evaluated]], progress: Progress = SILENT
    ) -> dict[str, Any]:
        """Load what was evaluated elsewhere into a graph that is empty; see `Transaction.start_from`."""
        return self._files(lambda tx: tx.start_from(evaluate), progress)

    def unload(
        self,
        *paths: File,
        syntax: str | None = None,
        progress: Progress = SILENT,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Retract what RDF files hold, and all that followed from it alone; the statistics after it."""
        check_paths("unload", paths)
        return self._files(lambda tx: tx.unload(*paths, syntax=syntax, progress=progress), progress, timeout)

    def _files(
        self, collect: Callable[[Transaction], object], progress: Progress, timeout: float | None = None
    ) -> dict[str, Any]:
        begun = time.perf_counter()
        check_wait("timeout", timeout)
        with self._lock.within(timeout):
            tx = self.transaction()
            try:
                collect(tx)
            except BaseException:
                tx.end(False)
                raise
            tx.end(True, progress)
            stats = self.stats() | tx.delta.work._asdict()
        return stats | {"missed": tx.delta.missed, "seconds": round(time.perf_counter() - begun, 3)}

    def update(
        self,
        sparql: str,
        source: str = "<update>",
        *,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        timeout: float | None = None,
    ) -> Updated:
        """Carry out a SPARQL 1.1 Update request as one commit: all of its operations, or nothing.

        WHERE sees the materialized graph, and what the operations before it did; DELETE takes asserted quads. A literal
        is what Oxigraph shows, here as in `query`: what WHERE finds and INSERT writes is in normal form, and DELETE
        takes every asserted form of it. `prefixes` and `base` are those that the request need not declare. `timeout` is
        how many seconds to wait for another thread. Raises QueryError before anything has happened, and what a
        transaction raises; then nothing has changed.
        """
        from kgreason.sparql.parser import parse

        check_text("update", "a SPARQL Update", sparql)
        if not sparql.strip():
            raise QueryError(f"{source}: the update is empty")
        known = checked(prefixes)
        operations = parse(sparql, source, known, base)  # ahead of the engine: an error of syntax does not wait for it
        from kgreason.graph.sparql_update.update import update

        check_wait("timeout", timeout)
        with self._lock.within(timeout):
            transaction = self.transaction()
            return update(self._engine(), self._home, transaction, operations)

    def query(
        self,
        sparql: str,
        *,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        default_graph: UserTerm | None = None,
        timeout: float | None = None,
    ) -> Found:
        """The results of a SPARQL query over the materialized graph: `Solutions`, `Triples`, or a boolean.

        `prefixes` and `base` are those that the query need not declare. `default_graph` names a graph that is asked in
        the place of the default graph, by a term as `match` takes it. A query sees the last commit, in a transaction as
        well. The variables of SELECT * are in the order in which the query names them. SERVICE asks the network. Raises
        QueryError, InputError.

        All rows are fetched within `timeout` seconds, or QueryTimeoutError is raised, here or while rows are fetched.
        Ctrl-C ends the call, and the fetching of rows, at once. Oxigraph itself cannot be stopped. So a query with a
        timeout over a store on disk is evaluated in a process of its own, which takes 50 milliseconds more and is
        killed at the timeout, at Ctrl-C and when the results are dropped; `timeout=math.inf` is a timeout as well. Any
        other query is evaluated in this process: where it is given up, a thread in the background goes on until
        Oxigraph has its next row, keeps the store open so long, and does not keep Python from ending.
        """
        check_text("query", "a SPARQL query", sparql)
        check_seconds("timeout", timeout)
        known = checked(prefixes)
        name = None if default_graph is None else graph_name(default_graph, known)
        text = with_columns(sparql, known, base)
        try:
            return found(self._home.store.query(text, prefixes=known, base=base, default_graph=name, timeout=timeout))
        except QueryError as error:
            if isinstance(error.__cause__, SyntaxError):
                raise unparsed(sparql, known, error.__cause__.msg) from error.__cause__
            raise

    def select(self, sparql: str, **options: Unpack[QueryOptions]) -> Solutions:
        """The solutions of a SELECT query; `options` are those of `query`. Raises QueryError for another query, too."""
        check_text("select", "a SELECT query", sparql)
        return of_form(self.query(sparql, **options), Solutions)

    def ask(self, sparql: str, **options: Unpack[QueryOptions]) -> bool:
        """The answer of an ASK query; `options` are those of `query`. Raises QueryError for another query, too."""
        check_text("ask", "an ASK query", sparql)
        return bool(of_form(self.query(sparql, **options), QueryBoolean))

    def construct(self, sparql: str, **options: Unpack[QueryOptions]) -> Triples:
        """The triples of a CONSTRUCT or DESCRIBE query; `options` are those of `query`.

        Raises QueryError for another query, too.
        """
        check_text("construct", "a CONSTRUCT or DESCRIBE query", sparql)
        return of_form(self.query(sparql, **options), Triples)

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
        """The quads of one moment that match, term by term; None stands for anything, DefaultGraph() for the closure.

        A term is an IRI ("http://e/a"), a name with one of the `prefixes` ("ex:a"), text in N-Triples syntax, a term of
        pyoxigraph or rdflib, or for the object a Python value (5, True, a date). Where `asserted` is asked, those that
        can be retracted: not what imported documents alone say. Unlike those of `query`, literals have the forms in
        which they were written. Raises InputError for text that is no term, or none that can stand there.
        """
        from kgreason.graph.match import match, pattern

        terms = pattern(subject, predicate, object_, graph, prefixes=checked(prefixes))
        return Matches(match(self._home.store, self._held, terms, asserted=asserted))

    def turn(self, timeout: float | None = None) -> AbstractContextManager[None]:
        """The graph for one thread: `with graph.turn()`, in which other threads neither edit it nor ask its engine.

        What is asked and then edited in the block is of one state, but for queries, which never wait. Raises
        GraphBusyError after `timeout` seconds.
        """
        check_wait("timeout", timeout)
        return self._lock.within(timeout)

    @contextmanager
    def _held(self) -> Iterator[LiveGraph]:
        """The engine's side of the graph, which no other thread changes meanwhile."""
        with self._lock.within():
            yield self._engine()

    def __contains__(self, item: Item) -> bool:
        """Whether the graph has a triple, or a named graph a quad: a row of terms, or one triple as Turtle text.

        A literal may be in the form that queries show, as for `explain`. Raises InputError.
        """
        from kgreason.graph.input.quads import quad_of
        from kgreason.graph.match import pattern

        return any(self._home.store.match(*pattern(*quad_of(item))))

    def __iter__(self) -> Iterator[Triple]:
        """The triples of the default graph, which is the closure, as of the moment when this is called."""
        return (quad.triple for quad in self.match(graph=DefaultGraph()))

    def __len__(self) -> int:
        """The number of triples of the default graph, which is the closure. Cost: the facts, once for each commit."""
        return int(self.stats()["facts"])

    def __bool__(self) -> bool:
        """True, for an empty graph as well: `if graph` asks whether there is a graph."""
        return True

    def __repr__(self) -> str:
        """Where the graph is, its last commit and its rules: nothing that would have to be computed."""
        home = self._home
        place = f"store {str(home.path)!r}" if home.path is not None else "in memory"
        state = "closed" if home.is_closed else f"commit {home.last}"
        return f"<KnowledgeGraph {place}, {state}, rules {' '.join(home.manifest.rules)}>"

    def _repr_html_(self) -> str | None:
        """The counts of the graph, for notebooks; None for a graph that is closed."""
        if self._home.is_closed:
            return None
        counts = {name: count for name, count in self.stats().items() if name in COUNTS}
        return notebook.table(repr(self), ("", "number"), counts.items())

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            "a KnowledgeGraph can be neither copied nor pickled, since its store is open: for a copy load what"
            " `dump(asserted=True)` gives into another graph, in another process open the store"
        )

    @locked
    def explain(self, triple: Item, *, prefixes: Mapping[str, str] | None = None) -> Proof:
        """A proof of a triple of the graph: a row of three terms, as `match` takes them, or Turtle text.

        Its literal may be in the form that queries show. Raises QueryError where the graph does not have it, InputError
        for what is no triple.
        """
        from kgreason.proofs.search import prove

        return prove(*self._explained(triple, prefixes))

    @locked
    def explain_all(self, triple: Item, *, prefixes: Mapping[str, str] | None = None) -> list[Proof]:
        """A proof for each derivation of a triple; none for one that is asserted and follows from nothing.

        Of terms that owl:sameAs makes one, derivations are kept for representatives alone.
        """
        from kgreason.proofs.search import derivations

        return derivations(*self._explained(triple, prefixes))

    def _explained(self, triple: Item, prefixes: Mapping[str, str] | None) -> tuple[Atom, Facts]:
        from kgreason.graph.input.quads import triple_of

        terms = triple_of(triple, checked(prefixes))
        self.check_known(terms)
        from kgreason.proofs.same_as import facts_of
        from kgreason.rules.model import Atom

        live = self._engine()
        fact = live.as_written(terms)
        if fact is None:
            raise _unknown(terms)
        return Atom(None, fact), facts_of(live.materializer)

    @locked
    def check_known(self, triple: Item) -> None:
        """Raise QueryError for a triple that the graph does not have, if that can be told without the engine.

        While the engine does not run, the store is asked, where it is known to have the last commit. It knows no
        generalised triples; those are let through.
        """
        from kgreason.graph.input.quads import triple_of
        from kgreason.graph.input.terms import term_of

        self._check_open()
        if self._live is not None or self._home.is_behind:
            return
        terms = triple_of(triple)
        subject, predicate, object_ = map(term_of, terms)
        if isinstance(subject, (NamedNode, BlankNode)) and isinstance(predicate, NamedNode):
            found = self._home.store.match(subject, predicate, object_, DefaultGraph())
            if next(found, None) is None:
                raise _unknown(terms)

    @locked
    def prove_contradictions(self) -> list[Proof]:
        """A proof of each contradiction."""
        from kgreason.proofs.contradiction_proofs import prove_contradictions

        return prove_contradictions(self._engine().materializer)

    @locked
    def stats(self) -> dict[str, Any]:
        """Counts of facts, terms, rules and contradictions, and how the last commit was evaluated."""
        self._check_open()
        if (live := self._told_by()) is not None and self._home.last:
            return live.stats()
        return dict(self._home.manifest.stats) or dict.fromkeys(COUNTS, 0)

    @property
    @locked
    def warnings(self) -> list[str]:
        """What the ontology says that no rule could be made of, and the imports without a document; one line each."""
        return live.warnings if (live := self._told_by()) else list(self._home.manifest.warnings)

    @locked
    def streams(self) -> dict[str, dict[str, str]]:
        """For each stream whose commits this graph has, the headers of the last one."""
        return dict(live.streams if (live := self._told_by()) else self._home.manifest.streams)

    def _told_by(self) -> LiveGraph | None:
        """The engine's side of the graph where it runs, or where the manifest is older than the last commit."""
        self._home.join()
        is_old = self._home.last and self._home.is_behind and not self._home.is_writable
        return self._engine() if is_old else self._live

    @locked
    def rules(self) -> list[dict[str, str]]:
        """The rules in force: name, rule text, and why each of them runs."""
        return self._looking_again(self._read_rules)

    def _read_rules(self) -> list[dict[str, str]]:
        if live := self._current():
            return snapshot.described(live.materializer.rules)
        return snapshot.read_rules(self._home.snapshot) if self._home.snapshot else []

    @locked
    def own_rules(self) -> tuple[Rule, ...]:
        """The rules that the user added, of rule files too, as of the last commit; the engine is not needed."""
        from kgreason.graph.user_rules import own_rules

        self._check_open()
        if self._live is not None:
            return self._live.materializer.own
        return self._looking_again(lambda: own_rules(self._home.manifest, self._home.snapshot, self._home.pending()))

    @locked
    def contradictions(self) -> list[Contradiction]:
        """Every contradiction that rules derive, once for one mistake.

        Each has the name of the `rule`, the `terms` it is about, the `facts` that cannot all hold and the `axioms` that
        say so; `str` of it is one line for a person, `to_text(prefixes)` the same with IRIs shortened. Of terms that
        owl:sameAs makes one, the representative is named.
        """
        return self._looking_again(self._read_contradictions)

    def _read_contradictions(self) -> list[Contradiction]:
        state = self._state()
        return contradictions(*state, self._false_rules()) if state else []

    def _false_rules(self) -> FalseRules:
        """The rules that derive `false`, as of `_state`."""
        if live := self._current():
            return live.materializer.false_rules
        return partial(snapshot.false_rules, self._home.snapshot)

    def dump(self, *, asserted: bool | None = None, graphs: bool = False) -> Iterator[bytes]:
        """The graph as N-Triples lines, in chunks: the closure, or its asserted or inferred triples alone.

        With `graphs` as N-Quads: the asserted quads of named graphs stand beside the triples of the default graph.
        Literals keep the form they were written in. What is dumped is the graph as it is when this is called.
        """
        state = self._state()
        if state is None:
            return iter(())
        saved, dictionary = state
        tables = saved.graphs(dictionary, asserted) if graphs else [saved.triples(asserted=asserted)]
        return chain.from_iterable(chunks(dictionary, rows[is_rdf(dictionary, *rows.T[:3])]) for rows in tables)

    @locked
    def _state(self) -> tuple[Saved, Dictionary] | None:
        """The state of the graph, from the engine where it runs or must, else from the snapshot; None for no state."""
        return self._looking_again(self._read_state)

    def _read_state(self) -> tuple[Saved, Dictionary] | None:
        if live := self._current():
            return live.materializer.save(), live.materializer.dictionary
        path = self._home.snapshot
        return (snapshot.read_state(path), snapshot.read_dictionary(path)) if path else None

    def _check_open(self) -> None:
        if self._home.is_closed:
            raise StoreError("the graph is closed")

    def _current(self) -> LiveGraph | None:
        """The engine's side of the graph where it runs, or must, as there are commits since the snapshot."""
        self._check_open()
        self._home.join()
        return self._engine() if self._live is not None or self._home.is_ahead else None


def _unknown(triple: tuple[str, str, str]) -> QueryError:
    return QueryError(f"{' '.join(triple)}: the graph does not have this triple")


def opened(catalogue: Documents | None) -> Catalogue | None:
    """A catalogue that may be given by its path, or as files by IRI. Raises InputError."""
    if isinstance(catalogue, Mapping):
        return Catalogue.of(catalogue)
    return catalogue if catalogue is None or isinstance(catalogue, Catalogue) else Catalogue.open(catalogue)


def _manifest(
    rules: Sequence[File] | None, schema: SchemaMode | None, same_as: SameAsMode | None, aliases: int | None
) -> Manifest:
    """What a new store would be made with. Raises InputError, RuleError."""
    names = [str(fspath(name)) for name in (DEFAULT_RULES if rules is None else rules or NO_RULES)]
    check_names(names)
    schema, same_as = "axioms" if schema is None else schema, "aliases" if same_as is None else same_as
    check_choice("schema", schema, SchemaMode)
    check_choice("same_as", same_as, SameAsMode)
    aliases = ALIASES if aliases is None else aliases
    check_count("aliases", aliases, 0)
    return Manifest(names, schema, same_as, aliases)


def _check_rules(wanted: Manifest) -> None:
    """Raises RuleError, InputError for rules that cannot be used, ahead of the first commit."""
    from kgreason.materialize.selection import select

    select(wanted.rules, wanted.schema, wanted.same_as, wanted.aliases)


def _check_same(folder: Folder, **options: object) -> None:
    """Refuse other options than a store was made with."""
    made = folder.manifest
    if made is None or not made.commit:
        return
    for option, wanted in options.items():
        kept = getattr(made, option)
        if wanted is not None and wanted != kept:
            text = " ".join(kept) if isinstance(kept, list) else kept
            raise StoreError(f"{folder.path}: the store was made with {option} {text}, which cannot be changed")
