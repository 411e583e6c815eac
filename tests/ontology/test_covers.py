"""Pairs of the taxonomy that shorter ones imply go, and their rules are not missed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.ontology.change import Change
from kgreason.ontology.read.schema import Schema
from kgreason.ontology.read.schema_axioms import collect
from kgreason.ontology.reduce.covers import LiveCovers, covers
from kgreason.ontology.translate.translate import Profile, translate_axiom
from kgreason.ontology.undo import UndoLog
from kgreason.rules.model import Constant, Rule, Triple
from kgreason.terms import vocabulary as v
from tests.oracle import datalog
from tests.volume import many

from .pipeline import GENERIC, facts, triples
from .reading import turtle

ORDERS = {v.RDFS_SUB_CLASS_OF, v.RDFS_SUB_PROPERTY_OF}
PAIRS = [v.RDFS_SUB_CLASS_OF, v.RDFS_SUB_PROPERTY_OF, v.RDFS_DOMAIN, v.RDFS_RANGE]
NAMES = [f"<http://e/{name}>" for name in "ABCDE"]
names = st.sampled_from(NAMES)
pairs = st.tuples(names, st.sampled_from([*PAIRS, v.OWL_EQUIVALENT_CLASS]), names)
schemas = st.sets(pairs, max_size=20)
any_names = st.sampled_from([*NAMES, v.OWL_SAME_AS])
with_same_as = st.sets(st.tuples(any_names, st.sampled_from(PAIRS), any_names), max_size=20)
pools = st.lists(pairs, min_size=20, max_size=30, unique=True)
turns = st.lists(st.sets(st.integers(0, 19), min_size=1, max_size=3), max_size=12)
"""So few beside so many that not all are judged anew."""


def closed(schema: set[Triple], profile: Profile = "owl2rl") -> set[Triple]:
    return triples(datalog.close(facts(schema), GENERIC[profile].closing))


def naive(schema: set[Triple]) -> set[Triple]:
    """The definition, pair by pair. Nothing follows by way of owl:sameAs."""

    def is_strict(x: Constant, order: Constant, y: Constant) -> bool:
        return x != y and (x, order, y) in schema and (y, order, x) not in schema

    def is_implied(x: Constant, kind: Constant, z: Constant) -> bool:
        if kind in ORDERS:
            return any(is_strict(x, kind, y) and is_strict(y, kind, z) for y in NAMES)
        return kind in PAIRS and any(
            ((x, kind, y) in schema and is_strict(y, v.RDFS_SUB_CLASS_OF, z))
            or (is_strict(x, v.RDFS_SUB_PROPERTY_OF, y) and (y, kind, z) in schema)
            for y in NAMES
        )

    return {triple for triple in schema if not is_implied(*triple)}


@pytest.mark.parametrize(
    ("schema", "implied"),
    [
        (":A rdfs:subClassOf :B , :C . :B rdfs:subClassOf :C .", ":A rdfs:subClassOf :C ."),
        (":p rdfs:subPropertyOf :q , :r . :q rdfs:subPropertyOf :r .", ":p rdfs:subPropertyOf :r ."),
        (":p rdfs:domain :A , :B . :A rdfs:subClassOf :B .", ":p rdfs:domain :B ."),
        (":p rdfs:subPropertyOf :q ; rdfs:range :A . :q rdfs:range :A .", ":p rdfs:range :A ."),
        (":A rdfs:subClassOf :A , :B , :C . :B rdfs:subClassOf :A , :B , :C . :C rdfs:subClassOf :C .", ""),
        (":p rdfs:domain :A , :B . :A rdfs:subClassOf :B . :B rdfs:subClassOf :A .", ""),
        (":A owl:equivalentClass :B , :C . :B owl:equivalentClass :C .", ""),
    ],
    ids=["classes", "properties", "a wider domain", "the range of one above", "equal classes", "equal", "others"],
)
def test_what_lies_over_shorter_pairs_goes(schema: str, implied: str) -> None:
    assert set(covers(turtle(schema))) == turtle(schema) - turtle(implied)


@pytest.mark.parametrize("long", [0, 100])
@given(with_same_as)
def test_the_definition(long: int, schema: set[Triple]) -> None:
    """Also if the pairs of a subject are checked one by one, because there are many between them (`_LONG`)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kgreason.ontology.reduce.covers._LONG", long)
        for each in (schema, closed(schema)):
            found = covers(each)
            assert len(found) == len(set(found))
            assert set(found) == naive(each)


@given(schemas, st.sampled_from(["owl2rl", "rdfs", "rhodf"]))
def test_the_rules_of_what_is_left_derive_what_those_of_all_do(schema: set[Triple], profile: Profile) -> None:
    every, left = closed(schema, profile), covers(closed(schema, profile))
    for name in NAMES:
        for fact in (("_:x", v.RDF_TYPE, name), ("_:x", name, "_:y")):
            assert derived(fact, set(left), profile) == derived(fact, every, profile)


def derived(fact: Triple, schema: set[Triple], profile: Profile) -> set[Triple]:
    rules: list[Rule] = []
    for reading in collect(Schema(schema)):
        rules += [rule for axiom in reading.axioms for rule in translate_axiom(axiom, profile)]
    return triples(datalog.close(facts([fact]), rules))


@settings(max_examples=many(24))
@given(pools, turns, st.booleans())
def test_edits_end_where_the_triples_that_are_there_do(
    pool: list[Triple], history: list[set[int]], is_rolled_back: bool
) -> None:
    """A turn takes a few pairs of the pool away where they are there, and adds them where they are not."""
    log = UndoLog()
    live = LiveCovers(log)
    schema = set(pool)
    left = set(live.change(Change((), tuple(schema))).come)
    log.commit()
    before = schema, left
    for turn in history:
        chosen = {pool[number] for number in turn}
        gone, come = live.change(Change(tuple(chosen & schema), tuple(chosen - schema)))
        schema = schema ^ chosen
        assert not set(gone) & set(come)
        left = (left - set(gone)) | set(come)
        assert left == naive(schema)
    if is_rolled_back:
        log.rollback()
        schema, left = before
    gone, come = live.change(Change(tuple(schema), ()))
    assert set(gone) == left
    assert not come


def test_both_halves_of_a_way_at_once() -> None:
    """Beside so many that not all are judged anew."""
    way, shortcut = turtle(":A rdfs:subClassOf :B . :B rdfs:subClassOf :C ."), turtle(":A rdfs:subClassOf :C .")
    live = LiveCovers(UndoLog())
    others = turtle(" ".join(f":K{n} rdfs:subClassOf :L{n} ." for n in range(20)))
    live.change(Change((), tuple(way | shortcut | others)))
    gone, come = live.change(Change(tuple(way), ()))
    assert (set(gone), set(come)) == (way, shortcut)
    gone, come = live.change(Change((), tuple(way)))
    assert (set(gone), set(come)) == (shortcut, way)


def test_nothing_follows_from_owl_same_as_of_itself() -> None:
    """`x owl:sameAs x` is no fact, so that what it would lead to has to be said at once."""
    schema = turtle(":p rdfs:subPropertyOf owl:sameAs , :q . owl:sameAs rdfs:subPropertyOf :q ; rdfs:domain :C .")
    assert set(covers(schema | turtle(":p rdfs:domain :C ."))) == schema | turtle(":p rdfs:domain :C .")


def test_what_is_there_already_or_not_there_changes_nothing() -> None:
    live = LiveCovers(UndoLog())
    schema = turtle(":A rdfs:subClassOf :B , :C . :B rdfs:subClassOf :C .")
    live.change(Change((), tuple(schema)))
    assert live.change(Change(tuple(turtle(":C rdfs:subClassOf :A .")), tuple(schema))) == ((), ())
    assert live.change(Change(tuple(schema), tuple(schema))) == ((), ())
