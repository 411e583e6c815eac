"""Random edits of an owlready2 world: after each sync the graph holds what owlready2 writes, however it got there."""

from __future__ import annotations

import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgreason import KnowledgeGraph

owlready2 = pytest.importorskip("owlready2", reason="the extra owlready2 is not installed")

from owlready2 import base  # noqa: E402

from kgreason.bridges.owlready2 import follow  # noqa: E402
from tests.bridges.zoo import ZOO, asserted_quads, saved_quads, zoo  # noqa: E402
from tests.volume import many  # noqa: E402

OTHER = "http://e/other"
CLASSES, THINGS = ("Animal", "Person", "Pet", "Dog"), ("rex", "max", "john")
_KINDS = {base.owl_thing, base.owl_class, base.owl_named_individual}
VALUES = (None, 1, 1.5, "x", True)
Edit = Callable[[Any, Any], object]


def _at(onto: Any, name: str) -> Any:
    """The entity of this name; owlready2 takes None for one in places, and is broken then."""
    entity = onto[name]
    if entity is None:
        raise KeyError(name)
    return entity


def _class(name: str, parent: str, *, in_other: bool) -> Edit:
    def edit(onto: Any, other: Any) -> None:
        is_there = other in other.world.ontologies.values()  # one that was destroyed has no name any more
        with other if in_other and is_there else onto:
            types.new_class(name, (_at(onto, parent),))

    return edit


def _equivalent(name: str, other_name: str) -> Edit:
    return lambda onto, other: _at(onto, name).equivalent_to.append(_at(onto, other_name))


classes, things = st.sampled_from(CLASSES), st.sampled_from(THINGS)
edits: st.SearchStrategy[Edit] = st.one_of(
    st.builds(_class, classes, classes, in_other=st.booleans()),
    st.builds(lambda c, name: lambda onto, other: _at(onto, c)(name, namespace=onto), classes, things),
    st.builds(lambda c, name: lambda onto, other: _at(onto, name).is_a.append(_at(onto, c)), classes, things),
    st.builds(lambda c, name: lambda onto, other: _at(onto, name).is_a.remove(_at(onto, c)), classes, things),
    st.builds(lambda a, b: lambda onto, other: _at(onto, a).has_owner.append(_at(onto, b)), things, things),
    st.builds(lambda a: lambda onto, other: setattr(_at(onto, a), "has_owner", []), things),
    st.builds(lambda a, v: lambda onto, other: setattr(_at(onto, a), "age", v), things, st.sampled_from(VALUES)),
    st.builds(lambda a, v: lambda onto, other: _at(onto, a).comment.append(v), things, st.sampled_from(VALUES[1:])),
    st.builds(
        lambda c, d: lambda onto, other: _at(onto, c).is_a.append(onto.has_owner.some(_at(onto, d))), classes, classes
    ),
    st.builds(lambda c: lambda onto, other: _at(onto, c).is_a.pop(0), classes),
    st.builds(_equivalent, classes, classes),
    st.builds(lambda c, d: lambda onto, other: owlready2.AllDisjoint([_at(onto, c), _at(onto, d)]), classes, classes),
    st.builds(
        lambda name: lambda onto, other: owlready2.destroy_entity(_at(onto, name)),
        st.sampled_from((*CLASSES, *THINGS, "age", "owns")),
    ),
    st.builds(
        lambda name, new: lambda onto, other: setattr(_at(onto, name), "name", new),
        st.sampled_from((*CLASSES, *THINGS, "age", "has_owner")),
        st.sampled_from((*CLASSES, *THINGS, "renamed")),
    ),
    st.just(lambda onto, other: onto.imported_ontologies.append(other)),
    st.just(lambda onto, other: other.destroy()),
)


def populate(world: Any) -> tuple[Any, Any]:
    """The zoo with a pet, and another ontology."""
    onto, other = zoo(world), world.get_ontology(f"{OTHER}#")
    onto.Animal("rex").has_owner = [onto.Person("john")]
    onto.Animal("max")
    return onto, other


@settings(max_examples=many(6))
@given(st.lists(st.lists(edits, max_size=4), max_size=5), st.booleans())
def test_a_sync_is_what_following_anew_gives(history: list[list[Edit]], at_once: bool) -> None:
    world = owlready2.World()
    onto, other = populate(world)
    with KnowledgeGraph.open(rules=["none"]) as graph:
        followed = follow(world, graph, name=ZOO, at_once=at_once)
        for block in history:
            for edit in block:
                with suppress(Exception):  # owlready2 refuses some, half done at times: the quadstore is what counts
                    edit(onto, other)
            delta = followed.sync()
            assert asserted_quads(graph) == saved_quads(world)
            assert not (set(delta.quads(added=True)) & set(delta.quads(added=False)))
            assert not followed.sync().rows.size
    world.close()


def _parents(world: Any) -> dict[int, set[int]]:
    """The named parents that Python objects show, as the quadstore numbers them; Thing aside."""
    entities = [*world.classes(), *world.individuals()]
    parents = {each.storid: {getattr(parent, "storid", None) or 0 for parent in each.is_a} for each in entities}
    return {storid: {parent for parent in found if parent > 0} - _KINDS for storid, found in parents.items()}


def _parents_in_quadstore(world: Any) -> dict[int, set[int]]:
    """The same as the quadstore has it."""
    relations = base.rdf_type, base.rdfs_subclassof
    return {
        each.storid: {
            parent
            for relation in relations
            for parent in world._get_obj_triples_sp_o(each.storid, relation)
            if parent > 0
        }
        - _KINDS
        for each in (*world.classes(), *world.individuals())
    }


@settings(max_examples=many(5))
@given(st.lists(st.lists(edits, max_size=4), max_size=4))
@example([[_class("Person", "Person", in_other=False), _equivalent("Person", "Pet")]])
def test_objects_show_what_the_quadstore_has_of_inferences(history: list[list[Edit]]) -> None:
    world = owlready2.World()
    onto, other = populate(world)
    with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
        followed = follow(world, graph)
        for block in history:
            for edit in block:
                with suppress(Exception):
                    edit(onto, other)
            before = _parents(world) == _parents_in_quadstore(world)
            followed.write_back(strict=False)
            assert asserted_quads(graph) == saved_quads(world)
            assert not before or _parents(world) == _parents_in_quadstore(world)
            assert followed.write_back(strict=False) == (0, 0)
    world.close()
