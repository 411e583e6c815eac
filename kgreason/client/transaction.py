"""`RemoteTransaction`: edits that are collected here and sent as one request, which is one commit.

The methods are those of `graph.transaction.Transaction`. The client turns texts and files into N-Quads, and writes each
chunk of N-Quads as one line of JSON (`server.paths.clients.transactions`). A mistake in a text, a row or a file raises
an error at once. A mistake that only the server can see, such as the removal of a rule that was never added, raises an
error at the end of the block.

Nobody waits while a transaction is open, because the server hears of it only at its end. Cost: the lines are kept in a
temporary file if they are more than 16 MB.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self, Unpack

from kgreason.client.spool import spool_file
from kgreason.errors import InputError, StoreError
from kgreason.graph.input.arguments import check_paths, check_text
from kgreason.graph.input.terms import checked_prefixes
from kgreason.progress import SILENT, Progress, progress_of
from kgreason.rdf.document_prefixes import DocumentPrefixes
from kgreason.rules.parser import Syntax, parse, syntax_of, text_of_file

if TYPE_CHECKING:
    from kgreason.client.shapes import RemotePendingShapes
    from kgreason.graph.changes.delta import Delta
    from kgreason.graph.input.frames import FrameMapping
    from kgreason.graph.input.quads import Item, Table
    from kgreason.graph.opening.options import File
    from kgreason.graph.relation.relation import PendingRelation
    from kgreason.graph.relation.row_input import Terms
    from kgreason.rdf.lines.skipped_lines import Skipped
    from kgreason.rules.model import Relation, Rule

Send = Callable[[IO[bytes]], "Delta"]


class RemoteTransaction:
    """Edits that become one commit. `RemoteGraph.transaction` and `RemoteGraph.what_if` return an object of this class.

    `send` sends the edits to the server, as one file, and returns the delta. `own_rules` returns the user's rules.
    """

    def __init__(self, send: Send, own_rules: Callable[[], tuple[Rule, ...]]) -> None:
        self._send, self._own_rules = send, own_rules
        self._file = spool_file()
        self._rules: tuple[Rule, ...] = ()
        self._delta: Delta | None = None
        self._is_open = True

    @property
    def is_open(self) -> bool:
        """Whether the transaction still takes edits."""
        return self._is_open

    @property
    def delta(self) -> Delta:
        """The delta of the commit, or of the what-if. Raises StoreError if the transaction is open or failed."""
        if self._delta is None:
            raise StoreError("the transaction has no delta: it is still open, or it failed")
        return self._delta

    def add(
        self, *items: Item | Table, prefixes: Mapping[str, str] | None = None, **mapping: Unpack[FrameMapping]
    ) -> Self:
        """Assert rows of terms, Turtle and TriG text, frames, or graphs of rdflib; see `KnowledgeGraph.add`.

        Raises RdfSyntaxError, InputError.
        """
        return self._items("add", items, prefixes, mapping)

    def remove(
        self, *items: Item | Table, prefixes: Mapping[str, str] | None = None, **mapping: Unpack[FrameMapping]
    ) -> Self:
        """Retract what `add` asserts for the same items. Name a blank node by the label that queries show."""
        return self._items("remove", items, prefixes, mapping)

    def _items(
        self, verb: str, items: tuple[Item | Table, ...], prefixes: Mapping[str, str] | None, mapping: FrameMapping
    ) -> Self:
        from kgreason.graph.input.quads import quads_of
        from kgreason.terms.dictionary import Dictionary

        terms = Dictionary()
        quads = quads_of(items, terms, fresh=verb == "add", prefixes=checked_prefixes(prefixes), mapping=mapping)
        return self._lines(verb, terms.lines(*quads.T)) if len(quads) else self

    def add_lines(self, lines: bytes) -> Self:
        """Assert N-Quads lines; blank nodes keep their labels."""
        return self._lines("add", lines)

    def remove_lines(self, lines: bytes) -> Self:
        """Retract N-Quads lines."""
        return self._lines("remove", lines)

    def _lines(self, verb: str, lines: bytes) -> Self:
        return self._note({verb: lines.decode()})

    def load(
        self,
        *paths: File,
        syntax: str | None = None,
        skipped: Skipped | None = None,
        progress: Progress | bool = False,
    ) -> Self:
        """Assert the quads of RDF files. Raises InputError, RdfSyntaxError.

        With `skipped` malformed lines of N-Triples and N-Quads are left out, and added to `skipped`.
        """
        check_paths("load", paths)
        progress = progress_of(progress)
        return self._files("add", paths, syntax, progress, skipped)

    def unload(self, *paths: File, syntax: str | None = None, progress: Progress | bool = False) -> Self:
        """Retract the quads of RDF files. A blank node of a file is the node that loading the same file made."""
        check_paths("unload", paths)
        progress = progress_of(progress)
        return self._files("remove", paths, syntax, progress)

    def _files(
        self,
        verb: str,
        paths: tuple[File, ...],
        syntax: str | None,
        progress: Progress,
        skipped: Skipped | None = None,
    ) -> Self:
        prefixes = DocumentPrefixes()
        with progress("reading") as report:
            for path in paths:
                for lines, count in _chunks(path, syntax, skipped, prefixes):
                    self._lines(verb, lines)
                    report(count)
        found = prefixes.prefixes()
        return self._note({"add": "", "prefixes": found}) if found and verb == "add" else self

    def add_rules(self, text: str, source: str = "<rules>", *, syntax: Syntax = "datalog") -> Self:
        """Add rules, and facts of your own relations. Raises RuleSyntaxError, UnsafeRuleError."""
        check_text("add_rules", "rules", text)
        return self._more_rules(text, source, syntax, {})

    def load_rules(self, path: File) -> Self:
        """Add the rules of a file. Raises InputError, RuleSyntaxError, UnsafeRuleError."""
        check_paths("load_rules", (path,))
        return self._more_rules(text_of_file(path), str(path), syntax_of(path), {"file": str(path)})

    def _more_rules(self, text: str, source: str, syntax: Syntax, more: dict[str, str]) -> Self:
        if "IMPORTS" not in text.upper():  # the server has the catalogue for them
            self._rules += parse(text, source, None, syntax=syntax).rules
        return self._note({"add_rules": text, "source": source, "syntax": syntax, **more})

    def remove_rules(
        self,
        text: str | None = None,
        source: str = "<rules>",
        *,
        file: File | None = None,
        syntax: Syntax = "datalog",
    ) -> Self:
        """Remove rules that the user added.

        `text` is the name of rules, or the rules themselves. With `file`, only rules that came from this rule file are
        removed: those with the name `text`, or all of them if `text` is None. `source` is the name of `text` in
        messages.
        """
        if text is not None or file is None:
            check_text("remove_rules", "a rule's name, or rules,", text)
        more = {} if file is None else {"file": str(file)}
        return self._note({"remove_rules": text, "source": source, "syntax": syntax, **more})

    def unload_rules(self, path: File) -> Self:
        """Remove the rules of a file. Raises InputError."""
        check_paths("unload_rules", (path,))
        text, syntax = text_of_file(path), syntax_of(path)
        return self._note({"unload_rules": text, "source": str(path), "syntax": syntax})

    def relation(self, name: str, arity: int | None = None) -> PendingRelation:
        """Return an object that inserts, deletes and upserts facts of a relation in this transaction.

        Raises InputError.
        """
        from kgreason.graph.relation.relation import pending_relation

        own = self._own_rules()
        return pending_relation(
            name, arity, lambda: (*own, *self._rules), lambda read: read(), lambda known: _Facts(self._note, known)
        )

    @property
    def shapes(self) -> RemotePendingShapes:
        """The shapes graph, for edits in this transaction."""
        from kgreason.client.shapes import RemotePendingShapes

        return RemotePendingShapes(self._note)

    def _note(self, edit: dict[str, Any]) -> Self:
        if not self._is_open:
            raise StoreError("the transaction has ended")
        self._file.write(json.dumps(edit).encode() + b"\n")
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._is_open:
            self.end(kind is None)

    def end(self, is_good: bool, progress: Progress = SILENT) -> None:
        """End the transaction: send its edits if `is_good`, otherwise drop them.

        Raises the errors of the commit, and StoreError if the transaction has ended already.
        """
        if not self._is_open:
            raise StoreError("the transaction has ended")
        self._is_open = False
        with self._file:
            if is_good:
                with progress("reasoning"):
                    self._delta = self._send(self._file)


class _Facts:
    """Writes edits of relations as lines of the transaction's request. It has the methods of `PendingFacts`."""

    def __init__(self, note: Callable[[dict[str, Any]], object], arity: int | None) -> None:
        self._note, self._arity = note, arity

    def insert(self, name: str, terms: list[Terms], relation: Relation | None) -> None:  # noqa: ARG002
        """Assert facts of the relation `name`. Each fact is a tuple of terms in N-Triples syntax."""
        self._edit("insert", name, terms)

    def delete(self, name: str, terms: list[Terms]) -> None:
        """Retract facts of the relation `name`."""
        self._edit("delete", name, terms)

    def upsert(self, name: str, terms: list[Terms], relation: Relation) -> None:  # noqa: ARG002
        """Assert facts of the relation `name`, and retract the facts that have the same keys."""
        self._edit("upsert", name, terms)

    def asserted(self, name: str, arity: int, key: Sequence[int], values: Sequence[str]) -> list[Terms]:  # noqa: ARG002
        """Raise InputError: only the server knows what is asserted after the edits so far."""
        raise InputError(f"{name}: a transaction of a server cannot be read; read graph.relation({name!r})")

    def _edit(self, verb: str, name: str, terms: list[Terms]) -> None:
        self._note({verb: terms, "relation": name, "arity": self._arity})


def _chunks(
    path: File, syntax: str | None, skipped: Skipped | None, prefixes: DocumentPrefixes
) -> Iterator[tuple[bytes, int]]:
    """Yield the quads of a file in chunks, each as (N-Quads lines, number of quads)."""
    from kgreason.rdf.reader import read
    from kgreason.terms.dictionary import Dictionary

    terms = Dictionary()
    known = len(terms)
    file = Path(path) if str(path) != "-" else path
    for batch in read(file, terms, syntax=syntax, skipped=skipped, prefixes=prefixes):
        yield terms.lines(*batch), len(batch.subjects)
        terms.truncate(known)
