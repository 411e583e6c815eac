"""`Driver`: makes the program for data that Spark has encoded, and decides whether derived data needs more rules.

    schema triples -> driver (texts) -> closed, translated -> rules with ids of the driver -> rules with ids of Spark

The schema is small. Its triples are brought to the driver, which computes their closure and translates it to rules, as
a load without Spark does. The driver has ids of its own. In the end it looks up the constants of the rules among
Spark's terms.

Law: the rules are those that an in-process load of the same quads runs if it includes the same generic rules. Cost:
one filter over the facts, and two joins with the terms: for the terms of the schema and for the constants of the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from kgreason.engine.program.encoding import terms_of_row
from kgreason.functions.registry import Registry
from kgreason.interrupts import undivided
from kgreason.materialize.edit import Edit
from kgreason.materialize.imports import Imports
from kgreason.materialize.literals.datatypes_in_use import NAMES
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.schema.rows import (
    CLASS_IDS,
    IMPORTS,
    ONTOLOGY,
    PREDICATE_IDS,
    SAME_AS,
    STATED_CLASS_IDS,
    STATED_PREDICATE_IDS,
    TYPE,
    VERSION_IRI,
    Mask,
    is_schema,
)
from kgreason.materialize.selection import Selection, select
from kgreason.materialize.state import Flags
from kgreason.proofs.contradictions import contradictions
from kgreason.rules.model import FALSE
from kgreason.spark.encode.dictionary import rows_among, rows_of, texts_of
from kgreason.spark.folders.markers import largest
from kgreason.spark.rounds.placement import placement
from kgreason.spark.rounds.plan import PartsPlan, PlaceForm, operators_plan, plan
from kgreason.terms.vocabulary import VOCABULARY
from kgreason.zset.columns import Int32

_IS_STATED = f"p IN {(*STATED_PREDICATE_IDS,)} OR (p = {TYPE} AND o IN {(*STATED_CLASS_IDS,)})"
_IS_HEADER = f"p IN ({IMPORTS}, {VERSION_IRI}) OR (p = {TYPE} AND o = {ONTOLOGY})"
LINKED, SCHEMA, FALSES, VALUES = range(4)
"""The kinds of facts that the driver looks at (`PartsPlan.noted`): those that may say something of a literal, or may
call for generic rules, facts of `false`, and facts of dt_value."""
_OF_TERMS = ("<", "_", '"')
"""The first signs of terms."""


class Planned(NamedTuple):
    """The rules in force, as a plan for rounds of parts with Spark's ids.

    `ids` maps the text of each constant of the rules to its id. `fresh` maps id to text for constants that do not occur
    in the data; they have new ids. `last` is the largest id. `warnings` name axioms that could not be translated to
    rules.
    """

    plan: PartsPlan
    ids: dict[str, int]
    fresh: dict[int, str]
    last: int
    warnings: tuple[str, ...]


class Driver:
    """Makes the program on Spark's driver, with a materializer that has only the schema of the data.

    `selection` has the rules of the user. `facts` are all asserted triples (s, p, o int), `terms` all terms (id int,
    text string). `flags` says which generic rules to include. `registry` has Python functions for rules.
    """

    def __init__(
        self, selection: Selection, facts: DataFrame, terms: DataFrame, flags: Flags, registry: Registry
    ) -> None:
        self._terms = terms
        self._materializer = Materializer(selection, registry=registry)
        self._materializer.flags = flags
        self._texts = dict(enumerate(VOCABULARY, 1))
        self._ids = {text: number for number, text in self._texts.items()}
        """The ids of the texts that were looked up; 0 for those that no term of the data has."""
        rows = np.unique(self._rows(facts.where(f"{_IS_STATED} OR {_IS_HEADER}"), terms), axis=0)
        is_type = (rows[:, 1] == TYPE) & (rows[:, 2] != ONTOLOGY)
        is_stated = is_type | np.isin(rows[:, 1], STATED_PREDICATE_IDS)
        self._materializer.make_program(rows[is_stated])
        self._headers = rows[~is_stated]

    @property
    def asked_datatypes(self) -> frozenset[int]:
        """The ids of the datatypes whose members rules ask for; every dictionary has the same ids for datatypes."""
        literals = self._materializer.literals
        return self._materializer.datatypes_in_use(literals) if literals else frozenset()

    def unknown_imports(self) -> list[str]:
        """Return a warning for each document that an owl:imports names but that is not in the data.

        Spark does not follow owl:imports. The warnings are those of a graph that has no catalogue of documents.
        """
        dictionary, headers = self._materializer.dictionary, self._headers
        if IMPORTS not in headers[:, 1]:
            return []
        alone = Materializer(select(["none"]))
        ids = alone.dictionary.intern(dictionary.decode(headers.ravel())).reshape(-1, 3)
        with undivided():
            alone.change(Edit(added=np.column_stack([ids, np.zeros(len(ids), dtype=np.int32)])))
            alone.accept()
        return Imports(alone, None).warnings()

    def twins(self, ids: Mapping[str, int]) -> list[tuple[int, ...]]:
        """Return the facts that `ontology/twins` finds for the restrictions of the schema, as rows of Spark's ids.

        A row has the id of the relation, then the ids of the terms. `ids` maps the texts of relations to Spark's ids.
        """
        twins = self._materializer.twins
        rows = [tuple(map(str, terms_of_row(fact))) for fact in twins.facts] if twins else []
        known = {**ids, **self._known(sorted({term for row in rows for term in row[1:]}))}
        return [tuple(known[text] for text in row) for row in rows]

    def planned(self, parts: int) -> Planned:
        """Make the program: the rules in force, planned for so many parts, with Spark's ids."""
        placed, constants = placement(self._materializer.rules), dict[str, int]()

        def made() -> PartsPlan:
            materializer = self._materializer
            common = materializer.engine, lambda texts: [constants.setdefault(text, 0) for text in texts]
            needs = operators_plan(materializer.rules, materializer.closed_schema(), placed, *common)
            return plan(placed, parts, *common, 0 if materializer.selection.is_reflexive else SAME_AS, needs)

        mentioned = dict.fromkeys(made().operators.arguments())  # this plan only notes its constants
        mentioned |= dict.fromkeys(constants)
        constants |= self._known(list(mentioned))
        last = max(len(VOCABULARY), largest(self._terms, "id"))
        fresh = dict(enumerate((text for text in mentioned if not constants.get(text)), last + 1))
        constants |= {text: number for number, text in fresh.items()}
        planned = made()
        planned = planned._replace(noted=_noted_forms(planned, constants))
        return Planned(planned, constants, fresh, last + len(fresh), self._materializer.warnings)

    def filter_of_flags(self) -> Callable[[Int32], Mask]:
        """Return a function that says which triples, int32[n, 3], `needed_flags` must see: bool[n]. For tasks, too."""
        closure = self._materializer.closed_schema_rows()
        known = self._known(self._materializer.dictionary.decode(np.unique(closure)))
        ends = np.array([*known.values(), *PREDICATE_IDS, *CLASS_IDS], dtype=np.int32)
        return partial(_may_need_rules, ends)

    def needed_flags(self, triples: Int32, terms: DataFrame) -> Flags:
        """Return which generic rules a closure needs. `triples`: those of `filter_of_flags`; `terms`: all terms."""
        return self._materializer.data.flags_of_rows(self._ids_of(triples, terms))

    def count_contradictions(self, false: DataFrame, triples: DataFrame, terms: DataFrame) -> int:
        """Count the contradictions that one process would report, from a few facts of `false`, rows `tbl, c0..`.

        `triples`: the triples (s, p, o int) that a contradiction may name. `terms`: all terms. The facts of the engine
        on the driver are replaced.
        """
        materializer = self._materializer
        rows, tables = self._rows(false.drop("tbl"), terms), false.select("tbl").toArrow()[0].to_numpy()
        facts = {n: rows[tables == n, : materializer.engine.tables[n][1]] for n in np.unique(tables).tolist()}
        facts[materializer.triples] = self._rows(triples.select("s", "p", "o"), terms)
        materializer.engine.bootstrap(facts, ())
        return len(contradictions(materializer.save(), materializer.dictionary, materializer.false_rules))

    def _rows(self, rows: DataFrame, terms: DataFrame) -> Int32:
        """Bring a few rows of Spark's ids to the driver. Returns int32[n, w] with the driver's ids; 0 stays 0.

        Only terms that were never looked up cost a job.
        """
        return self._ids_of(rows_of(rows), terms)

    def _ids_of(self, numbers: Int32, terms: DataFrame) -> Int32:
        """Return the driver's ids for Spark's, of any shape (`_rows`)."""
        different, places = np.unique(numbers, return_inverse=True)
        known = different[different > 0].tolist()
        found = texts_of(terms, [number for number in known if number not in self._texts])
        self._texts |= found
        self._ids |= {text: number for number, text in found.items()}
        ids = np.zeros(len(different), dtype=np.int32)
        ids[different > 0] = self._materializer.dictionary.intern(self._texts[number] for number in known)
        return ids[places].reshape(numbers.shape)

    def _known(self, texts: list[str]) -> dict[str, int]:
        """Return the ids of those `texts` that occur in the data, as a dict from texts to Spark's ids.

        Only terms that were never looked up cost a job. Texts of relations are no terms.
        """
        wanted = [text for text in texts if text not in self._ids and text[:1] in _OF_TERMS]
        if wanted:
            found = rows_among(self._terms, "text", pa.array(wanted)).select("text", "id").collect()
            self._ids |= dict.fromkeys(wanted, 0) | dict(found)
        return {text: number for text in texts if (number := self._ids.get(text))}


def _may_need_rules(ends: Int32, triples: Int32) -> Mask:
    """Return which triples, int32[n, 3], are schema triples, or link one of `ends` to another term: bool[n]."""
    found, links = is_schema(triples), np.flatnonzero(triples[:, 1] == SAME_AS)
    ones, others = triples[links, 0], triples[links, 2]
    found[links] |= (ones != others) & (np.isin(ones, ends) | np.isin(others, ends))
    return found


def _noted_forms(plan: PartsPlan, ids: Mapping[str, int]) -> tuple[tuple[PlaceForm, ...], ...]:
    """Return the forms of `LINKED`, `SCHEMA`, `FALSES` and `VALUES`. `ids` has the texts of relations."""

    def form(table: int, *rows: tuple[int, ...]) -> PlaceForm:
        values = np.array(rows, dtype=np.int32)
        columns = (0,) if table != triples else (1, 2)[: values.shape[1]]
        return PlaceForm(table, columns, (), None, 0, False, values)

    def relations(name: str) -> tuple[PlaceForm, ...]:
        found = [(*text.rpartition("/"), number) for text, number in ids.items()]
        arities = [(int(arity), number) for each, _, arity, number in found if each == name]
        return tuple(form(plan.tables.index((False, arity + 1)), (number,)) for arity, number in arities)

    triples = plan.triples
    links, types = form(triples, (SAME_AS,)), form(triples, *((TYPE, datatype) for datatype in NAMES))
    schema = form(triples, *((number,) for number in PREDICATE_IDS)), form(triples, *((TYPE, n) for n in CLASS_IDS))
    return (links, types), (links, *schema), relations(str(FALSE.relation)), relations("dt_value")
