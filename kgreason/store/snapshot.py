"""Snapshots: the state after a commit, as files that can be read back without any evaluation.

    records.npy    int32[n, 3 + w]: state, stamp, support and columns of every fact; with room behind them (`npy`)
    hashed.npy     uint32[2**k]: the hash table of the records, see `FactTable.hash_table`; may be missing
    keys.npy       int32[k, 2 + w]: how many records meet each key, see `Arrangements.key_counts`; may be missing
    others.npy     int32[k]: the numbers of the records that are not triples; older versions wrote none
    axioms.npy     int32[n, 3]: the asserted triples that say something about the schema; older versions wrote none
    quads.npy      int32[n, 4]: the asserted quads; only if named graphs or imports are used
    dictionary/    the terms, memory-mapped when read
    rules.json     the program: rule text, name and reason
    costs.npy      int64[r, 4]: the work of each rule of rules.json, see `engine.costs`; older versions wrote none
    own.dl         the user's rules
    files.json     for each rule of own.dl the name of the rule file that it came from, or an empty string
    dialects.json  for each rule of own.dl its dialect (`Rule.dialect`)
    state.json     tables and flags, and the counts of the state by name

Invariant: a snapshot is complete and synced before the manifest names it. Cost: as many bytes as the facts and terms
have in memory. Reading maps the files into memory. With keys.npy the engine works in the mapped files, so opening a
graph reads no fact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kgreason.engine.costs import Cost
from kgreason.engine.records import Snapshot, without_log_flags
from kgreason.errors import RuleError, StoreError
from kgreason.files import allocate, sync, sync_folder
from kgreason.materialize.relations.facts import relation_rows, relations_with_facts
from kgreason.materialize.schema.rows import AXIOMS
from kgreason.materialize.state import SavedState
from kgreason.npy import load, map_file
from kgreason.rules.formatter import format_program, format_rule
from kgreason.rules.model import Rule
from kgreason.rules.parser import parse
from kgreason.rules.program import Program as RuleText
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.quoting import quote
from kgreason.terms.vocabulary import VOCABULARY
from kgreason.zset.columns import Int32, Int64, UInt32
from kgreason.zset.order import distinct

_VOCABULARY = frozenset(VOCABULARY)
_TERM = re.compile(r'<[^>]*>|_:[^\s,\])]+|"(?:[^"\\]|\\.)*"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?')
"""An IRI, a blank node or a literal in the text of a rule, or in the reason of a translated rule."""
_NOT_ONLY_ATOMS = re.compile(r"\b(NOT|FILTER|BIND|AGGREGATE)\b")

_PART = 1 << 16
"""So many records are written together."""
_VALUES = ("same_as", "exceeded", "work", "rep", "aliases", "preferred", "restricted", "spelled")
"""The fields of a state that state.json holds unchanged."""


def write(
    folder: Path,
    saved: SavedState,
    dictionary: Dictionary,
    reasons: dict[Rule, str],
    own: tuple[Rule, ...],
    costs: Mapping[Rule, Cost],
    strata: Mapping[Rule, int],
) -> None:
    """Write a snapshot into a folder that does not exist yet. Raises StoreError and OSError.

    `saved` is the state. `reasons` are the rules in force, each with the reason why it runs, `costs` their work, and
    `strata` the strata of those that have one. `own` are the user's rules.
    """
    folder.mkdir()
    rules = rules_as_dicts(reasons, strata, costs)
    work = [[rule.pop(name) for name in Cost._fields] for rule in rules]
    _save(folder / "costs.npy", np.array(work, dtype=np.int64).reshape(-1, len(Cost._fields)))
    dictionary.save(folder / "dictionary")
    _save_records(folder / "records.npy", saved.records)
    if saved.snapshot is not None:
        _save(folder / "hashed.npy", saved.snapshot.hashed)
        _save(folder / "keys.npy", saved.snapshot.keys)
    _save(folder / "axioms.npy", saved.asserted_axioms())
    _save(folder / "others.npy", saved.numbers_of_others())
    if saved.quads is not None:
        _save(folder / "quads.npy", saved.quads)
    state = {name: getattr(saved, name) for name in ("tables", *_VALUES)}
    state |= {"axioms": AXIOMS, "counts": dict(saved.counts)}
    for name, text in (
        ("state.json", json.dumps(state)),
        ("rules.json", json.dumps(rules)),
        ("own.dl", format_program(RuleText(own))),
        ("files.json", json.dumps([rule.file for rule in own])),
        ("dialects.json", json.dumps([rule.dialect for rule in own])),
    ):
        with (folder / name).open("w", encoding="utf-8") as file:
            file.write(text)
            sync(file)
    for path in (folder / "dictionary").iterdir():
        with path.open("rb") as stored:
            sync(stored)
    for path in (folder / "dictionary", folder, folder.parent):
        sync_folder(path)


def rules_as_dicts(
    reasons: dict[Rule, str],
    strata: Mapping[Rule, int],
    costs: Mapping[Rule, Cost] | None = None,
    alone: Mapping[Rule, int] | None = None,
) -> list[dict[str, Any]]:
    """Return a dict for each rule with its name, text, reason and stratum, ordered by name and then by text.

    `reasons` are the rules, each with the reason why it runs. `strata` are the strata of rules that have one; the
    others get 0. If `costs` is given, each dict has the work of its rule.
    If `alone` is given, too, each dict has the number of facts that only its rule supports; `alone` maps rules to these
    numbers.
    """
    rows = sorted((rule.name, format_rule(rule), why, place) for place, (rule, why) in enumerate(reasons.items()))
    rules = list(reasons)
    told: list[dict[str, Any]] = [
        {"name": name, "rule": text, "why": why, "stratum": strata.get(rules[place], 0)}
        for name, text, why, place in rows
    ]
    if costs is not None:
        for row, (*_, place) in zip(told, rows, strict=True):
            row.update(costs.get(rules[place], Cost())._asdict())
            row.update({} if alone is None else {"alone": alone[rules[place]]})
    return told


def read_state(folder: Path, *, is_written: bool = False) -> SavedState:
    """Return the state in a snapshot; its arrays are memory-mapped. Raises StoreError.

    With `is_written` an engine may write into the arrays, and the files stay as they are.
    """
    try:
        state = json.loads((folder / "state.json").read_text())
        rows, count = map_file(folder / "records.npy", is_written=is_written)
        records = rows[:count]
        tables = [(bool(is_triple), int(width)) for is_triple, width in state["tables"]]
        known = {"restricted": False, **state}  # stores of format 3 do not have this field
        hashed = others = quads = None
        if (folder / "hashed.npy").exists():
            hashed, _ = map_file(folder / "hashed.npy", is_written=is_written)
        snapshot = axioms = None
        if is_written and hashed is not None and (folder / "keys.npy").exists():
            snapshot = Snapshot(rows, hashed, load(folder / "keys.npy"))
        if state.get("axioms") == AXIOMS:
            axioms = load(folder / "axioms.npy")
        if (folder / "quads.npy").exists():
            rows_of_quads, count = map_file(folder / "quads.npy", is_written=False)
            quads = rows_of_quads[:count]
        if (folder / "others.npy").exists():
            others, _ = map_file(folder / "others.npy", is_written=False)
        values = {name: known[name] for name in _VALUES if name in known} | {"hashed": hashed, "others": others}
        values["counts"] = state.get("counts", {})
        return SavedState(records, tables, quads, **values, snapshot=snapshot, axioms=axioms)
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise StoreError(f"{folder}: the snapshot cannot be read: {error}") from error


def read_asserted(folder: Path, dictionary: Dictionary) -> Int32:
    """Return the asserted quads int32[n, 4] in a snapshot of any format from `OLDEST` on; their terms are interned.

    From a snapshot of an older format, kgreason reads only these quads, the facts of `read_facts` and the rules of
    `read_own_rules`. Raises StoreError.
    """
    terms = read_dictionary(folder)
    try:
        state = json.loads((folder / "state.json").read_text())
        if (folder / "quads.npy").exists():
            quads = load(folder / "quads.npy")
        else:
            records, count = map_file(folder / "records.npy", is_written=False)
            rows = SavedState(records[:count], list(map(tuple, state["tables"])), None, False, False, 0).facts(True)
            quads = np.insert(rows, 3, 0, axis=1)
        ids = distinct(quads)
        number = np.zeros(len(terms) + 1, dtype=np.int32)
        number[ids[ids > 0]] = dictionary.intern(terms.decode(ids[ids > 0]))
        found: Int32 = number[quads]
    except (OSError, ValueError, KeyError, TypeError, EOFError, IndexError) as error:
        raise StoreError(f"{folder}: the snapshot cannot be read: {error}") from error
    return found


def read_facts(folder: Path, dictionary: Dictionary) -> dict[tuple[str, int], Int32]:
    """Return the asserted facts of the user's relations in a snapshot.

    The result maps the name and the arity of each relation to its facts, int32[n, arity]. The terms of the facts are
    interned. Raises StoreError.
    """
    saved, terms = read_state(folder), read_dictionary(folder)
    added = {}
    for each in relations_with_facts(saved, terms):
        rows = relation_rows(saved, each.number, each.arity, asserted=True)
        ids = distinct(rows)
        number = np.zeros(len(terms) + 1, dtype=np.int32)
        number[ids] = dictionary.intern(terms.decode(ids))
        added[each.name, each.arity] = number[rows]
    return added


def read_dictionary(folder: Path) -> Dictionary:
    """Return the dictionary of a snapshot. Raises StoreError."""
    return Dictionary.load(folder / "dictionary")


def read_rules(folder: Path, *, costs: bool = False) -> list[dict[str, Any]]:
    """Return the program of a snapshot: for each rule its name, its text, the reason why it runs, and its stratum.

    If `costs` is true, the work of each rule is included. Raises StoreError.
    """
    try:
        rules: list[dict[str, Any]] = json.loads((folder / "rules.json").read_text())
        if costs:
            is_there = (folder / "costs.npy").exists()
            counts = load(folder / "costs.npy").tolist() if is_there else [Cost()] * len(rules)
            rules = [rule | Cost(*each)._asdict() for rule, each in zip(rules, counts, strict=True)]
        return rules
    except (OSError, ValueError, TypeError, EOFError) as error:
        raise StoreError(f"{folder}: the rules cannot be read: {error}") from error


def false_rules(folder: Path | None, names: Collection[str], terms: Collection[str]) -> Iterator[Rule]:
    """Yield the rules of a snapshot that have the head `false`, a name in `names`, and only terms that are allowed.

    The terms in `terms`, the terms of the vocabulary and all literals are allowed. In rules with NOT, an expression or
    an aggregate all terms are, because the facts of `false` do not have the constants there. Raises StoreError. Cost: a
    look at every rule, and parsing the rules in the result.
    """
    for told in read_rules(folder) if folder else ():
        text, why = told["rule"], told["why"]
        if told["name"] in names and text.startswith("false") and _has_only_names(text, terms):
            (rule,) = parse(f"@rule {quote(told['name'])}\n{text}", str(folder), None).rules
            sources = _TERM.findall(why) if why.startswith(("<", "_:", '"')) else []
            yield replace(rule, sources=tuple(zip(*[iter(sources)] * 3, strict=True)))


def _has_only_names(text: str, terms: Collection[str]) -> bool:
    if _NOT_ONLY_ATOMS.search(text):
        return True
    return all(term in terms or term in _VOCABULARY for term in _TERM.findall(text) if not term.startswith('"'))


def read_own_rules(folder: Path) -> tuple[Rule, ...]:
    """Return the user's rules that are in a snapshot. Raises StoreError."""
    try:
        text = (folder / "own.dl").read_text(encoding="utf-8")
        rules = parse(text, str(folder / "own.dl"), None).rules if text else ()  # the parser takes 0.15 s to start
        files, dialects = (_texts(folder / f"{name}.json", len(rules)) for name in ("files", "dialects"))
        rows = zip(rules, files, dialects, strict=True)
        return tuple(replace(rule, file=file, line=0, dialect=dialect) for rule, file, dialect in rows)
    except (OSError, ValueError, RuleError) as error:
        raise StoreError(f"{folder}: the store is damaged: the user's rules in it cannot be read: {error}") from error


def _texts(path: Path, length: int) -> list[str]:
    """Return the list of texts in the file `path`.

    Older versions did not write this file. If the file is missing, the result is a list of `length` empty texts.
    """
    listed: list[str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else [""] * length
    return listed


def _save_records(path: Path, records: Int32) -> None:
    """Write records as `_save` writes an array, with room for an eighth more. They are never copied whole."""
    with path.open("w+b") as file:
        header = {"descr": np.lib.format.dtype_to_descr(records.dtype), "fortran_order": False, "shape": records.shape}
        np.lib.format.write_array_header_1_0(file, header)
        for low in range(0, len(records), _PART):
            file.write(
                np.ascontiguousarray(without_log_flags(records[low : low + _PART])).data
            )  # `tofile` hides why a write failed
        allocate(file, (len(records) // 8 + 1024) * records.itemsize * records.shape[1])
        sync(file)


def _save(path: Path, array: Int32 | Int64 | UInt32) -> None:
    with path.open("w+b") as file:  # NumPy hides why a write to a "wb" file failed
        np.save(file, np.ascontiguousarray(array))
        sync(file)
