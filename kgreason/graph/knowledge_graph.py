"""`KnowledgeGraph`: a graph that is kept materialized, in memory or in a store on disk.

    load, transaction, update -> engine -> journal -> store -> subscribers;   query -> store

Invariants: the store's default graph holds the closure of the union of all graphs. Each named graph holds its own
asserted quads. An edit that fails or is interrupted leaves graph and store as they were.

Threads: any number of threads may use a graph. One lock (`lock`) protects everything that touches the engine, the
dictionary or the journal. A transaction has the lock from its beginning to its end, and other writers wait for it.
Queries never wait: each query reads the last commit as a whole.

Cost: on a store that was closed without an error, `query` and `stats` start neither the engine nor Numba. `dump` and
`rules` start neither while the journal is empty.
"""

from __future__ import annotations

import logging
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from os import PathLike, fspath
from os.path import abspath
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, TypedDict, TypeVar, Unpack, overload

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, QueryBoolean, Triple

from kgreason.errors import (
    HistoryError,
    InputError,
    InputTypeError,
    KgreasonError,
    QueryError,
    StoreError,
    StoreLockedError,
)
from kgreason.functions.registry import HOW_TO_PASS, Registry
from kgreason.graph.changes.loaded import Loaded
from kgreason.graph.changes.subscribers import Subscribers
from kgreason.graph.constructed.renamed import Renamed
from kgreason.graph.input.arguments import (
    check_asserted,
    check_paths,
    check_rules,
    check_single,
    check_text,
    check_texts,
)
from kgreason.graph.input.terms import UserTerm, checked, graph_name
from kgreason.graph.lock import GraphLock, check_wait, locked
from kgreason.graph.results import notebook
from kgreason.graph.results.answers import Found, Matches, Solutions, Triples, found, of_form
from kgreason.graph.statistics import COUNTS
from kgreason.interrupts import as_one, undivided
from kgreason.materialize.options import (
    DEFAULT_LIMITS,
    HistoryMode,
    Limits,
    OnContradiction,
    SameAsMode,
    SchemaMode,
    check_choice,
    check_count,
    check_history,
    check_names,
    check_seconds,
    checked_limits,
)
from kgreason.materialize.state import Saved
from kgreason.progress import SILENT, Progress
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.contradictions import FalseRules, contradictions
from kgreason.rdf.catalogue import Catalogue
from kgreason.rdf.lines.skipped import Skipped
from kgreason.rules.expressions import RESERVED
from kgreason.sparql.query.asking import answer
from kgreason.sparql.query.numeric import WARNING, computes, warn_caller, warning
from kgreason.store import snapshot
from kgreason.store.folder import FORMAT, Folder, Manifest, older, read_manifest
from kgreason.store.history.log import History, gone, history_path
from kgreason.store.journal.record import check_headers
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.reader import Reader
from kgreason.store.repository import Repository
from kgreason.store.rows import chunks, put_all
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.untagged import PROBLEM, untagged

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta
    from kgreason.graph.commits import LiveGraph
    from kgreason.graph.constructed.spellings import OfState
    from kgreason.graph.history.past import Past
    from kgreason.graph.history.revert import Reverted
    from kgreason.graph.input.quads import Item
    from kgreason.graph.match import Pattern
    from kgreason.graph.relation.relation import GraphRelation
    from kgreason.graph.sparql_update.update import Updated
    from kgreason.graph.standing.standing import RowChange, StandingQuery
    from kgreason.graph.transaction import Transaction
    from kgreason.materialize.materializer import Materializer
    from kgreason.materialize.precomputed import Evaluated
    from kgreason.materialize.relations.reading import RelationReader
    from kgreason.proofs.proof import Proof
    from kgreason.proofs.search import Facts
    from kgreason.proofs.why_not.answer import WhyNot
    from kgreason.rules.model import Atom, Relation, Rule, Triple
    from kgreason.sparql.operations import Operation
    from kgreason.store.history.entry import Head
    from kgreason.zset.columns import Int32

File = str | PathLike[str]
Strategy = Literal["auto", "update", "bootstrap"]
Documents = File | Catalogue | Mapping[str, File]
"""Where imported documents are: a catalogue, a path for `Catalogue.open`, or files by the IRIs that import them."""
Result = TypeVar("Result")
_LOGGER = logging.getLogger("kgreason")
_PATIENCE = 0.1
"""The seconds that a query waits for another thread that asks the engine or commits."""
MADE_WITH = ("rules", "schema", "same_as", "aliases", "on_contradiction")
"""The options of `KnowledgeGraph.open` that a store keeps."""
DEFAULT_RULES, NO_RULES = ("owl2rl",), ("none",)


class QueryOptions(TypedDict, total=False):
    """The options of `query`, `select`, `ask` and `construct`; `KnowledgeGraph.query` explains them."""

    prefixes: Mapping[str, str] | None
    base: str | None
    default_graph: UserTerm | None
    timeout: float | None


class KnowledgeGraph:
    """A materialized knowledge graph; `KnowledgeGraph.open` makes one.

    change      `add`, `remove`, `load`, `unload`, `update`, `transaction`, `relation`; `what_if` looks ahead
    ask         `query`, `select`, `ask`, `construct`, `match`, `relation`, `in`, `len`, iteration
    understand  `explain`, `explain_all`, `why_not`, `contradictions`, `rules`, `warnings`, `stats`
    follow      `subscribe`, `streams`, `dump`
    look back   `log`, `changes`, `as_of`, `revert`, `deltas_since`, if the graph keeps its `history`
    keep        `backup`, `close`

    Use a graph in a `with` block, or call `close` in the end.

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
        catalogue: Catalogue | None = None,
        registry: Registry | None = None,
        limits: Limits = DEFAULT_LIMITS,
        threads: int | None = None,
    ) -> None:
        if not isinstance(repository, Repository):
            raise InputTypeError(
                "KnowledgeGraph() cannot be called: use KnowledgeGraph.open(path) for a store, or KnowledgeGraph.open()"
                " for a graph in memory"
            )
        self._home = repository
        self._catalogue = catalogue
        self._find = catalogue.find if catalogue else None
        self._registry = Registry((), RESERVED) if registry is None else registry
        self._lacking: list[str] = []
        """One line for each Python function that rules of the store call and that is missing or has other types."""
        self._strategy: Strategy = strategy
        self._budget = budget
        self._limits, self._threads = limits, threads
        self._live: LiveGraph | None = None
        self._written: OfState | None = None
        self._open: weakref.ref[Transaction] | None = None
        self._subscribers = Subscribers()
        self._lock = GraphLock()
        self._depth = 0
        """How often the thread that began the open transaction had the lock before the transaction."""
        self._drop: Callable[[], object] = lambda: None
        """Forgets the terms that the open transaction has read."""
        self._bring_forward()
        self._catch_up()

    @classmethod
    @as_one
    def open(
        cls,
        path: File | None = None,
        *,
        rules: File | Sequence[File] | None = None,
        schema: SchemaMode | None = None,
        same_as: SameAsMode | None = None,
        aliases: int | None = None,
        on_contradiction: OnContradiction | None = None,
        strategy: Strategy = "auto",
        budget: int | None = None,
        most_made_terms: int | None = None,
        most_rounds: int | None = None,
        threads: int | None = None,
        catalogue: Documents | None = None,
        functions: Iterable[Callable[..., Any]] = (),
        history: HistoryMode | None = None,
        read_only: bool = False,
        wait: float | None = 0,
    ) -> Self:
        """Open a store on disk, or make a graph in memory.

        With a `path` the graph lives in the store at this path. If there is no store yet, `open` makes it, unless
        `read_only` is set. Without a path the graph lives in memory and ends with the process.

        A store keeps the options `rules`, `schema`, `same_as`, `aliases` and `on_contradiction` from its first opening
        on. Leave them out when you open the store again. While the store has no commit, another value replaces the
        option; after that, another value is an error.

        - `rules`: one name or a list of names. A name is a rule set (`rdfs`, `rhodf`, `owl2rl`, `none`) or the path of
          a rule file (`.dl`, `.srl`, `.rq`). The default is `owl2rl`.
        - `schema`: with "axioms" (the default) kgreason translates the axioms of the ontology to rules. With "data"
          generic rules read the axioms as facts.
        - `same_as`: how kgreason treats terms that owl:sameAs makes equal (a clique). With "aliases" (the default) each
          term appears in the triples of all the others. With "representatives" one term of each clique, its
          representative, appears in place of the others. With "rules" the plain rules of the W3C run; their cost is the
          cube of the size of a clique.
        - `aliases`: a budget for `same_as="aliases"`. A clique that would show more than this many rows shows its
          representative only.
        - `on_contradiction`: with "keep" (the default) a contradiction stops nothing. With "refuse" a commit with a new
          contradiction is rolled back, and raises ContradictionError, which names the contradiction. A contradiction
          that the graph has already stops no later commit. A `what_if` is never refused: its delta has the new
          contradictions.

        The representative is the term whose text comes first in order, IRIs before blank nodes and literals. If two
        cliques become one, kgreason chooses between their representatives. If rules name members of a clique, kgreason
        chooses among these members. The choice depends on the commits only. So the representatives are the same when
        the store is opened again, and for each follower of the store.

        - `history`: with "all" the graph keeps what every commit changed, for `log`, `changes`, `as_of` and `revert`. A
          number keeps at least so many of the last commits, and "90d" at least those of the last 90 days. Old commits
          are removed while new ones are made. With "none" (the default) the graph keeps no history. A store remembers
          this option. If you pass another value for a store without a history, its history begins with the next commit.

        The other options hold until the graph is closed.

        - `strategy`: how commits are evaluated. "update" computes only what a commit changes, "bootstrap" computes the
          closure again, and "auto" (the default) takes the cheaper of the two.
        - `budget`: how many rewrites one commit may extend. A commit that needs more raises LimitError.
        - `most_made_terms`: how many new terms a recursion through BIND may make in one commit; the default is 10^6.
          Most recursions that make more terms never end. A commit that makes more terms is rolled back, and raises
          LimitError, which names the rule.
        - `most_rounds`: how many rounds a recursion through BIND, MIN or MAX may take in one commit; the default is
          10,000. A commit that needs more raises LimitError.
        - `threads`: how many threads may share work that can be divided: large commits, and reading N-Triples and
          N-Quads. By default KGREASON_THREADS says the number, and without this environment variable it is the number
          of CPUs that the process may use. The results are the same for any number. More than 256 count as 256.
        - `catalogue`: the documents that owl:imports names. Pass a `Catalogue`, a path for `Catalogue.open` (a folder,
          an XML catalog or a map), or a dict of files by IRI. Without a catalogue no imported document is read.
        - `functions`: Python functions that rules may call; see `function`. If the store has rules whose functions are
          missing, or have other types than before, it is opened for reading only, and `warnings` names them.
        - `read_only`: open the store for reading. Any number of readers may use a store while one writer changes it. A
          reader sees the commit that is the last one when the reader is first asked. To see later commits, open the
          store again, or follow the writer with `kgreason watch`.
        - `wait`: how many seconds to wait until another writer has closed the store; None waits without a limit.

        If a `with` block makes a store and ends in an error before the first commit, the store is removed.

        Raises StoreLockedError if another writer has the store open, StoreVersionError for a store that this version
        of kgreason cannot read, StoreError if there is no store to read or it was made with other options, RuleError
        for rules that cannot be used, and InputError for an unknown option or an unreadable file.
        """
        check_paths("open", () if path is None else (path,))
        check_rules(rules)
        rules = [rules] if isinstance(rules, (str, PathLike)) else rules
        made_with = {"rules": rules, "schema": schema, "same_as": same_as, "aliases": aliases}
        told = _given(made_with | {"on_contradiction": on_contradiction, "history": history})
        check_choice("strategy", strategy, Strategy)
        if budget is not None:
            check_count("budget", budget, 1)
        if threads is not None:
            check_count("threads", threads, 1)
        limits = checked_limits(rounds=most_rounds, made_terms=most_made_terms)
        check_wait("wait", wait)
        known, registry = opened(catalogue), Registry(functions, RESERVED)
        wanted = _manifest(None if path is None else read_manifest(Path(path)), told)
        if wanted.rules != [*DEFAULT_RULES] and not (wanted.commit or read_only):
            _check_rules(wanted, registry, known)
        if path is None:
            return cls(Repository(None, wanted), strategy, budget, known, registry, limits, threads)
        told |= {"rules": _absolute(told["rules"])} if "rules" in told else {}
        folder = Folder(Path(path), write=not read_only, wait=wait)
        if read_only and (folder.is_behind or folder.is_older):
            folder.close()
            cls._write_once(Path(path), known, folder.manifest, registry)
            folder = Folder(Path(path), write=False)
        try:
            lacking = registry.problems(_kept_functions(folder))
            if lacking and not read_only:
                folder = _for_reading(folder, lacking)
            if folder.manifest is not None and folder.manifest.commit:
                made = {name: getattr(folder.manifest, name) for name in MADE_WITH}
                check_made(folder.path, made, {name: told.get(name) for name in MADE_WITH})
            if history is not None and not (read_only or lacking):
                _set_history(folder, history)
            is_read, wanted = read_only or lacking, _manifest(folder.manifest, told)
            home = Reader(folder, wanted, _why(path, lacking)) if is_read else Repository(folder, wanted)
            graph = cls(home, strategy, budget, catalogue=known, registry=registry, limits=limits, threads=threads)
            graph._lacking = lacking
            graph._check_kept(folder.path, told.get("rules", ()))
            return graph
        except BaseException:
            folder.close(is_failed=True)
            raise

    def _check_kept(self, path: Path, asked: Sequence[str]) -> None:
        """Raise StoreError if the rules of a rule file in `asked` were removed from the store.

        `asked` is the option `rules`; its rule sets are not checked. `path` names the store in the message.

        Cost: parsing the user's rules, if there is a rule file.
        """
        from kgreason.graph.user_rules import files_of, how_to_add, is_kept

        if not self._home.last or not (files := files_of(asked)):
            return
        own = self.own_rules()
        if gone := [file for file in files if not is_kept(file, own, self._find)]:
            raise StoreError(
                f"{path}: the rules of {' and '.join(gone)} were removed from the store; leave rules= out"
                f"{how_to_add(gone)}"
            )

    @classmethod
    def _write_once(
        cls, path: Path, catalogue: Catalogue | None, manifest: Manifest | None, registry: Registry
    ) -> None:
        """Open a store for writing, and close it again. This brings the store up to date for readers.

        `manifest` is the store's manifest, None if it has none. `registry` has the Python functions that rules may
        call.
        """
        try:
            cls.open(path, catalogue=catalogue, functions=registry.calls).close()
        except (StoreError, OSError) as error:
            if manifest is not None and manifest.is_older:
                raise older(path, manifest.format, error) from error
            if not isinstance(error, StoreLockedError):  # a writer has the lock, and has brought the store up to date
                raise

    def _bring_forward(self) -> None:
        """If the store has an older format, write it again in the present format, from its asserted facts."""
        if self._home.is_on_disk and self._home.is_writable and self._home.manifest.is_older:
            live = self._engine()
            self._home.bring_forward(live.manifest(), live.write, live.fill)

    def _catch_up(self) -> None:
        """Load the last commit into the files of Oxigraph, if a process was killed before it could do that."""
        if self._home.is_writable and self._home.is_behind:
            if self._home.is_ahead:
                self._engine()
            self._home.refill(self._fill, self._manifest)
            self._settle()

    def _manifest(self) -> Manifest:
        """Return the manifest that describes the store after the last commit."""
        return self._live.manifest() if self._live else self._home.manifest

    def _fill(self, store: OxigraphStore) -> None:
        """Load the state of the last commit into an empty Oxigraph store."""
        if state := self._state():
            put_all(store, *state)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._close(is_failed=kind is not None)

    def close(self) -> None:
        """Close the store. All commits stay. If this thread has a transaction open, its edits are dropped.

        If another thread has a transaction open, `close` waits until it ends.
        """
        self._close(is_failed=False)

    @locked
    def _close(self, *, is_failed: bool) -> None:
        try:
            self._forget("the graph was closed while the transaction was open; its edits were dropped")
            self._settle()
        finally:
            self._live = None
            self._home.close(is_failed=is_failed)
            self._lock.surely_release(0)  # an open transaction had the lock as well

    def _settle(self) -> None:
        """Load the last commit into Oxigraph's files, and write the manifest. Make a checkpoint if one is due."""
        if self._live is not None and self._home.is_on_disk and self._home.is_writable and self._home.last:
            if self._home.is_checkpoint_due or self._live.is_calling:
                self._live.checkpoint()
            self._home.settle(self._live.manifest())

    def _engine(self) -> LiveGraph:
        """Return the graph with its engine. The first call restores the engine from the store."""
        self._check_open()
        return self._live or self._looking_again(self._started)

    def _started(self) -> LiveGraph:
        from kgreason.graph.commits import LiveGraph

        means: dict[str, Any] = {"catalogue": self._catalogue, "registry": self._registry}
        means |= {"limits": self._limits, "threads": self._threads}
        start = partial(LiveGraph, self._home, self._strategy, self._budget, **means)
        self._home.join()
        live = start()
        self._live = start() if self._home.cut() else live  # the journal was ahead of the store of this reader
        return self._live

    def _looking_again(self, read: Callable[[], Result]) -> Result:
        """Call `read`, which reads the store's files, and return its result.

        If `read` fails because a writer has replaced files meanwhile, look at the store again and repeat the call.
        """
        while True:
            try:
                return read()
            except StoreError:
                if not self._home.has_moved:
                    raise
            self._home.look_again()

    def transaction(self, headers: Mapping[str, str] | None = None, *, timeout: float | None = None) -> Transaction:
        """Begin a transaction: `with graph.transaction() as tx` makes the edits of the block one commit.

        Until the transaction ends, other threads that edit the graph or ask its engine wait. If another thread has the
        graph now, this call waits at most `timeout` seconds, and without a limit if `timeout` is None. Reads inside the
        block, such as queries, `match` and `explain`, see the last commit without the edits of the block.

        `headers` are names and texts that are stored with the commit. A header named `stream` says which stream the
        commit belongs to; `streams` gives the headers of the last commit of each stream.

        Raises GraphBusyError after `timeout`, and StoreError if this thread has a transaction open already or the store
        was opened for reading only.
        """
        if headers is not None:
            check_texts("headers", headers)
            check_headers(headers)
        return self._begin(True, headers or {}, timeout)

    @overload
    def function(self, call: Callable[..., Result]) -> Callable[..., Result]: ...
    @overload
    def function(self, *, batch: bool = False) -> Callable[[Callable[..., Result]], Callable[..., Result]]: ...
    def function(self, call: Callable[..., Any] | None = None, *, batch: bool = False) -> Any:
        """A decorator: let rules call a Python function by its name.

        The annotations of the function say which values it takes and gives: str, int, float, Decimal, bool, datetime,
        date, and the terms of pyoxigraph (NamedNode, BlankNode, Literal, Triple). A function that returns None gives no
        result. A function that returns a list gives each item as a result. The function is not called for terms that
        do not fit its types; for such terms there is no result.

        The function must be pure: it is called once for each input, and its results are kept. With `batch` it takes and
        gives whole columns, as NumPy or Arrow arrays.

        Raises InputTypeError for annotations that rules cannot use, and InputError for a name that is taken.

        >>> with KnowledgeGraph.open(rules=["none"]) as graph:
        ...     @graph.function
        ...     def area(w: int, h: int) -> int:
        ...         return w * h
        ...     with graph.transaction() as tx:
        ...         _ = tx.add_rules("[?x, <e:area>, ?a] :- [?x, <e:side>, ?w], BIND(area(?w, ?w) AS ?a) .")
        ...         _ = tx.add("<e:x> <e:side> 8 .")
        ...     [found] = graph.match("<e:x>", "<e:area>", None)
        >>> str(found.object.value)
        '64'
        """
        register = partial(self._register, batch=batch)
        return register if call is None else register(call)

    @property
    def options(self) -> dict[str, Any]:
        """The options that the graph was made with: rules, schema, same_as, aliases, on_contradiction."""
        return {name: getattr(self._home.manifest, name) for name in MADE_WITH}

    @property
    def commit(self) -> int:
        """The number of the last commit; 0 if there is none."""
        return self._home.last

    @locked
    def _register(self, call: Callable[..., Any], *, batch: bool) -> Callable[..., Any]:
        self._registry.register(call, batch=batch)
        return call

    def check_writable(self) -> None:
        """Raise StoreError if the graph takes no commit: it is closed, or was opened for reading only."""
        self._home.check_writable()

    def what_if(self, *, reasons: int = 0, timeout: float | None = None) -> Transaction:
        """Begin a transaction that computes a delta and changes nothing; see `transaction` for `timeout` and errors.

        The graph may be open for reading only.

        >>> with KnowledgeGraph.open() as graph:
        ...     with graph.what_if() as tx:
        ...         _ = tx.add("<http://e/tom> a <http://e/Cat> .")
        ...     ("<http://e/tom>", "a", "<http://e/Cat>") in graph, len(tx.delta.appeared(asserted=True))
        (False, 1)

        `tx.delta.contradictions` are the new contradictions that the edits would raise. `tx.delta.ended` are the
        contradictions of the graph that the edits would end. `tx.delta.reasons` says which rule and axioms derive an
        inferred triple: for at most `reasons` triples that would appear, and for as many that would disappear.
        """
        check_count("reasons", reasons, 0)
        return self._begin(False, {}, timeout, reasons)

    def _begin(self, is_kept: bool, headers: Mapping[str, str], timeout: float | None, reasons: int = 0) -> Transaction:
        begun: Transaction | None = None
        try:
            with undivided():
                begun = self._begun(is_kept, headers, timeout, reasons)
        except BaseException:
            if begun is not None:  # Ctrl-C was noted meanwhile, and nobody gets the transaction
                begun.end(False)
            raise
        return begun

    def _begun(self, is_kept: bool, headers: Mapping[str, str], timeout: float | None, reasons: int) -> Transaction:
        from kgreason.graph.transaction import Ends, Transaction

        depth = self._lock.acquire(timeout)
        try:
            if self._open is not None:
                depth = min(depth, self._check_none_open())
            if is_kept:
                self._home.check_writable()
            live = self._live or self._engine()
            dictionary = live.materializer.dictionary
            known = len(dictionary)
            keep = partial(live.commit, headers=headers) if is_kept else partial(live.try_out, reasons=reasons)
            begun = Transaction(live.materializer, known, Ends(keep, dictionary.truncate, self._ended), self._find)
            self._open, self._depth = weakref.ref(begun), depth
            self._drop = partial(dictionary.truncate, known)
        except BaseException:
            self._lock.surely_release(depth)
            raise
        return begun

    def _check_none_open(self) -> int:
        """Raise StoreError if this thread has a transaction open. Drop a transaction that nobody can end any more.

        Nobody can end a transaction if its thread has ended, or if no variable holds the transaction.

        If no variable held the dropped transaction, returns how many times its thread had the lock before it began.
        Otherwise returns `sys.maxsize`.
        """
        open_ = self._open() if self._open is not None else None
        if open_ is not None and not open_.is_left:
            raise StoreError(
                "this thread has a transaction open already (perhaps in another task): add the edits to that"
                " transaction (tx.add(...)), or end it first: leave its `with` block, which commits its edits, or call"
                " `end(True)` on it to commit them, or `end(False)` to drop them"
            )
        before = self._depth if self._open is not None and open_ is None else sys.maxsize
        self._forget("the thread that began the transaction has ended; the edits were dropped")
        return before

    def _forget(self, why: str) -> None:
        """Drop the open transaction, whichever thread began it. The calling thread keeps the lock.

        Later calls of the transaction raise StoreError with the message `why`.
        """
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
        """Tell the subscribers each commit that they have not heard of. Make a checkpoint if one is due."""
        live = self._live
        if live is None or not live.unheard or self._subscribers.is_held:
            return
        if self._home.is_checkpoint_due:
            with suppress(StoreError):  # the commits stay, and `close` tries once more
                live.checkpoint()
        if self._subscribers.callbacks:
            self._subscribers.tell(live.unheard)
        else:
            live.unheard.clear()

    @locked
    def subscribe(self, callback: Callable[[Delta], object]) -> Callable[[], None]:
        """Call `callback` with the delta of every commit from now on. The result is a function that ends the calls.

        The callback is called after the commit, in the thread that made the commit and in the order of the commits. It
        may edit the graph. The thread has the graph's lock, so the callback must not wait for another thread that uses
        the graph. If the callback raises an error, the commit stays, all other subscribers are called, and then the
        error reaches the caller that made the commit.
        """
        return self._subscribers.add(callback)

    @locked
    def standing(
        self,
        sparql: str,
        callback: Callable[[RowChange], object],
        *,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        timeout: float | None = None,
    ) -> StandingQuery:
        """Call `callback` with the rows of a SELECT or ASK query, and after each commit with the rows that changed.

        The first call comes now, and has all present rows as rows that appeared. Later calls come after each commit
        that changes the rows, in the thread that made the commit, as with `subscribe`. Rows count as a bag, or as a set
        if the query says DISTINCT or REDUCED. The order of the rows is not told. A query of triple patterns, OPTIONAL
        and FILTER is answered from the deltas, if each OPTIONAL comes after the patterns whose variables it names, in
        the same braces. Any other query is evaluated again after each commit. Call `close` on the result to end it.

        `timeout` is how many seconds an evaluation may take. If an evaluation takes longer, the standing query ends,
        and the last call of `callback` has the error. Raises QueryError, QueryTimeoutError.

        >>> with KnowledgeGraph.open() as graph:
        ...     query = graph.standing("SELECT ?x { ?x a <http://e/Cat> }", lambda change: print(change[2:4]))
        ...     _ = graph.add("<http://e/tom> a <http://e/Cat> .")
        ...     _ = graph.remove("<http://e/tom> a <http://e/Cat> .")
        ([], [])
        ([('<http://e/tom>',)], [])
        ([], [('<http://e/tom>',)])
        """
        from kgreason.graph.standing.standing import StandingQuery

        check_text("standing", "a SELECT or ASK query", sparql)
        check_seconds("timeout", timeout)
        known, told = checked(prefixes), list[str]()

        def ask(text: str) -> Found:
            results = self._results(text, known, base, None, timeout)
            if not told and (number := self._number_warning(sparql)) is not None:
                told.append(number)
                warn_caller(number)
            return results

        query = StandingQuery(ask, sparql, known, base, self._home.last, callback)
        query.end = self._subscribers.add(query.hear)
        return query

    @as_one
    def add(self, *items: Item, prefixes: Mapping[str, str] | None = None, timeout: float | None = None) -> Delta:
        """Assert rows of terms, or Turtle and TriG text, as one commit, and return its delta.

        An item is a tuple of three or four terms, as `match` takes them; a triple, quad or solution of pyoxigraph; or
        text. Terms and text may use the `prefixes`. `timeout` is how many seconds to wait for another thread. Raises
        RdfSyntaxError, InputError, and the errors of `transaction`.

        >>> with KnowledgeGraph.open() as graph:
        ...     delta = graph.add(("ex:tom", "a", "ex:Cat"), ("ex:tom", "ex:age", 7), prefixes={"ex": "http://e/"})
        ...     ("http://e/tom", "http://e/age", 7) in graph, len(graph)
        (True, 2)
        """
        with self.transaction(timeout=timeout) as tx:
            tx.add(*items, prefixes=prefixes)
        return tx.delta

    @as_one
    def remove(self, *items: Item, prefixes: Mapping[str, str] | None = None, timeout: float | None = None) -> Delta:
        """Retract triples and quads as one commit, and return its delta. Items are given as for `add`.

        A triple that the rules still derive stays in the graph as an inferred triple. A label of a blank node means the
        blank node that queries show with this label.
        """
        with self.transaction(timeout=timeout) as tx:
            tx.remove(*items, prefixes=prefixes)
        return tx.delta

    def load(
        self,
        *paths: File,
        syntax: str | None = None,
        skip_malformed: bool = False,
        progress: Progress = SILENT,
        timeout: float | None = None,
    ) -> Loaded:
        """Assert the quads of RDF files as one commit.

        `-` is standard input. `syntax` names the format of files without a known suffix. With `skip_malformed`
        malformed lines of N-Triples and N-Quads are left out: the result has their number, `skipped`, and its attribute
        `skipped` the first of them. `timeout` is how many seconds to wait for another thread.

        The result is a dict of counts of the *whole graph* after the commit, by the names of `stats`, with the
        `seconds` that the call took. The result's attribute `delta` is the delta of *this call*, as `add` returns it.

        Raises InputError, RdfSyntaxError (with file and line), RuleError, LimitError, StoreError. After an error or
        Ctrl-C nothing has changed.

        >>> from kgreason.resources import resource
        >>> with KnowledgeGraph.open() as graph:
        ...     loaded = graph.load(resource("ontologies", "univ-bench.ttl"))
        ...     loaded["facts"] == len(graph), len(loaded.delta.appeared(asserted=True)) == loaded["asserted"]
        (True, True)
        """
        check_paths("load", paths)
        skipped = Skipped() if skip_malformed else None
        load = lambda tx: tx.load(*paths, syntax=syntax, skipped=skipped, progress=progress)  # noqa: E731
        return self._files(load, progress, timeout, skipped)

    def load_interned(self, read: Callable[[Dictionary], Int32], progress: Progress = SILENT) -> Loaded:
        """Load quads that were parsed elsewhere, for example by Spark; see `Transaction.add_interned`."""
        return self._files(lambda tx: tx.add_interned(read), progress)

    def start_from(
        self, evaluate: Callable[[Materializer], tuple[Int32, Evaluated]], progress: Progress = SILENT
    ) -> Loaded:
        """Load facts with the closure of the graph, computed elsewhere; see `Transaction.start_from`."""
        return self._files(lambda tx: tx.start_from(evaluate), progress)

    def unload(
        self,
        *paths: File,
        syntax: str | None = None,
        progress: Progress = SILENT,
        timeout: float | None = None,
    ) -> Loaded:
        """Retract the quads of RDF files as one commit. Triples that followed only from these quads disappear.

        Arguments, result and errors are those of `load`. The result has one more count: `missed` is the number of quads
        that were not asserted.
        """
        check_paths("unload", paths)
        return self._files(lambda tx: tx.unload(*paths, syntax=syntax, progress=progress), progress, timeout)

    @as_one
    def _files(
        self,
        collect: Callable[[Transaction], object],
        progress: Progress,
        timeout: float | None = None,
        skipped: Skipped | None = None,
    ) -> Loaded:
        begun = time.perf_counter()
        with self._lock.within(timeout):
            tx = self.transaction()
            try:
                collect(tx)
            except BaseException:
                tx.end(False)
                raise
            tx.end(True, progress)
            delta, live = tx.delta, self._live
            stats = live.stats() if live and delta.commit else self.stats()
        return Loaded(stats | delta.work._asdict(), delta, time.perf_counter() - begun, skipped)

    def update(
        self,
        sparql: str,
        source: str = "<update>",
        *,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        timeout: float | None = None,
    ) -> Updated:
        """Carry out a SPARQL 1.1 Update request as one commit: all of its operations, or none.

        A WHERE reads the materialized graph as the earlier operations left it. DELETE retracts asserted quads. Literals
        found by WHERE or written by INSERT are in the normal form that Oxigraph shows, as in `query`. DELETE retracts
        every spelling of a literal: `DELETE DATA { :x :age 1 }` also retracts `:x :age "01"^^xsd:integer`.

        The request may use the `prefixes` and the `base` without declaring them. `timeout` is how many seconds to wait
        for another thread. Raises QueryError for a request that does not parse or cannot be evaluated, and the errors
        of a transaction. After an error nothing has changed. A WHERE that computes warns as `query` does.
        """
        from kgreason.sparql.parser import parse

        check_text("update", "a SPARQL Update", sparql)
        if not sparql.strip():
            raise QueryError(f"{source}: the update is empty")
        known = checked(prefixes)
        operations = parse(sparql, source, known, base)  # before the engine starts: a syntax error does not wait for it
        return self.carry_out(operations, timeout=timeout)

    @as_one
    def carry_out(
        self,
        operations: tuple[Operation, ...],
        *,
        keep: bool = True,
        reasons: int = 0,
        timeout: float | None = None,
        where_timeout: float | None = None,
    ) -> Updated:
        """Carry out the operations of a SPARQL Update (`sparql.operations`) as one commit; see `update`.

        With `keep=False` nothing changes: the result has the delta that the commit would have, as with `what_if`.
        `reasons` has the same meaning as for `what_if`. A WHERE that takes more than `where_timeout` seconds raises
        QueryTimeoutError; Oxigraph then goes on in the background, as after the timeout of a query.
        """
        from kgreason.graph.sparql_update.update import update

        with self._lock.within(timeout):
            transaction = self.transaction() if keep else self.what_if(reasons=reasons)
            return update(self._engine(), self._home, transaction, operations, where_timeout)

    def query(
        self,
        sparql: str,
        *,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        default_graph: UserTerm | None = None,
        timeout: float | None = None,
    ) -> Found:
        """Return the results of a SPARQL query over the materialized graph: `Solutions`, `Triples`, or a boolean.

        The query may use the `prefixes` and the `base` without declaring them. `default_graph` is the name of a graph
        that the query reads in place of the default graph, as a term that `match` takes. A query sees the last commit,
        also inside a transaction. The variables of SELECT * come in the order in which the query names them. SERVICE
        asks the network. Raises QueryError, InputError.

        CONSTRUCT and DESCRIBE give the triples of the graph with literals as they are written. SELECT shows literals in
        Oxigraph's normal form, and so do computed values and triples that are read after a later commit.

        Oxigraph computes with integers of 64 bits and decimals of 18 places. If the graph has a longer number and the
        query compares, orders or computes, `query` warns (NumberWarning) that the results may be wrong.

        With a `timeout` all rows must be fetched within this many seconds. Otherwise the call, or the fetching of a
        row, raises QueryTimeoutError. Ctrl-C ends the call, or the fetching of a row, at once. Oxigraph itself cannot
        be stopped, so there are two ways:

        - On disk, a query with a timeout runs in a process of its own, which costs 50 milliseconds. The process is
          killed at the timeout, at Ctrl-C, and when the results are dropped. With `timeout=math.inf` the query runs in
          such a process without a limit.
        - Any other query runs in this process. After a timeout or Ctrl-C a thread in the background goes on until
          Oxigraph has found its next row. Until then the thread keeps the store open. The thread does not keep Python
          from ending.
        """
        check_text("query", "a SPARQL query", sparql)
        check_seconds("timeout", timeout)
        known = checked(prefixes)
        name = None if default_graph is None else graph_name(default_graph, known)
        results = self._results(sparql, known, base, name, timeout)
        if (told := self._number_warning(sparql)) is not None:
            warn_caller(told)
        return results

    def _results(
        self,
        sparql: str,
        prefixes: Mapping[str, str],
        base: str | None,
        name: NamedNode | BlankNode | None,
        timeout: float | None,
    ) -> Found:
        """Ask the store a query, without a warning; see `query`."""
        ask = partial(self._home.store.query, prefixes=prefixes, base=base, default_graph=name, timeout=timeout)
        graph = partial(self._spelled, self._home.last if self._home.is_writable else None)
        return found(answer(sparql, prefixes, base, ask, Renamed(graph, sparql, prefixes, base).spell))

    def _spelled(self, commit: int | None, triples: Sequence[Triple]) -> list[list[Triple]]:
        """Return for each of the `triples` how the graph writes it; nothing if the graph lacks it (`constructed`).

        `commit` is the commit that the query saw; None if the graph is open for reading only. After a later commit the
        triples stay as they are. Any thread may ask. A query never waits for a transaction of another thread, and then,
        too, the triples stay.
        """
        from kgreason.graph.constructed.spellings import OfState, of_engine

        unchanged = [[triple] for triple in triples]
        is_open = self._open is not None and self._open() is not None
        try:
            if (known := self._written) is None or known.commit != self._home.last or self._live is not None:
                with self._lock.within(0 if is_open else _PATIENCE):
                    if commit is not None and commit != self._home.last:
                        return unchanged
                    if (live := self._current()) is not None:
                        return of_engine(live, triples)
                    if (state := self._state()) is None:
                        return unchanged
                    known = self._written = OfState(self._home.last, *state)
        except KgreasonError:  # another thread has the graph, or it was closed, or its engine cannot start
            return unchanged
        return unchanged if commit not in (None, known.commit) else known.spell(triples)

    def _number_warning(self, sparql: str) -> str | None:
        """Return the warning that a query may be inexact, or None if the graph or the query gives no reason for one.

        Oxigraph computes with integers of 64 bits and decimals of 18 places. If the graph has a longer number, and the
        query compares, orders or computes, its results may be wrong. Any thread may ask, without waiting.
        """
        live = self._live
        if live is not None:
            told = None if live.long_number is None else warning(live.long_number)
        else:
            told = next((each for each in self._home.manifest.warnings if each.startswith(WARNING)), None)
        return told if told is not None and computes(sparql) else None

    def select(self, sparql: str, **options: Unpack[QueryOptions]) -> Solutions:
        """Return the solutions of a SELECT query; `options` and errors as for `query`.

        Raises QueryError for a query that is not a SELECT.
        """
        check_text("select", "a SELECT query", sparql)
        return of_form(self.query(sparql, **options), Solutions)

    def ask(self, sparql: str, **options: Unpack[QueryOptions]) -> bool:
        """Return the answer of an ASK query; `options` and errors as for `query`.

        Raises QueryError for a query that is not an ASK.
        """
        check_text("ask", "an ASK query", sparql)
        return bool(of_form(self.query(sparql, **options), QueryBoolean))

    def construct(self, sparql: str, **options: Unpack[QueryOptions]) -> Triples:
        """Return the triples of a CONSTRUCT or DESCRIBE query; `options` and errors as for `query`.

        Raises QueryError for a SELECT or an ASK.
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
        """Return the quads that match a pattern of terms, as of this call. None matches any term.

        A term is an IRI ("http://e/a"), a name with one of the `prefixes` ("ex:a"), text in N-Triples syntax, or a term
        of pyoxigraph or rdflib. The object may also be a Python value (5, True, a date). As `graph`, DefaultGraph()
        means the default graph, which holds the closure.

        With `asserted` the result has only the quads that users asserted. Users can retract these quads. Quads that
        come only from an imported document are left out. Literals keep the spelling in which they were written;
        a SELECT shows their normal form.

        Raises InputError for a text that is not a term, and for a term that cannot stand at its place.
        """
        from kgreason.graph.match import pattern

        return self._match(pattern(subject, predicate, object_, graph, prefixes=checked(prefixes)), asserted=asserted)

    def _match(self, terms: Pattern, *, asserted: bool, any_case: bool = False) -> Matches:
        """Return the quads that match `terms`. With `any_case` language tags are compared without case."""
        from kgreason.graph.match import match

        return Matches(match(self._home.store, self._held, terms, asserted=asserted, any_case=any_case))

    def relation(self, name: str, arity: int | None = None) -> GraphRelation:
        """Return an object that reads and edits the facts of a relation, such as `edge(?x, ?y)` in rules.

        `arity` is the number of places. It is needed only if there are several relations with this name. A relation
        that is neither declared nor used is empty. Raises InputError for a name that no relation of a user can have.

        >>> with KnowledgeGraph.open(rules=["none"]) as graph:
        ...     with graph.transaction() as tx:
        ...         _ = tx.add_rules("near(?x, ?y) :- edge(?x, ?y, ?w), FILTER(?w < 9) .")
        ...     delta = graph.relation("edge").insert([("urn:a", "urn:b", 5), ("urn:b", "urn:c", 9)])
        ...     delta.relation("near").appeared(), len(graph.relation("edge"))
        ([('<urn:a>', '<urn:b>')], 2)
        """
        from kgreason.graph.relation.relation import GraphRelation
        from kgreason.rules.relations.names import checked_arity, checked_name

        self._check_open()
        return GraphRelation(self, self._relations_read, checked_name(name), checked_arity(arity))

    def relations(self) -> list[GraphRelation]:
        """Return the user's relations, sorted by name: those that have facts, and those that are declared."""
        from kgreason.graph.relation.relation import GraphRelation
        from kgreason.materialize.relations.facts import all_of

        state = self._state()
        found = {(each.name, each.arity) for each in all_of(*state)} if state else set()
        found |= {(rule.declares.name, len(rule.declares.columns)) for rule in self.own_rules() if rule.declares}
        return [GraphRelation(self, self._relations_read, *each) for each in sorted(found)]

    @locked
    def _relations_read(self, read: Callable[[RelationReader], Result]) -> Result | None:
        """Call `read` with a reader of the facts of relations.

        Returns the result of `read`; None before the first commit.
        """
        from kgreason.materialize.relations.reading import OfEngine, OfState

        def looked() -> Result | None:
            if live := self._current():
                known = live.materializer
                return read(OfEngine(known.engine, known.keys, known.dictionary))
            state = self._read_state()
            return read(OfState(*state)) if state else None

        return self._looking_again(looked)

    @locked
    def explain_fact(self, name: str, terms: Sequence[str]) -> Proof:
        """Return a proof of a fact of a relation; see `GraphRelation.explain`. `terms` are N-Triples texts.

        Raises QueryError if the graph does not have the fact.
        """
        from kgreason.proofs.engine_facts import EngineFacts
        from kgreason.proofs.notation import NO_PREFIXES, fact_text
        from kgreason.proofs.same_as import facts_of
        from kgreason.proofs.search import prove
        from kgreason.rules.model import Atom

        live, fact = self._engine().materializer, Atom(name, tuple(terms))
        if EngineFacts(live).row(fact) < 0:
            raise QueryError(f"{fact_text(fact, NO_PREFIXES)}: the graph does not have this fact")
        return prove(fact, facts_of(live))

    @locked
    def why_not_fact(self, name: str, terms: Sequence[str], limit: int) -> WhyNot:
        """Say why a fact of a relation does not hold. `terms` are N-Triples texts; see `GraphRelation.why_not`."""
        from kgreason.proofs.engine_facts import EngineFacts
        from kgreason.proofs.why_not.answer import WhyNot
        from kgreason.proofs.why_not.why_not import why_not
        from kgreason.rules.model import Atom

        check_count("limit", limit, 1)
        live, fact = self._engine().materializer, Atom(name, tuple(terms))
        return WhyNot(fact, holds=True) if EngineFacts(live).row(fact) >= 0 else why_not(live, fact, limit)

    @contextmanager
    def evaluating(self, strategy: Strategy | None = None, budget: int | None = None) -> Iterator[None]:
        """Within the block, evaluate commits with another strategy or a lower budget than those passed to `open`.

        Other threads wait until the block ends.
        """
        with self._lock.within():
            live = self._engine()
            before = live.strategy, live.budget
            live.strategy = strategy or live.strategy
            live.budget = min((each for each in (budget, live.budget) if each is not None), default=None)
            try:
                yield
            finally:
                live.strategy, live.budget = before

    def turn(self, timeout: float | None = None) -> AbstractContextManager[None]:
        """Reserve the graph for this thread: in `with graph.turn()` other threads neither edit it nor ask its engine.

        So a read and a later edit in the block see the same state. Queries of other threads go on, because they never
        wait. Raises GraphBusyError after `timeout` seconds.
        """
        return self._lock.within(timeout)

    @contextmanager
    def _held(self) -> Iterator[LiveGraph]:
        """Hold the lock during the block. The block gets the graph with its engine: `with self._held() as live`."""
        with self._lock.within():
            yield self._engine()

    def __contains__(self, item: Item) -> bool:
        """Whether the graph has a triple or a quad. For a triple this asks the default graph, which holds the closure.

        The item is a row of terms, or one triple as Turtle text. A literal may have the normal form that queries show.
        Raises InputError.
        """
        from kgreason.graph.input.quads import quad_of
        from kgreason.graph.match import pattern

        return any(self._home.store.match(*pattern(*quad_of(item))))

    def __iter__(self) -> Iterator[Triple]:
        """Iterate over the triples of the closure, as of this call."""
        return (quad.triple for quad in self.match(graph=DefaultGraph()))

    def __len__(self) -> int:
        """The number of triples in the closure. Cost: a pass over the facts, once for each commit."""
        return int(self.stats()["facts"])

    def __bool__(self) -> bool:
        """True, also for an empty graph: `if graph` asks whether there is a graph."""
        return True

    def __repr__(self) -> str:
        """The place of the graph, its last commit and its rules. Cost: nothing is computed."""
        home = self._home
        place = f"store {str(home.path)!r}" if home.path is not None else "in memory"
        state = "closed" if home.is_closed else f"commit {home.last}"
        return f"<KnowledgeGraph {place}, {state}, rules {' '.join(home.manifest.rules)}>"

    def _repr_html_(self) -> str | None:
        """Return the counts of the graph as an HTML table, which notebooks show; None if the graph is closed."""
        if self._home.is_closed:
            return None
        counts = {name: count for name, count in self.stats().items() if name in COUNTS}
        return notebook.table(repr(self), ("", "number"), counts.items())

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            "a KnowledgeGraph can be neither copied nor pickled, because its store is open: to copy it, load its"
            " `dump(asserted=True)` into another graph; to use it in another process, open the store there"
        )

    @locked
    def explain(self, triple: Item, *others: object, prefixes: Mapping[str, str] | None = None) -> Proof:
        """Return a proof of a triple of the graph.

        The triple is one tuple of three terms, as `match` takes them, or Turtle text. A literal may have the normal
        form that queries show. Raises QueryError if the graph does not have the triple, InputError if `triple` is not a
        triple. `others` must be empty: if the terms are passed one by one, InputTypeError says how to pass them.
        """
        check_single("explain", triple, others)
        from kgreason.proofs.search import prove

        return prove(*self._explained(triple, prefixes))

    @locked
    def explain_all(self, triple: Item, *others: object, prefixes: Mapping[str, str] | None = None) -> list[Proof]:
        """Return one proof for each derivation of a triple; the proofs differ in their last steps.

        The list is empty if the triple is asserted and no rule derives it.

        For terms that owl:sameAs makes equal, derivations are kept for the representative only. Arguments and errors
        are those of `explain`.
        """
        check_single("explain_all", triple, others)
        from kgreason.proofs.search import derivations

        return derivations(*self._explained(triple, prefixes))

    @locked
    def why_not(
        self, triple: Item, *others: object, prefixes: Mapping[str, str] | None = None, limit: int = 10
    ) -> WhyNot:
        """Say why a triple does not hold: which rules could derive it, and which conditions of each rule fail.

        A rule could derive the triple if its head fits the triple. For each rule the answer has values of variables for
        which most conditions hold, and names the conditions that fail: triples that are missing, a FILTER that is
        false, or a NOT together with the triples that make it fail. The search for these values is greedy, so other
        values may fit better. The rules with the fewest failing conditions come first; the answer has at most `limit`
        rules. `print(graph.why_not(triple))` shows the answer as text.

        The triple is one tuple of three terms, as `match` takes them, or Turtle text. If the triple holds, the answer
        says so. Raises InputError if the item is not a triple.

        >>> with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        ...     _ = graph.add("@prefix : <http://e/> . :Cat <http://www.w3.org/2000/01/rdf-schema#subClassOf> :Pet .")
        ...     print(graph.why_not("<http://e/tom> a <http://e/Pet>").to_text({"": "http://e/"}).splitlines()[-1])
                missing: :tom a :Cat
        """
        check_single("why_not", triple, others)
        check_count("limit", limit, 1)
        from kgreason.graph.input.quads import triple_of
        from kgreason.proofs.why_not.answer import WhyNot
        from kgreason.proofs.why_not.why_not import why_not
        from kgreason.rules.model import Atom

        terms = triple_of(triple, checked(prefixes))
        live = self._engine()
        if live.as_written(terms) is not None or live.materializer.follows(terms):
            return WhyNot(Atom(None, terms), holds=True)
        return why_not(live.materializer, Atom(None, terms), limit)

    def _explained(self, triple: Item, prefixes: Mapping[str, str] | None) -> tuple[Atom, Facts]:
        from kgreason.graph.input.quads import triple_of

        terms = triple_of(triple, checked(prefixes))
        self.check_known(terms, prefixes=prefixes)
        from kgreason.proofs.same_as import facts_of
        from kgreason.rules.model import Atom

        live = self._engine()
        fact = live.as_written(terms)
        if fact is None:
            raise _unknown(terms, prefixes)
        return Atom(None, fact), facts_of(live.materializer)

    @locked
    def check_known(self, triple: Item, *, prefixes: Mapping[str, str] | None = None) -> None:
        """Raise QueryError if the graph does not have a triple. Looks only at the files of the store.

        So an unknown triple does not start the engine. The check does nothing if the engine runs already, if the files
        may lack the last commit, or if the triple is generalised: the files hold no generalised triples.
        """
        from kgreason.graph.input.quads import triple_of
        from kgreason.graph.input.terms import term_of

        self._check_open()
        if self._live is not None or self._home.is_behind:
            return
        terms = triple_of(triple, checked(prefixes))
        subject, predicate, object_ = map(term_of, terms)
        if isinstance(subject, (NamedNode, BlankNode)) and isinstance(predicate, NamedNode):
            found = self._home.store.match(subject, predicate, object_, DefaultGraph())
            if next(found, None) is None:
                raise _unknown(terms, prefixes)

    @locked
    def prove_contradictions(self, most: int | None = None, *, each: int | None = None) -> list[Proof]:
        """Return a proof of each of the first `most` contradictions, or of each contradiction if `most` is None.

        With `each`, at most so many contradictions with one cause (`Contradiction.cause`) are proved. So examples of
        thousands of contradictions take little time.
        """
        from kgreason.proofs.contradiction_proofs import prove_contradictions

        return prove_contradictions(self._engine().materializer, most, each)

    @locked
    def stats(self) -> dict[str, Any]:
        """Counts of the graph as of its last commit, by name.

        - `facts`: triples of the graph: asserted and inferred
        - `asserted`: triples that were loaded or added
        - `inferred`: triples that rules derive, and that were not added
        - `hidden`: facts that no query shows: of your own relations, and triples that RDF does not allow
        - `relations`: facts of your own relations, asserted and derived
        - `named`: asserted quads of named graphs
        - `imported`: documents that owl:imports brought
        - `terms`: IRIs, blank nodes and literals in the dictionary, including about 200 terms of the vocabulary
        - `contradictions`: mistakes that `contradictions` shows
        - `rules`: rules in force, which `rules` lists
        - `strategy`: how the last commit was evaluated: "update" (what changes) or "bootstrap" (everything)
        - `switched`: whether the last commit began as an update and was finished as a bootstrap
        - `rewrites`: the work of the last commit: how many steps of evaluating a rule it took
        - `retranslated`: axioms that the last commit translated to rules
        - `axioms`: axioms of the ontology that are rules now
        - `rules_added`, `rules_removed`: rules that came and went with the last commit
        - `seconds_by_part`: where the time of the last commit went, as seconds by name: `read`, `intern`, `close`,
          `translate`, `evaluate`, `store`, `snapshot`, `journal`; parts without work are left out, and parts do not
          overlap; missing if this process replayed the commit
        - `peak_bytes`: the most memory that the process of the last commit had used by then
        - `engine_bytes`, `dictionary_bytes`: memory of the facts, and of the terms
        """
        self._check_open()
        if (live := self._told_by()) is not None and self._home.last:
            return live.stats()
        return dict.fromkeys(COUNTS, 0) | self._home.manifest.stats

    @property
    @locked
    def warnings(self) -> list[str]:
        """One line for each warning: malformed lists, SWRL rules that cannot run, missing imports, large cliques.

        With the rule set owl2rl, one more line counts the axioms that its rules do not read, or not in full, such as
        existential restrictions as a superclass: each kind with its number and an example.
        """
        live = self._live if self._lacking else self._told_by()  # without its functions the engine may not start
        told = live.warnings if live else list(self._home.manifest.warnings)
        return [*told, *(f"{each}: the store is open for reading only" for each in self._lacking)]

    @locked
    def streams(self) -> dict[str, dict[str, str]]:
        """Return the headers of the last commit of each stream, by the name of the stream; see `transaction`."""
        return dict(live.streams if (live := self._told_by()) else self._home.manifest.streams)

    def _told_by(self) -> LiveGraph | None:
        """Return the graph with its engine, or None if the manifest is enough to describe the last commit.

        If the engine runs already, the result is never None. If the manifest is older than the last commit, this starts
        the engine.
        """
        self._home.join()
        is_old = self._home.last and self._home.is_behind and not self._home.is_writable
        return self._engine() if is_old else self._live

    @locked
    def rules(self, *, costs: bool = False, alone: bool = False, anew: bool = False) -> list[dict[str, Any]]:
        """Return a dict for each rule in force: its `name`, its text (`rule`), why it runs (`why`), and `stratum`.

        `stratum` says when NOT, AGGREGATE and SKOLEM of the rule are decided: after those of all smaller strata. It is
        0 for a rule without them.

        With `costs` each dict also has the work of its rule, and the costliest rules come first:

        - `rewrites`: how many steps of evaluating the rule were taken, as `stats` counts them for the whole graph
        - `share`: the part of all these rewrites, from 0 to 1
        - `derivations`: how many derivations were found. Derivations that no longer hold count too, and a derivation
          that was found again counts again
        - `last_rewrites`, `last_derivations`: the same for the last commit alone

        The counts begin with the last computation from scratch (Bootstrap). A store keeps them. They are 0 if the rules
        were evaluated elsewhere, for example by Spark, or by an older version. Each rule that an axiom was translated
        to has counts of its own; `why` names the axiom.

        With `alone` each dict has the costs and a further count. `alone` is the number of facts that only this rule
        supports and that are not asserted. Facts that differ only by terms that owl:sameAs makes equal count once. This
        takes a look at every derivation.

        With `anew` the costs are those of a Bootstrap that is computed now and then rolled back.

        >>> with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        ...     _ = graph.add("<http://e/a> a <http://e/C> .")
        ...     graph.rules(costs=True)[0]["rewrites"] <= graph.stats()["rewrites"]
        True
        """
        if not (costs or alone or anew):
            return self._looking_again(self._read_rules)
        return self._looking_again(partial(self._read_costs, alone=alone, anew=anew))

    def _read_rules(self) -> list[dict[str, Any]]:
        if live := self._current():
            return snapshot.described(live.materializer.rules, live.materializer.strata())
        return snapshot.read_rules(self._home.snapshot) if self._home.snapshot else []

    def _read_costs(self, *, alone: bool, anew: bool) -> list[dict[str, Any]]:
        from kgreason.graph.rule_costs import costliest

        live = self._current() or (self._engine() if alone or anew else None)
        if live is None:
            return costliest(snapshot.read_rules(self._home.snapshot, costs=True) if self._home.snapshot else [])
        return costliest(live.described_costs(alone=alone, anew=anew))

    @locked
    def own_rules(self) -> tuple[Rule, ...]:
        """Return the rules that the user added as text or by a rule file, as of the last commit.

        This does not start the engine.
        """
        from kgreason.graph.user_rules import own_rules

        self._check_open()
        if self._live is not None:
            return self._live.materializer.own
        home, find = self._home, self._find
        return self._looking_again(lambda: own_rules(home.manifest, home.snapshot, home.pending(), find))

    @locked
    def contradictions(self) -> list[Contradiction]:
        """Return the contradictions that the rules derive, one for each mistake in the data.

        Each contradiction has the name of the `rule`, the `terms` that it is about, the `facts` that cannot all hold,
        and the `axioms` that forbid them. Its `str` is one line for a person; `to_text(prefixes)` is the same line with
        short IRIs. For terms that owl:sameAs makes equal, the representative is named. If there are many, `by_cause` of
        `kgreason.proofs.contradiction` groups them by rule and axioms.
        """
        return self._looking_again(self._read_contradictions)

    def _read_contradictions(self) -> list[Contradiction]:
        if live := self._current():
            return live.contradictions()
        state = self._state()
        return contradictions(*state, self._false_rules()) if state else []

    def _false_rules(self) -> FalseRules:
        """Return a function that finds the rules that derive `false`, for the state that `_state` returns."""
        if live := self._current():
            return live.materializer.false_rules
        return partial(snapshot.false_rules, self._home.snapshot)

    def dump(self, *, asserted: bool | None = None, graphs: bool = False) -> Iterator[bytes]:
        """Return the graph as N-Triples lines, in chunks. Commits after this call have no effect on the result.

        `asserted=None` gives the closure, True its asserted triples and False its inferred triples. With `graphs` the
        lines are N-Quads: the triples of the default graph and the asserted quads of named graphs. Literals keep the
        spelling in which they were written.

        Raises InputError if the store is old and has a literal that is no RDF, since nobody could read the lines.
        """
        check_asserted(asserted)
        state = self._state()
        if state is None:
            return iter(())
        saved, dictionary = state
        tables = saved.graphs(dictionary, asserted) if graphs else [saved.triples(dictionary, asserted=asserted)]
        return map(_sound, chain.from_iterable(chunks(dictionary, rows[dictionary.are_rdf(rows)]) for rows in tables))

    def dump_relations(self, *, asserted: bool | None = None) -> Iterator[str]:
        """Return the facts of the user's relations as rule text, a line for each fact, as of this call.

        `asserted` has the same meaning as for `dump`: with True the lines are the facts that were inserted. To insert
        these facts into another graph, use `GraphRelation.insert`, because a fact that is added as rule text counts as
        derived. Relations declared as `internal` are left out.
        """
        check_asserted(asserted)
        from kgreason.graph.changes.relations import dumped

        return dumped(self._state(), self.own_rules(), asserted)

    @locked
    def _state(self) -> tuple[Saved, Dictionary] | None:
        """Return the facts and the dictionary of the last commit, or None before the first commit.

        They come from the engine if `_current` gives one, otherwise from the snapshot.
        """
        return self._looking_again(self._read_state)

    def _read_state(self) -> tuple[Saved, Dictionary] | None:
        if live := self._current():
            return live.materializer.save(), live.materializer.dictionary
        path = self._home.snapshot
        return (snapshot.read_state(path), snapshot.read_dictionary(path)) if path else None

    def log(self, limit: int | None = None) -> list[Head]:
        """Return the commits of the history, the newest first; at most `limit` of them.

        Each item has the number of the `commit` and its `time`, the numbers of triples that `appeared` and
        `disappeared` (each has `asserted` and `inferred`), the `rules` that the commit removed (-1) and added (1), the
        `headers` of its transaction, and its `work`. Raises HistoryError if the graph keeps no history.

        >>> with KnowledgeGraph.open(history="all") as graph:
        ...     _ = graph.add("<http://e/tom> a <http://e/Cat> .")
        ...     graph.log()[0].commit, graph.log()[0].appeared.asserted
        (1, 1)
        """
        if limit is not None:
            check_count("limit", limit, 0)
        history, last = self._history(), self._home.last
        first = history.base if limit is None else max(history.base, last - limit)
        return list(history.heads(first, last))[::-1]

    def commit_head(self, commit: int) -> Head:
        """Return the entry of `log` for one commit of the history. Raises HistoryError."""
        check_count("commit", commit, 1)
        return next(self._history(commit, commit - 1).heads(commit - 1, commit))

    def changes(self, before: int, after: int) -> Delta:
        """Return a delta with what changed from commit `before` to commit `after`.

        Changes that later commits took back are left out. If `after` is the earlier commit, the delta says what must
        change to go back from `before` to `after`. The `rules` of the delta
        are the user's rules that were removed (-1) and added (1). Raises HistoryError for a commit that the history
        does not have. Cost: reading the commits between the two.
        """
        from kgreason.graph.history.deltas import delta_of

        history = self._history(before, after)
        entries = history.entries(min(before, after), max(before, after))
        return delta_of(entries, after, self._declared(), back=after < before)

    def deltas_since(self, commit: int) -> Iterator[Delta]:
        """Iterate over the deltas of the commits after `commit`, up to the last commit at the time of the call.

        The call raises HistoryError if the history lacks one of these commits.
        """
        from kgreason.graph.history.deltas import delta_of

        entries = self._history(commit).entries(commit, self._home.last)
        declared = self._declared()
        return (delta_of([entry], entry.head.commit, declared) for entry in entries)

    @as_one
    def as_of(self, commit: int) -> Self:
        """Return a copy in memory of the graph as it was after a commit. Close the copy in the end.

        The copy cannot be changed. It answers everything that a graph answers: queries, `match`, `stats`, proofs,
        contradictions. Raises HistoryError for a commit that the history does not have.

        Cost: the memory of a whole graph, and evaluating what changed since the commit.

        >>> with KnowledgeGraph.open(history="all") as graph:
        ...     _ = graph.add("<http://e/tom> a <http://e/Cat> .")
        ...     _ = graph.remove("<http://e/tom> a <http://e/Cat> .")
        ...     with graph.as_of(1) as past:
        ...         len(graph), len(past)
        (0, 1)
        """
        from kgreason.graph.history.past import Origin, Past, past

        history = self._history(commit)
        if self._home.path is not None:
            return past(commit, self._home.path, history, self._over)
        with self._lock.within(), TemporaryDirectory() as folder:
            snapshot = Path(folder) / "snapshot"
            self._engine().write(snapshot)
            return self._over(Past(commit, Origin(self._home.manifest, snapshot, self._home.last), history))

    def _over(self, home: Past) -> Self:
        """Open a graph over `home`, the repository of a past commit, and start its engine."""
        graph = type(self)(home, self._strategy, self._budget, registry=self._registry)
        graph._engine()
        return graph

    @as_one
    def revert(self, commit: int, *, timeout: float | None = None) -> Reverted:
        """Take a commit back by a new commit. Facts and rules that later commits changed as well stay as they are.

        The new commit removes the quads, rules and facts of relations that the old commit added, and adds those that
        the old commit removed. The result has the `delta`, and the `conflicts`: a line for each change that could not
        be undone. The new commit has the header `reverts`. If nothing can be undone, there is no commit.

        Raises HistoryError for a commit that the history does not have, and the errors of a transaction.

        >>> with KnowledgeGraph.open(history="all") as graph:
        ...     _ = graph.add("<http://e/tom> a <http://e/Cat> .")
        ...     reverted = graph.revert(1)
        ...     len(graph), reverted.conflicts, graph.revert(1).conflicts[0][-12:]
        (0, (), 'gone already')
        """
        from kgreason.graph.history.deltas import delta_of
        from kgreason.graph.history.revert import Reverted, undo

        check_count("commit", commit, 1)
        with self._lock.within(timeout):
            history = self._history(commit, commit - 1)
            done = delta_of(history.entries(commit - 1, commit), commit, {})
            tx = self.transaction({"reverts": str(commit)})
            try:
                conflicts, is_needed = undo(done, self._engine().materializer, tx)
            except BaseException:
                tx.end(False)
                raise
            if not is_needed:
                tx.end(False)
                tx = self.what_if()
            tx.end(True)
        return Reverted(tx.delta, conflicts)

    def backup(self, path: File) -> int:
        """Copy the store on disk to a path where nothing is yet. Returns the number of the copy's last commit.

        The copy is a store of its own, with the history. Meanwhile others, and this process too, may read and write the
        store. Raises StoreError, also for a graph in memory. Cost: files that never change become hard links, if the
        copy is on the same file system.
        """
        from kgreason.store.backup import copy_store

        self._check_open()
        check_paths("backup", (path,))
        if self._home.path is None:
            raise StoreError("a graph in memory has no store to copy; load its `dump(asserted=True)` into a store")
        copy_store(self._home.path, Path(path))
        if self._lacking:
            return self._home.last
        with type(self).open(path, functions=self._registry.calls) as copy:
            return copy.commit

    def _history(self, *commits: int) -> History:
        """Return the history. Raises HistoryError if the graph keeps none, or if the history lacks one of `commits`."""
        self._check_open()
        history, last = self._home.history, self._home.last
        if history is None:
            raise HistoryError('the graph keeps no history; open it with history="all", and it keeps the next commits')
        for commit in commits:
            check_count("commit", commit, 0)
            if commit > last:
                raise HistoryError(f"there is no commit {commit}; the last commit is {last}")
            if commit < history.base:
                raise gone(commit, history.base)
        return history

    def _declared(self) -> dict[str, Relation]:
        """Return the declarations of relations, by the name of the relation."""
        return {rule.declares.name: rule.declares for rule in self.own_rules() if rule.declares}

    def _check_open(self) -> None:
        if self._home.is_closed:
            raise StoreError("the graph is closed")

    def _current(self) -> LiveGraph | None:
        """Return the graph with its engine, or None if the snapshot is enough: it has the state of the last commit.

        If the engine runs already, the result is never None. If commits came after the snapshot, this starts the
        engine.
        """
        self._check_open()
        self._home.join()
        return self._engine() if self._live is not None or self._home.is_ahead else None


def _unknown(terms: tuple[str, str, str], prefixes: Mapping[str, str] | None) -> QueryError:
    """Make the error for a triple that the graph lacks. `prefixes` shorten the IRIs in its message."""
    from kgreason.proofs.notation import fact_text
    from kgreason.rules.model import triple

    return QueryError(f"{fact_text(triple(*terms), prefixes or {})}: the graph does not have this triple")


def _sound(lines: bytes) -> bytes:
    """Return the lines. Raises InputError for a literal that is no RDF, as early versions let it in."""
    if term := untagged(lines):
        raise InputError(f'{term}: {PROBLEM}; find it by FILTER(LANG(?o) = "" && DATATYPE(?o) = rdf:langString)')
    return lines


def opened(catalogue: Documents | None) -> Catalogue | None:
    """Return a catalogue as it is, and make a catalogue of a path or of a dict of files by IRI. None stays None.

    Raises InputError.
    """
    if isinstance(catalogue, Mapping):
        return Catalogue.of(catalogue)
    if not isinstance(catalogue, (str, PathLike, Catalogue, NoneType)):
        raise InputTypeError(
            "catalogue has to be a Catalogue, the path of a folder, an XML catalog or a map, or a dict of files by IRI;"
            f" got {catalogue!r} ({type(catalogue).__name__})"
        )
    return catalogue if catalogue is None or isinstance(catalogue, Catalogue) else Catalogue.open(catalogue)


def _given(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `told` that are not None, as a `Manifest` has them. Raises InputError, RuleError.

    `told` are the options that a store keeps.
    """
    given = {name: value for name, value in told.items() if value is not None}
    if "rules" in given:
        given["rules"] = [str(fspath(name)) for name in given["rules"] or NO_RULES]
        check_names(given["rules"])
    for name, choices in (("schema", SchemaMode), ("same_as", SameAsMode), ("on_contradiction", OnContradiction)):
        if name in given:
            check_choice(name, given[name], choices)
    if "aliases" in given:
        check_count("aliases", given["aliases"], 0)
    if "history" in given:
        check_history(given["history"])
    return given


def _absolute(names: Iterable[str]) -> list[str]:
    """Return names of rules with rule files by their absolute paths: a store may be opened from another folder."""
    from kgreason.graph.user_rules import files_of

    return [abspath(name) if files_of([name]) else name for name in names]


def _manifest(made: Manifest | None, told: Mapping[str, Any]) -> Manifest:
    """Return the manifest that a store has from now on.

    `made` is its present manifest, None if it has none. `told` are options that were given now: until the store has a
    commit, they replace the options of `made`.
    """
    if made is not None and made.commit:
        return made
    return replace(made or Manifest(list(DEFAULT_RULES)), format=FORMAT, spellings="one", **told)


def _set_history(folder: Folder, history: HistoryMode) -> None:
    """Store the option `history` in a store that has commits already.

    If the store had no history, its history begins with the next commit. Raises StoreError if the store keeps its
    history already and `history` is "none".
    """
    made = folder.manifest
    if made is None or not made.commit or made.history == history:
        return
    if history == "none":
        raise StoreError(f"{folder.path}: the store keeps its history; leave history= out")
    if made.history == "none":
        rmtree(history_path(folder.path), ignore_errors=True)  # left by a store that was not made in the end
    folder.put(replace(made, history=history))


def _for_reading(folder: Folder, lacking: Sequence[str]) -> Folder:
    """Open for reading a folder that was opened for writing, because Python functions that its rules call are missing.

    `lacking` has a text for messages for each function that is missing or has other types than before. Raises
    StoreError if the store is not up to date, because only a writer can bring it up to date.
    """
    folder.close()
    _LOGGER.warning("%s", _why(folder.path, lacking))
    if folder.is_behind or folder.is_older:
        raise StoreError(
            f"{fspath(folder.path)}: {' and '.join(lacking)}, so the store cannot be opened: it was not closed properly"
            f" or has an older format, and kgreason calls the functions to bring it up to date; {HOW_TO_PASS}"
        )
    return Folder(folder.path, write=False)


def _kept_functions(folder: Folder) -> dict[str, str]:
    """Return the signatures of the Python functions that rules of a store call, by the name of the function."""
    if folder.manifest is None or not folder.is_behind:
        return folder.manifest.functions if folder.manifest else {}
    from kgreason.graph.user_rules import signatures

    return folder.manifest.functions | signatures(folder.journal.records(folder.manifest.commit))


def _why(path: File, lacking: Sequence[str]) -> str:
    """Make the warning that a store is open for reading only because of `lacking`; the empty text if that is empty.

    `lacking` has a text for each Python function that is missing or has other types.
    """
    if not lacking:
        return ""
    return f"{fspath(path)}: {' and '.join(lacking)}, so the store is open for reading only: {HOW_TO_PASS}"


def _check_rules(wanted: Manifest, registry: Registry, catalogue: Catalogue | None) -> None:
    """Raise RuleError or InputError if the rules of a new store cannot be used. Call this before the first commit.

    `wanted` is the manifest, which names the rules. `registry` has the Python functions that rules may call.
    """
    from kgreason.materialize.selection import select

    find = catalogue.find if catalogue else None
    select(wanted.rules_on, wanted.schema, wanted.same_as, wanted.aliases, registry.find, find)


def check_made(store: object, made: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise StoreError if an option in `wanted` differs from the option in `made`, with which the store was made.

    An option in `wanted` that is None was not given, and is not compared. `store` names the store in the message.
    """
    for option, value in wanted.items():
        kept = made[option]
        if value is None or (_absolute(value) == _absolute(kept) if isinstance(kept, list) else value == kept):
            continue
        if isinstance(kept, list):
            raise _other_rules(store, kept, value)
        raise StoreError(
            f"{store}: the store was made with {option} {kept}, which cannot be changed; leave {option}= out"
        )


def _other_rules(path: object, kept: Sequence[str], wanted: Sequence[str]) -> StoreError:
    """Make the error for a store that was made with the rules `kept` and is opened with the rules `wanted`."""
    from kgreason.graph.user_rules import files_of, how_to_add

    added = how_to_add([file for file in files_of(wanted) if file not in kept])
    made = f"{path}: the store was made with rules {' '.join(kept)}, and opening it does not change its rules"
    return StoreError(f"{made}; leave rules= out{added}")
