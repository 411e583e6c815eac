"""`ChangeLog`: triggers of SQLite note each row of an owlready2 quadstore that was added or removed.

owlready2 edits its quadstore in many ways: methods of ontologies, its own SQL in `destroy_entity`, SPARQL updates, the
bulk load of a file. All of them change the tables `objs`, `datas` and `resources` (schema version 12), so triggers on
these tables see every edit. Triggers and log tables are TEMP: they belong to this connection and do not change the
user's file. A rollback of the user's edits also rolls back their notes. A changed row is in the log once, with a flag
`was`: 1 if the row was there before the first change.

Law: take the present tables `objs` and `datas`, remove the rows with `was` = 0 and add the rows with `was` = 1. The
tables then hold the rows from before the first change. In the same way the log has the former names of `resources`.
Cost: one insertion into a table in memory for each row that changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import NamedTuple, TypeAlias

Value: TypeAlias = int | float | str
Datatype: TypeAlias = int | str | None
Taken: TypeAlias = dict[str, list[tuple[Value | None, ...]]]

_numbers = count(1)
_TABLES = ("objs", "datas", "resources")
_EVENTS = (("INSERT", (("new", 0),)), ("DELETE", (("old", 1),)), ("UPDATE", (("old", 1), ("new", 0))))


class Row(NamedTuple):
    """A row of the quadstore: ontology `c`, subject `s`, predicate `p` and object `o` as owlready2's numbers.

    If the object is a resource, `d` is None. If the object is a literal, `o` is its value. Then `d` is the number of
    its datatype; or `@` and a language; or 0 for a plain literal.
    """

    c: int
    s: int
    p: int
    o: Value
    d: Datatype


class ChangedRow(NamedTuple):
    """A row that has changed, or that has a resource with a changed name.

    `was`: whether the row was there before the first change. `is_now`: whether the row is there now.
    """

    row: Row
    was: bool
    is_now: bool


class ChangeLog:
    """A log of the changes of a quadstore since the log was made. `take` empties the log, and `close` removes it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self._name = f"kgreason_{next(_numbers)}"
        self._version = self._data_version()
        tables = {"objs": "c, s, p, o", "datas": "c, s, p, o, d"}
        for table, columns in tables.items():
            log = f"{self._name}_{table}"
            db.execute(f"CREATE TEMP TABLE {log} ({columns}, was, PRIMARY KEY ({columns})) WITHOUT ROWID")
            for event, notes in _EVENTS:
                self._trigger(table, event, "".join(_note(log, columns, *note) for note in notes))
        names = f"{self._name}_resources"
        db.execute(f"CREATE TEMP TABLE {names} (storid INTEGER PRIMARY KEY, iri TEXT)")
        for event in ("DELETE", "UPDATE"):
            self._trigger("resources", event, f"INSERT OR IGNORE INTO {names} VALUES (old.storid, old.iri);")

    def _trigger(self, table: str, event: str, body: str) -> None:
        name = f"{self._name}_{table}_{event}".lower()
        self.db.execute(f"CREATE TEMP TRIGGER {name} AFTER {event} ON main.{table} BEGIN {body} END")

    def _data_version(self) -> int:
        (version,) = self.db.execute("PRAGMA data_version").fetchone()
        return int(version)

    def has_missed_changes(self) -> bool:
        """Whether another connection or process has changed the quadstore since the last call.

        The log lacks such changes.
        """
        before, self._version = self._version, self._data_version()
        return self._version != before

    def renames(self) -> dict[int, tuple[str, str | None]]:
        """Return {number: (old name, new name)} for the resources whose name has changed.

        The new name is None if the resource has no name any more.
        """
        found = self.db.execute(
            f"SELECT n.storid, n.iri, r.iri FROM {self._name}_resources n LEFT JOIN main.resources r USING (storid)"
            " WHERE r.iri IS NOT n.iri"
        )
        return {storid: (before, now) for storid, before, now in found}

    def changed_rows(self) -> Iterator[ChangedRow]:
        """Yield the rows in the log that were added to the quadstore or removed from it."""
        for table, d in (("objs", "NULL"), ("datas", "l.d")):
            columns = "cspo" if table == "objs" else "cspod"
            same = " AND ".join(f"q.{column} = l.{column}" for column in columns)
            yield from (
                ChangedRow(Row(*row), bool(was), bool(is_now))
                for *row, was, is_now in self.db.execute(
                    f"SELECT l.c, l.s, l.p, l.o, {d}, l.was, EXISTS (SELECT 1 FROM main.{table} q WHERE {same}) AS now"
                    f" FROM {self._name}_{table} l WHERE l.was <> now"
                )
            )

    def rows_mentioning(self, storids: Iterable[int], *, predicates: bool) -> set[Row]:
        """Return the rows that have one of the resources `storids` as subject or object.

        With `predicates`, also return the rows that have one of them as predicate or datatype. Then the query reads
        whole tables.
        """
        wanted = ",".join(map(str, storids))
        of_objs, of_datas = ("sop", "spd") if predicates else ("so", "s")
        found = {row for column in of_objs for row in rows(self.db, f"{column} IN ({wanted})", objs=True)}
        return found | {row for column in of_datas for row in rows(self.db, f"{column} IN ({wanted})", objs=False)}

    def take(self) -> Taken:
        """Empty the log, so that it notes changes from now on. Returns what was in the log, for `put_back`."""
        noted = {table: self.db.execute(f"SELECT * FROM {self._name}_{table}").fetchall() for table in _TABLES}
        taken = {table: found for table, found in noted.items() if found}
        with self._own_transaction():
            for table in taken:
                self.db.execute(f"DELETE FROM {self._name}_{table}")
        return taken

    def put_back(self, taken: Taken) -> None:
        """Put the result of `take` back into the log. A row that is in the log already stays as it is there."""
        with self._own_transaction():
            for table, found in taken.items():
                values = ", ".join("?" * len(found[0]))
                self.db.executemany(f"INSERT OR IGNORE INTO {self._name}_{table} VALUES ({values})", found)

    @contextmanager
    def _own_transaction(self) -> Iterator[None]:
        """If the block makes sqlite3 open a transaction, commit it, so that the user's file does not stay locked."""
        was_open = self.db.in_transaction
        yield
        if not was_open and self.db.in_transaction:
            self.db.commit()

    def close(self) -> None:
        """Remove the triggers and tables of the log."""
        for table in _TABLES:
            for event, _ in _EVENTS:
                self.db.execute(f"DROP TRIGGER IF EXISTS {self._name}_{table}_{event.lower()}")
            self.db.execute(f"DROP TABLE {self._name}_{table}")


def _note(log: str, columns: str, which: str, was: int) -> str:
    values = ", ".join(f"{which}.{column}" for column in columns.split(", "))
    return f"INSERT OR IGNORE INTO {log} VALUES ({values}, {was});"


def rows(db: sqlite3.Connection, where: str, *, objs: bool) -> Iterator[Row]:
    """Return the rows that fulfil the SQL condition `where`: from table `objs`, or with `objs=False` from `datas`."""
    columns, table = ("c, s, p, o, NULL", "objs") if objs else ("c, s, p, o, d", "datas")
    return (Row(*row) for row in db.execute(f"SELECT {columns} FROM main.{table} WHERE {where}"))
