"""What changed in an owlready2 quadstore, kept by SQLite itself: triggers note each row that came or went.

owlready2 edits its quadstore in many ways (methods of ontologies, SQL of its own in `destroy_entity`, SPARQL updates,
the bulk load of a file); all of them are changes of the tables `objs`, `datas` and `resources` (schema version 12), and
triggers on these see every one. They are TEMP: they and their tables are of this connection and leave the user's file
as it is; what is rolled back is noted no more. A row stands in the log once, with whether it was there before.

Laws: `objs` and `datas` before = now, without the rows noted as new, with those noted as old. Names likewise:
`resources` before = now, with the names noted. Cost: one insertion into a table in memory for each row that changes.
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
    """A row of the quadstore: ontology, subject, predicate and object as its numbers.

    `d` is None for an object that is a resource; for a literal its datatype's number, `@` and a language, or 0.
    """

    c: int
    s: int
    p: int
    o: Value
    d: Datatype


class Noted(NamedTuple):
    """A row that changed, or whose text did: whether it was there before, and whether it is now."""

    row: Row
    was: bool
    is_now: bool


class ChangeLog:
    """The changes of a quadstore since it was made or emptied by `take`; `close` removes it."""

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

    def missed(self) -> bool:
        """Whether another connection, of another process perhaps, has changed the quadstore since this was asked."""
        before, self._version = self._version, self._data_version()
        return self._version != before

    def renamed(self) -> dict[int, tuple[str, str | None]]:
        """The resources whose name is another now, or is gone: their names before and now."""
        found = self.db.execute(
            f"SELECT n.storid, n.iri, r.iri FROM {self._name}_resources n LEFT JOIN main.resources r USING (storid)"
            " WHERE r.iri IS NOT n.iri"
        )
        return {storid: (before, now) for storid, before, now in found}

    def changed(self) -> Iterator[Noted]:
        """The rows that came or went."""
        for table, d in (("objs", "NULL"), ("datas", "l.d")):
            columns = "cspo" if table == "objs" else "cspod"
            same = " AND ".join(f"q.{column} = l.{column}" for column in columns)
            yield from (
                Noted(Row(*row), bool(was), bool(is_now))
                for *row, was, is_now in self.db.execute(
                    f"SELECT l.c, l.s, l.p, l.o, {d}, l.was, EXISTS (SELECT 1 FROM main.{table} q WHERE {same}) AS now"
                    f" FROM {self._name}_{table} l WHERE l.was <> now"
                )
            )

    def mentioning(self, storids: Iterable[int], *, predicates: bool) -> set[Row]:
        """The rows about resources; a look through the whole table where those that use them as predicates count."""
        wanted = ",".join(map(str, storids))
        of_objs, of_datas = ("sop", "spd") if predicates else ("so", "s")
        found = {row for column in of_objs for row in rows(self.db, f"{column} IN ({wanted})", objs=True)}
        return found | {row for column in of_datas for row in rows(self.db, f"{column} IN ({wanted})", objs=False)}

    def take(self) -> Taken:
        """Empty the log: from now on, this is before. What was in it, for `put_back`."""
        noted = {table: self.db.execute(f"SELECT * FROM {self._name}_{table}").fetchall() for table in _TABLES}
        taken = {table: found for table, found in noted.items() if found}
        with self._own_transaction():
            for table in taken:
                self.db.execute(f"DELETE FROM {self._name}_{table}")
        return taken

    def put_back(self, taken: Taken) -> None:
        """Have what was taken noted again, but for what was noted anew since."""
        with self._own_transaction():
            for table, found in taken.items():
                values = ", ".join("?" * len(found[0]))
                self.db.executemany(f"INSERT OR IGNORE INTO {self._name}_{table} VALUES ({values})", found)

    @contextmanager
    def _own_transaction(self) -> Iterator[None]:
        """Where sqlite3 opens a transaction of its own, end it: the user's file is not to stay locked."""
        was_open = self.db.in_transaction
        yield
        if not was_open and self.db.in_transaction:
            self.db.commit()

    def close(self) -> None:
        """Note no more."""
        for table in _TABLES:
            for event, _ in _EVENTS:
                self.db.execute(f"DROP TRIGGER IF EXISTS {self._name}_{table}_{event.lower()}")
            self.db.execute(f"DROP TABLE {self._name}_{table}")


def _note(log: str, columns: str, which: str, was: int) -> str:
    values = ", ".join(f"{which}.{column}" for column in columns.split(", "))
    return f"INSERT OR IGNORE INTO {log} VALUES ({values}, {was});"


def rows(db: sqlite3.Connection, where: str, *, objs: bool) -> Iterator[Row]:
    """The rows of one table that a condition of SQL selects."""
    columns, table = ("c, s, p, o, NULL", "objs") if objs else ("c, s, p, o, d", "datas")
    return (Row(*row) for row in db.execute(f"SELECT {columns} FROM main.{table} WHERE {where}"))
