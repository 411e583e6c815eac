"""`OxigraphStore`: the rows in Oxigraph, on disk or in memory.

Loading a file into Oxigraph renames its blank nodes; adding quads does not. So chunks without blank nodes are loaded in
bulk, and other chunks are added as quads. Bulk loading runs in two threads without the GIL. Bulk loading skips
Oxigraph's validation of IRIs and language tags. That doubles the speed. No validation is needed, because every row
comes from the dictionary, and a parser has checked its terms. Oxigraph normalises literals (`spellings`).

Cost: loading on disk takes about 400,000 rows/s with two free cores, 200,000 with blank nodes. A delta that only adds
rows, or removes one row, uses Oxigraph's shortest transactions: 12 microseconds for one row on disk and 4 in memory
(SPARQL needs 17 and 9). For other deltas see `update`. `len` reads every row.

A forked child process lacks the threads of RocksDB, and RocksDB waits for them when a store is freed. So a child never
frees the stores on disk that were open at the fork, nor the files of its parent's readers. It must not drop an
iteration over a store that was closed before. The child must end with `os._exit`, as children of `multiprocessing` do:
an exit handler of RocksDB joins its threads, and crashes without them.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, Self
from weakref import WeakSet, finalize

import pyoxigraph
from pyoxigraph import BlankNode, DefaultGraph, NamedNode, Quad, RdfFormat, Triple

from kgreason.errors import DiskFullError, QueryError, StoreError, StoreLockedError
from kgreason.files import fullness
from kgreason.interrupts import result
from kgreason.stacks import stack_for
from kgreason.store.oxigraph import process, worker
from kgreason.store.oxigraph.failures import FAILURES, query_error
from kgreason.store.oxigraph.links import copy, link_own_files
from kgreason.store.oxigraph.results import Results
from kgreason.store.oxigraph.update import (
    COLLECT,
    NOWHERE,
    UNBOUND,
    Check,
    GraphName,
    StoppedError,
    Term,
    Update,
    parse_quads,
    pieces,
)
from kgreason.terms.tags import with_small_tags

_THREADS = 2
_ROWS = 30_000
_DROP = "DROP SILENT GRAPH {}".format


class OxigraphStore:
    """An Oxigraph store at a path, or in memory if there is no path. A store that does not exist is created.

    Threads: any number of threads may read the store while one thread changes it. Each reads the rows as of the moment
    of its call.

    Raises StoreLockedError if the store is open already. Raises StoreError if the path has other files, or cannot be
    used.
    """

    _opened: pyoxigraph.Store | None

    def __init__(self, path: Path | None = None, *, is_late: bool = False) -> None:
        self._prepare(path)
        self.is_late = is_late
        if path and path.is_dir() and any(path.iterdir()) and not (path / "CURRENT").exists():
            raise StoreError(f"{path}: not a store, but a folder with other files")
        with self._errors():
            self._opened = pyoxigraph.Store(path)

    @classmethod
    def read_only(cls, path: Path) -> Self:
        """Open the store at a path for reading only. The result shows the store as it is now, and needs no lock.

        Raises StoreError.
        """
        store = cls.__new__(cls)
        store._prepare(path)
        if not (path / "CURRENT").exists():
            raise StoreError(f"{path}: there is no store")
        with store._errors():
            own = link_own_files(path)
            if own is not None:
                store._path = own
                finalize(store, shutil.rmtree, own, ignore_errors=True)
            store._opened = pyoxigraph.Store.read_only(str(own or path))
        return store

    def postpone(self, load: Callable[[OxigraphStore], object]) -> None:
        """Let `load` add rows when somebody reads or changes the store next. The store is in memory, and was empty.

        `load` is called with another store, which then takes the place of this one. If it fails, or is interrupted, the
        next reader begins again.
        """
        assert self._path is None
        self._postponed.append(load)

    def load(self, chunks: Iterable[bytes]) -> None:
        """Add many rows, given as chunks of whole lines. The best size of a chunk is 10,000 to 30,000 lines.

        The lines are N-Quads. A load is not a transaction. Ctrl-C waits for the chunks that are being loaded. A store
        in memory splits the chunks into smaller pieces, which costs nothing.
        """
        running: deque[Future[None]] = deque()
        with self._errors_of_change(), ThreadPoolExecutor(_THREADS) as workers:
            try:
                for chunk in chunks if self._path else chain.from_iterable(map(pieces, chunks)):
                    if len(running) > _THREADS:
                        result(running.popleft())
                    running.append(workers.submit(self._load, chunk))
                while running:
                    result(running.popleft())
            except BaseException:
                workers.shutdown(wait=False, cancel_futures=True)  # so that Ctrl-C waits for started chunks only
                raise

    def apply(self, removed: bytes, added: bytes, check: Check | None = None) -> None:
        """Remove rows, then add rows, in one transaction. Both are given as N-Quads lines.

        If a named graph has no rows afterwards, the store no longer lists the name of the graph.

        `check` is called from time to time. If it raises an error, the store stays as it was, and StoppedError is
        raised with this error as its `reason`. A delta that only adds rows cannot be stopped while Oxigraph runs, which
        takes some 5 microseconds a row.
        """
        with self._errors_of_change():
            if not removed and check is None:
                self._store.extend(pyoxigraph.parse(added, RdfFormat.N_QUADS, lenient=True))
            elif not removed:
                self._store.extend(parse_quads(added, check))
            elif not added and len(gone := parse_quads(removed)) == 1 and isinstance(gone[0].graph_name, DefaultGraph):
                self._store.remove(gone[0])
            else:
                update = Update(removed, added, check)
                emptied = self._graphs_to_drop(update)
                text = ";\n".join([update.text, *map(_DROP, emptied)])
                try:
                    with self._calling_python:
                        self._store.update(text, custom_functions=update.functions)
                except RuntimeError:
                    if update.reason:
                        raise StoppedError(update.reason) from None
                    raise
                self._forget_empty(update.thinned.keys() - emptied)

    def solutions_after(
        self,
        removed: bytes,
        added: bytes,
        prologue: str,
        operation: str,
        variables: Sequence[str],
        timeout: float | None = None,
    ) -> list[dict[str, Term | None]]:
        """Return the solutions that a WHERE would have after a delta. Other readers do not see the delta.

        `removed` and `added` are the delta, as lines. `operation` is the WHERE as an operation of SPARQL Update;
        `prologue` is the text before it. For each solution the operation must call the function COLLECT with the values
        of `variables`, and with UNBOUND for a variable without a value. The delta and the operation are one
        transaction, which is rolled back. This method stops waiting after `timeout` seconds or at Ctrl-C. The
        transaction goes on, and `is_held` is true until Oxigraph has finished it.

        Raises QueryError, QueryTimeoutError, StoreError. Cost: applying the delta, and a call of Python for each
        solution.
        """
        update, rows, is_wanted = Update(removed, added), list[tuple[Term, ...]](), True

        def collect(*terms: Term) -> None:
            if is_wanted:
                rows.append(terms)
            else:
                worker.stay_at_exit()

        functions: dict[NamedNode, Any] = {**update.functions, COLLECT: collect}
        steps = filter(
            None, [update.text, *map(_DROP, self._graphs_to_drop(update)), operation, f"CLEAR GRAPH {NOWHERE}"]
        )
        text = prologue + ";\n".join(steps)  # Oxigraph takes a prologue only at the beginning
        stack = stack_for(operation)
        try:
            call = self._hold_until(partial(self._store.update, text, custom_functions=functions))
            worker.call_in_worker(call, timeout, stack)
        except FAILURES as error:
            if NOWHERE.value not in str(error):
                raise query_error(error) from error
        except BaseException:
            is_wanted = False
            raise
        return [
            {name: None if term == UNBOUND else term for name, term in zip(variables, row, strict=True)} for row in rows
        ]

    def _hold_until(self, call: Callable[[], None]) -> Callable[[], None]:
        """Mark the store as held (`is_held`), and return a function that calls `call` and then takes the mark away.

        The function may run in another thread.
        """
        self._calling_python.acquire()

        def holding() -> None:
            try:
                call()
            finally:
                self._calling_python.release()

        return holding

    @property
    def is_held(self) -> bool:
        """Whether a transaction that nobody waits for is still running. Every change of the store would wait for it."""
        return self._calling_python.locked()

    def _graphs_to_drop(self, update: Update) -> set[GraphName]:
        """Return the named graphs that will lose all of their rows in an update.

        Some graphs are left out; `_forget_empty` says which. Cost: a look at the rows of the graphs that lose rows.
        """
        return {
            name
            for name, triples in update.thinned.items()
            if isinstance(name, NamedNode) and name not in update.filled and self._has_only(name, triples)
        }

    def _has_only(self, graph: NamedNode, triples: set[Triple]) -> bool:
        rows = islice(self._store.quads_for_pattern(None, None, None, graph), len(triples) + 1)
        return all(row.triple in triples for row in rows)

    def _forget_empty(self, graphs: Iterable[GraphName]) -> None:
        """Remove the names of those `graphs` that have no rows any more. Otherwise GRAPH ?g would find these graphs.

        `_graphs_to_drop` misses two kinds of empty graphs. The name of the first kind is a blank node. From the second
        kind, the update removes a literal in a spelling that the store does not have.
        """
        for name in graphs:
            if not isinstance(name, (DefaultGraph, Triple)) and not any(self.match(None, None, None, name)):
                self._store.remove_graph(name)

    def query(
        self,
        sparql: str,
        *,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        default_graph: NamedNode | BlankNode | None = None,
        timeout: float | None = None,
        is_apart: bool = True,
        most_bytes: int | None = None,
    ) -> Results:
        """Return the results of a SPARQL query. All rows must be fetched within `timeout` seconds.

        `default_graph` is the graph that the query sees as its default graph. Ctrl-C ends the waiting. The query runs
        in a process of its own (`process`) if it has a timeout, the store is on disk and `is_apart` is true; this
        process may take `most_bytes` of memory. Otherwise
        it runs in a worker (`worker`), or in this thread if it is short. In all cases any thread may fetch the rows.
        Raises QueryError, and QueryTimeoutError here or while rows are fetched.
        """
        names = dict(prefixes or {})
        ask = partial(self._results, sparql, prefixes=names, base_iri=base, default_graph=default_graph)
        _ = self._store  # raises if it is closed
        stack = stack_for(sparql)
        try:
            is_apart = is_apart and timeout is not None
            if not is_apart and worker.is_short(sparql) and (results := worker.small_results(ask)) is not None:
                return results
            if is_apart and timeout is not None and self._path is not None:
                graph = default_graph
                with suppress(process.UnopenedError):  # a writer has moved the files, which a reader has open still
                    return process.answer(
                        self._path,
                        sparql,
                        timeout,
                        prefixes=names,
                        base=base,
                        default_graph=graph,
                        stack=stack,
                        most_bytes=most_bytes,
                        keeper=self,
                    )
            return worker.answer(ask, timeout, stack)
        except SyntaxError as error:
            raise QueryError(f"the query does not parse: {error.msg}") from error
        except FAILURES as error:
            raise query_error(error) from error

    def evaluate(
        self,
        sparql: str,
        *,
        prefixes: Mapping[str, str] = MappingProxyType({}),
        base: str | None = None,
        default_graphs: Sequence[NamedNode] | None = None,
        named_graphs: Sequence[NamedNode] | None = None,
    ) -> Results:
        """Evaluate a SPARQL query in the calling thread, and return the results. Nothing can stop the query.

        The thread needs as much stack as `stacks.stack_for` says, also while rows are fetched.

        The query sees the merged graphs `default_graphs` as its default graph, and no other named graphs than
        `named_graphs`. Both overrule the FROM clauses of the query. Raises SyntaxError, OSError, RuntimeError,
        ValueError as pyoxigraph does.
        """
        graphs = {"default_graph": default_graphs, "named_graphs": named_graphs}
        told: dict[str, Any] = {name: list(each) for name, each in graphs.items() if each is not None}
        return self._store.query(sparql, prefixes=dict(prefixes), base_iri=base, **told)

    def _results(self, sparql: str, **options: Any) -> Results:
        return self._store.query(sparql, **options)

    def match(
        self,
        subject: NamedNode | BlankNode | None,
        predicate: NamedNode | None,
        object_: Term | None,
        graph: NamedNode | BlankNode | DefaultGraph | None,
    ) -> Iterator[Quad]:
        """Return the rows that have the given terms, as of this call. None stands for any term.

        A literal is found by its normal form, so a language tag may have capital letters.

        Any thread may take the rows.
        """
        with self._errors():
            object_ = None if object_ is None else with_small_tags(object_)
            return worker.read_quads(partial(self._matching, self._store, subject, predicate, object_, graph))

    def _matching(self, store: pyoxigraph.Store, *pattern: Any) -> Iterator[Quad]:
        return store.quads_for_pattern(*pattern)

    def lines(self) -> Iterator[bytes]:
        """Yield all rows as N-Quads lines, in chunks of whole lines."""
        with self._errors():
            rows = iter(self._store)
            while chunk := pyoxigraph.serialize(islice(rows, _ROWS), format=RdfFormat.N_QUADS):
                yield chunk

    def count(self, lines: bytes) -> int:
        """Count how many of the rows `lines` (N-Quads) are in the store."""
        with self._errors():
            return sum(map(self._store.__contains__, pyoxigraph.parse(lines, RdfFormat.N_QUADS, lenient=True)))

    def __bool__(self) -> bool:
        """Return True, even if the store is empty."""
        return True

    def __len__(self) -> int:
        """The number of rows. Cost: a look at each row."""
        with self._errors():
            return len(self._store)

    def copy(self, path: Path) -> None:
        """Copy the store to a path that does not exist yet. The copy shares the large files, by hard links.

        A store that is broken cannot write its log to its tables first. So its files are copied as they are.
        """
        if self.is_broken and self._path is not None:
            with self._errors():
                copy(self._path, path)
            return
        with self._errors_of_change():
            self._store.backup(str(path))

    def flush(self) -> None:
        """Write all changes to the disk."""
        with self._errors_of_change():
            self._store.flush()

    def compact(self) -> None:
        """Merge the tables on the disk, so that a query reads few of them. Ctrl-C ends the waiting.

        Loads leave many tables: queries take twice as long. If this fails, the store is as it was: it takes changes.
        Raises StoreError. Cost: about a fifth of the time that loading all rows took.
        """
        if self._path is not None:
            with self._errors():
                worker.call_in_worker(self._store.optimize)

    def close(self) -> None:
        """Close the store. Later calls raise StoreError; iterations over results can go on."""
        self._postponed.clear()  # first, so that `_catch_up` in another thread sees it
        self._opened = None

    @property
    def _store(self) -> pyoxigraph.Store:
        if self._postponed:
            self._catch_up()
        if (opened := self._opened) is None:
            raise StoreError("the graph is closed")
        return opened

    def _catch_up(self) -> None:
        """Do what was postponed; other threads that want to read wait."""
        with self._catching_up:
            if self._postponed:
                filled = OxigraphStore()
                for load in self._postponed:
                    load(filled)
                self._opened = filled._opened
                if not self._postponed:  # another thread has closed the store meanwhile
                    self._opened = None
                self._postponed.clear()

    @property
    def path(self) -> Path | None:
        """The folder of the store, or None if it is in memory."""
        return self._path

    def _prepare(self, path: Path | None) -> None:
        self._path, self._name = path, str(path) if path else "the store in memory"
        self.is_late = False
        """Whether the first rows should come by `postpone`."""
        self._opened: pyoxigraph.Store | None = None
        self._postponed: list[Callable[[OxigraphStore], object]] = []
        self._catching_up = Lock()
        self.is_broken = False
        """Whether a write to the disk has failed. Then RocksDB takes no more changes, even if there is room again.

        The rows can still be read, and a transaction that is rolled back still works. A `copy` takes changes again.
        """
        if path:
            _ON_DISK.add(self)
        # Two writers that call Python under Oxigraph's own lock would deadlock: each waits for the other's lock or GIL.
        self._calling_python = Lock()

    def _load(self, chunk: bytes) -> None:
        if b"_:" in chunk:
            with self._calling_python:
                self._store.bulk_extend(pyoxigraph.parse(chunk, RdfFormat.N_QUADS, lenient=True))
        else:
            self._store.bulk_load(chunk, RdfFormat.N_QUADS, lenient=True)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Within the block, an error of Oxigraph or RocksDB becomes a StoreError with one clear line."""
        try:
            yield
        except (OSError, RuntimeError, SyntaxError) as error:
            raise _store_error(self._name, error) from error

    @contextmanager
    def _errors_of_change(self) -> Iterator[None]:
        """Do the same as `_errors`, for a block that writes. If a write fails, the store is broken."""
        try:
            with self._errors():
                yield
        except StoreError as error:
            self.is_broken = self.is_broken or isinstance(error.__cause__, (OSError, RuntimeError))
            raise


_ON_DISK: WeakSet[OxigraphStore] = WeakSet()
"""The stores on disk that this process has opened."""
_OF_PARENT: list[object] = []
"""In a forked child: the stores on disk of its parent. They stay here, so they are never freed."""


def _keep_stores_of_parent() -> None:
    for store in _ON_DISK:
        _OF_PARENT.extend((store, store._opened))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keep_stores_of_parent)


def _store_error(name: str, error: Exception) -> StoreError:
    text = " ".join(str(error).split())
    if "While lock file" in text:
        return StoreLockedError(f"{name}: another process has the store open")
    if "lock hold by current process" in text:
        return StoreLockedError(f"{name}: this process has the store open already")
    if full := fullness(error):
        return DiskFullError(f"{name}: {full}")
    if isinstance(error, SyntaxError):
        return StoreError(f"{name}: a row is not N-Quads: {error.msg}")
    return StoreError(f"{name}: {text.removeprefix('IO error: ')}")
