"""Declared relations in tables: the types of columns, and keys.

    @relation price(item, amount: xsd:decimal) key(item) .

    2.50     in a column of xsd:decimal       "2.50"^^xsd:decimal
    5        in a column of xsd:string        "5"; without a type it would be the number 5
    urn:a    in a column of rdfs:Resource     <urn:a>

In a column with a datatype, a field stands for the literal with this text and this datatype; in a column of
rdfs:Literal, for a string. In a column of rdfs:Resource, a field is a blank node, or an IRI with or without angle
brackets. Rules may derive a term that no field of the column can stand for. This term is written as in N-Triples: the
number 5 in a column of xsd:string is `"5"^^<http://www.w3.org/2001/XMLSchema#integer>`.

Law: a fact that is read from a file is written with the same fields, but IRIs get angle brackets. Cost: a few
microseconds for each different field of a column with a type, and a sort of the facts of a relation with a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from pyoxigraph import NamedNode

from kgreason.datatypes.column import misfit
from kgreason.errors import InputError
from kgreason.rules.model import Relation
from kgreason.rules.relations.declarations import MADE_BY_RULES
from kgreason.tables.fields import Fields, constant_of_field, field_of_constant
from kgreason.tables.layout import PLAIN, Layout
from kgreason.tables.reading import Rows, read_rows
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary, Ids
from kgreason.terms.quoting import quote, unescape
from kgreason.zset.order import distinct, group_rows

_BLANK = re.compile(r"_:\w[\w.-]*")
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://.*|urn:.*", re.DOTALL)
"""The IRIs that may stand without angle brackets. Other texts with a colon may be meant as names with a prefix."""
_NO_TAGS = "a field of a table has no language tag; leave the type out, or use xsd:string"
_NO_RESOURCE = "expected an IRI or a blank node; an IRI without // stands in angle brackets"


def read_facts(
    path: Path,
    arity: int,
    relation: Relation | None,
    fields: Fields,
    dictionary: Dictionary,
    report: Callable[[int], object],
    layout: Layout = PLAIN,
) -> Ids:
    """Read the facts in a file: int32[n, arity]. `relation` is the declaration of the relation, if there is one.

    Raises InputError, with file and line, for a bad line, a value that does not fit its column, and a second fact with
    the same key. Raises InputError also if the file has facts, but the declaration says that only rules make them.
    """
    rows = read_rows(path, arity, fields, report, layout, relation)
    if relation is None or not len(rows.ids):
        return rows.ids
    if relation.kind in MADE_BY_RULES:
        raise InputError(f"{path}: {relation.name} is declared as {relation.kind}, so only rules make its facts")
    rows = rows._replace(ids=_ids_of_types(path, rows, relation, dictionary))
    _check_key(path, rows, relation)
    return rows.ids


def _ids_of_types(path: Path, read: Rows, relation: Relation, dictionary: Dictionary) -> Ids:
    rows = read.ids.copy()
    for place, column in enumerate(relation.columns):
        if column.type is None:
            continue
        ids = distinct(rows[:, place])
        terms = []
        for number, text in zip(ids.tolist(), map(field_of_constant, dictionary.decode(ids)), strict=True):
            term, problem = _term(text, column.type)
            if problem:
                line = read.line(int(np.flatnonzero(rows[:, place] == number)[0]))
                raise InputError(f"{path}:{line}: column {column.name}, value {text!r}: {problem}")
            terms.append(term)
        rows[:, place] = dictionary.intern(terms)[np.searchsorted(ids, rows[:, place])]
    return rows


def _term(text: str, type_: str) -> tuple[str, str | None]:
    """Return the term for the field `text` in a column of type `type_`, and what is wrong with it or None."""
    if type_ == v.RDFS_RESOURCE:
        term = f"<{text}>" if _IRI.fullmatch(text) else text
        return term, None if _is_resource(term) else _NO_RESOURCE
    term = quote(text) if type_ in (v.RDFS_LITERAL, v.XSD_STRING) else f"{quote(text)}^^{type_}"
    return term, _NO_TAGS if type_ == v.RDF_LANG_STRING else misfit(term, type_)


def _is_resource(term: str) -> bool:
    if _BLANK.fullmatch(term):
        return True
    try:
        return term.startswith("<") and str(NamedNode(term[1:-1])) == term
    except ValueError:
        return False


def _check_key(path: Path, read: Rows, relation: Relation) -> None:
    """Raise InputError if two different facts have the same key."""
    if relation.key:
        rows = read.ids
        groups = group_rows(np.ascontiguousarray(rows[:, list(relation.key)]))
        firsts = groups.firsts()[groups.numbers()]
        wrong = np.flatnonzero((rows != rows[firsts]).any(axis=1))
        if len(wrong):
            line, first = read.line(int(wrong[0])), read.line(int(firsts[wrong[0]]))
            names = ", ".join(relation.columns[place].name for place in relation.key)
            raise InputError(
                f"{path}:{line}: the line has the same key as line {first}: {relation.name} has the key {names}"
            )


def constants_of(rows: Ids, relation: Relation | None, dictionary: Dictionary) -> Ids:
    """Prepare facts, int32[n, arity], for writing: replace each literal by the constant whose field is its text.

    Only columns of a datatype or rdfs:Literal change. A literal that no field of its column can stand for is replaced
    by the constant whose field is the literal as in N-Triples.
    """
    rows = rows.copy()
    for place, column in enumerate(relation.columns if relation else ()):
        if column.type not in (None, v.RDFS_RESOURCE):
            ids = distinct(rows[:, place])
            texts = [_constant_of(term, str(column.type)) for term in dictionary.decode(ids)]
            rows[:, place] = dictionary.intern(texts)[np.searchsorted(ids, rows[:, place])]
    return rows


def _constant_of(term: str, type_: str) -> str:
    if not term.startswith('"'):
        return term
    text = unescape(term[1 : term.rindex('"')])
    return constant_of_field(text if _term(text, type_)[0] == term else term)
