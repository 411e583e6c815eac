"""Which restrictions say the same: kept up to date edit by edit, and a function of the triples that are left."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.ontology.twins import DECLARATIONS, PREDICATES, LiveTwins
from kgreason.ontology.undo import UndoLog
from kgreason.rules.model import Atom, Triple
from kgreason.terms import vocabulary as v
from tests.strategies.twins import twin_ontologies
from tests.volume import many

from .reading import turtle

SOME = "owl:onProperty :p ; owl:someValuesFrom :C"


def is_read(triple: Triple) -> bool:
    """Whether a triple describes a restriction, or declares a class or a property."""
    return triple[1] in PREDICATES or (triple[1] == v.RDF_TYPE and triple[2] in DECLARATIONS)


def live(*triples: Triple) -> LiveTwins:
    found = LiveTwins(UndoLog())
    found.change((), triples)
    return found


def represented(text: str) -> dict[str, str]:
    return live(*turtle(text)).representatives


@settings(max_examples=many(12))
@given(data=st.data(), graph=twin_ontologies())
def test_edits_end_where_reading_anew_does(data: st.DataObject, graph: set[Triple]) -> None:
    log = UndoLog()
    edited, held, facts = LiveTwins(log), set[Triple](), set[Atom]()
    some = st.sets(st.sampled_from(sorted(filter(is_read, graph)) or [("", "", "")]))
    for _ in range(3):
        removed, added = data.draw(some), data.draw(some)
        before = edited.facts, dict(edited.representatives)
        change = edited.change(removed, added)
        assert not set(change.gone) & set(change.come)
        if data.draw(st.booleans()):
            log.rollback()
            assert (edited.facts, edited.representatives) == before
            continue
        log.commit()
        held = (held - removed) | set(filter(is_read, added))
        assert set(change.gone) <= facts
        assert not set(change.come) & facts
        facts = facts - set(change.gone) | set(change.come)
        scratch = live(*held)
        assert edited.facts == facts == scratch.facts
        assert edited.representatives == scratch.representatives
        assert all(set(edited.sources(fact)) <= held and edited.sources(fact) for fact in facts)


@pytest.mark.parametrize(
    "declared", [":C a owl:Class .", ":p a owl:ObjectProperty .", ":p a owl:DatatypeProperty ."], ids=str.split
)
def test_a_declaration_makes_twins(declared: str) -> None:
    text = f"_:b {SOME} . _:a {SOME} ."
    assert represented(text) == {}
    assert represented(text + declared) == {"_:b": "_:a"}


def test_one_with_a_name_represents_the_others() -> None:
    assert represented(f":p a owl:ObjectProperty . _:a {SOME} . :R {SOME} .") == {"_:a": "<http://e/R>"}


def test_fillers_that_say_the_same_are_one_filler() -> None:
    text = f":C a owl:Class . _:a {SOME} . _:b {SOME} ." + "".join(
        f"_:{outer} owl:onProperty :q ; owl:allValuesFrom _:{inner} ." for outer, inner in ("xa", "yb")
    )
    assert represented(text) == {"_:b": "_:a", "_:y": "_:x"}


@pytest.mark.parametrize(
    "text",
    [
        f"_:a {SOME} . _:b owl:onProperty :p ; owl:allValuesFrom :C .",
        f"_:a {SOME} . _:b owl:onProperty :p ; owl:someValuesFrom :D .",
        f"_:a {SOME} . _:b {SOME} , :D .",
        f"_:a {SOME} . _:b {SOME} ; owl:onProperty :q .",
        "_:a owl:onProperty :p ; owl:someValuesFrom _:a . _:b owl:onProperty :p ; owl:someValuesFrom _:b .",
    ],
    ids=["another kind", "another filler", "two fillers", "two properties", "inside themselves"],
)
def test_what_says_something_else_is_no_twin(text: str) -> None:
    assert represented(":p a owl:ObjectProperty ." + text) == {}


def test_what_represents_no_more_hands_over_to_the_next() -> None:
    found = live(*turtle(f":p a owl:ObjectProperty . _:a {SOME} . _:b {SOME} . _:c {SOME} ."))
    found.change(list(turtle(f"_:a {SOME} .")), ())
    assert found.representatives == {"_:c": "_:b"}
