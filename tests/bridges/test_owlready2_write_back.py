"""What the graph infers, shown in the owlready2 world as `sync_reasoner` would show it."""

from __future__ import annotations

import types
from typing import Any

import pytest

from kgreason import KnowledgeGraph

owlready2 = pytest.importorskip("owlready2", reason="the extra owlready2 is not installed")

from kgreason.bridges.owlready2 import follow  # noqa: E402
from tests.bridges.zoo import asserted_quads, has, iri, saved_quads, zoo  # noqa: E402


def subclass(onto: Any, name: str, *parents: Any) -> Any:
    with onto:
        return types.new_class(name, parents)


def inferences(world: Any) -> set[tuple[object, ...]]:
    onto = world.get_ontology("http://inferrences/")
    return set(world.graph.execute("SELECT s, p, o FROM objs WHERE c = ?", (onto.graph.c,)))


def test_types_appear_stay_out_of_the_graph_and_go(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    rex, john = onto.Animal("rex"), onto.Person("john")
    followed = follow(world, graph)
    assert followed.write_back() == (0, 0)
    rex.has_owner = [john]
    assert followed.write_back() == (1, 0)
    assert rex.is_a == [onto.Animal, onto.Pet]
    assert type(rex) is onto.Pet
    assert isinstance(rex, onto.Pet)
    assert onto.Pet.instances() == [rex]
    assert not followed.sync().rows.size
    assert asserted_quads(graph) == saved_quads(world)
    rex.has_owner = []
    assert has(graph, iri("rex"), "a", iri("Pet"))
    assert followed.write_back() == (0, 1)
    assert rex.is_a == [onto.Animal]
    assert not isinstance(rex, onto.Pet)
    assert not inferences(world)


def test_entities_that_are_not_loaded_show_it_when_they_are(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    onto.Animal("rex").has_owner = [onto.Person("john")]
    follow(world, graph).write_back()
    world._destroy_cached_entities()
    assert isinstance(onto.rex, onto.Pet)


def test_only_the_nearest_types_and_superclasses_are_told(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    dog = subclass(onto, "Dog", onto.Pet)
    puppy = subclass(onto, "Puppy", owlready2.Thing)
    onto.age.domain = [puppy]
    young = subclass(onto, "Young", owlready2.Thing)
    young.equivalent_to = [dog & onto.has_owner.value(onto.Person("john"))]
    puppy.is_a.append(young)
    rex = onto.Animal("rex", age=1)
    followed = follow(world, graph)
    followed.write_back()
    assert set(rex.is_a) == {onto.Animal, puppy}
    assert dog in young.is_a
    assert onto.Animal not in young.is_a
    assert issubclass(puppy, onto.Animal)
    assert isinstance(rex, dog)
    young.equivalent_to = []
    followed.write_back()
    assert dog not in young.is_a
    assert not isinstance(rex, dog)


def test_an_asserted_type_is_not_told_and_survives(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    rex = onto.Pet("rex")
    rex.has_owner = [onto.Person("john")]
    followed = follow(world, graph)
    assert followed.write_back() == (0, 0)
    max_ = onto.Animal("max")
    max_.has_owner = [onto.john]
    followed.write_back()
    onto._add_obj_triple_raw_spo(max_.storid, owlready2.rdf_type, onto.Pet.storid)
    assert followed.write_back() == (0, 1)
    max_.has_owner = []
    followed.write_back()
    assert onto.Pet in max_.is_a
    assert has(graph, iri("max"), "a", iri("Pet"))


def test_edits_of_is_a_assert_nothing_that_is_inferred(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    cat = subclass(onto, "Cat", onto.Animal)
    rex, john = onto.Animal("rex"), onto.Person("john")
    rex.has_owner = [john]
    followed = follow(world, graph)
    followed.write_back()
    rex.is_a.append(cat)
    owlready2.destroy_entity(onto.age)
    followed.sync()
    assert not [quad for quad in asserted_quads(graph) if iri("rex") in quad and iri("Pet") in quad]
    rex.has_owner = []
    followed.write_back()
    assert set(rex.is_a) == {onto.Animal, cat}
    rex.is_a = [cat]
    followed.sync()
    assert asserted_quads(graph) == saved_quads(world)


def test_a_type_that_was_removed_and_still_follows_comes_back(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    rex = onto.Animal("rex")
    rex.has_owner = [onto.Person("john")]
    followed = follow(world, graph)
    followed.write_back()
    rex.is_a.remove(onto.Pet)
    assert followed.write_back() == (1, 0)
    assert isinstance(rex, onto.Pet)


def test_equivalent_and_unsatisfiable_classes(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    hound, dog, none = (subclass(onto, name, onto.Animal) for name in ("Hound", "Dog", "None"))
    assert hound.equivalent_to == dog.equivalent_to == []
    for lower, upper in ((hound, dog), (dog, hound)):
        onto._add_obj_triple_raw_spo(lower.storid, owlready2.rdfs_subclassof, upper.storid)
    none.is_a.append(owlready2.Nothing)
    followed = follow(world, graph)
    followed.write_back()
    assert hound.equivalent_to == [dog]
    assert dog.equivalent_to == [hound]
    assert set(world.inconsistent_classes()) == {none, owlready2.Nothing}
    rex = hound("rex")
    assert isinstance(rex, dog)
    onto._del_obj_triple_raw_spo(hound.storid, owlready2.rdfs_subclassof, dog.storid)
    onto._add_obj_triple_raw_spo(hound.storid, owlready2.base.owl_equivalentclass, dog.storid)
    assert followed.write_back() == (1, 2)
    assert dog in rex.is_a
    assert (hound.equivalent_to, dog.equivalent_to) == ([dog], [])
    hound.equivalent_to = []
    followed.write_back()
    assert hound.equivalent_to == dog.equivalent_to == []


def test_properties_and_their_values_where_asked(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    with onto:
        knows = types.new_class("knows", (owlready2.ObjectProperty, owlready2.SymmetricProperty))
        years = types.new_class("years", (owlready2.DataProperty,))
    onto.has_owner.is_a.append(knows)
    onto.age.is_a.append(years)
    rex, john = onto.Animal("rex", age=3), onto.Person("john")
    rex.has_owner = [john]
    assert (john.owns, john.knows, rex.knows, rex.years) == ([rex], [], [], [])
    followed = follow(world, graph)
    followed.write_back()
    assert (john.knows, rex.knows, rex.years) == ([], [], [])
    assert followed.write_back(values=True) == (3, 0)  # that john owns rex is said already, the other way round
    assert (john.owns, john.knows, rex.knows, rex.years) == ([rex], [rex], [john], [3])
    assert not followed.sync().rows.size
    rex.has_owner, rex.age = [], None
    followed.write_back(values=True)
    assert (john.owns, john.knows, rex.knows, rex.years) == ([], [], [], [])
    assert not inferences(world)


def test_superproperties_are_told(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    with onto:
        for name in ("one", "two", "three"):
            types.new_class(name, (owlready2.ObjectProperty,))
    one, two, three = onto.one, onto.two, onto.three
    two.is_a.append(three)
    one.equivalent_to.append(two)
    followed = follow(world, graph)
    followed.write_back()
    assert three in one.is_a
    assert two not in one.is_a
    one.equivalent_to.remove(two)
    followed.write_back()
    assert three not in one.is_a


def test_literals_come_as_owlready2_keeps_them(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    with onto:
        says = types.new_class("says", (owlready2.DataProperty,))
    onto.age.is_a.append(says)
    values = [3, 1.5, True, "x\u2028y\x85", owlready2.locstr("x", "en")]
    for number, value in enumerate(values):
        onto.Animal(f"a{number}", age=value)
    byte = world._abbreviate("http://www.w3.org/2001/XMLSchema#byte")
    onto._add_data_triple_raw_spod(onto.Animal("b").storid, onto.age.storid, 5, byte)
    followed = follow(world, graph)
    assert followed.write_back(values=True).come == len(values) + 1
    assert [onto[f"a{number}"].says for number in range(len(values))] == [[value] for value in values]
    assert onto.b.says == [5]
    assert followed.write_back(values=True) == (0, 0)


def test_inside_a_block_of_another_ontology(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    with onto:
        rex = onto.Animal("rex")
        rex.has_owner = [onto.Person("john")]
        followed = follow(world, graph)
        assert followed.write_back() == (1, 0)
    assert isinstance(rex, onto.Pet)
    assert len(inferences(world)) == 1


def test_an_inconsistent_ontology_is_reported_as_owlready2_does(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    owlready2.AllDisjoint([onto.Animal, onto.Person])
    rex, john = onto.Animal("rex"), onto.Person("john")
    rex.has_owner = [john]
    rex.is_a.append(onto.Person)
    followed = follow(world, graph)
    with pytest.raises(owlready2.OwlReadyInconsistentOntologyError, match=r"1 contradictions: cax-dw: <\S+rex> "):
        followed.write_back()
    assert onto.Pet not in rex.is_a
    assert followed.write_back(strict=False) == (1, 0)
    rex.is_a.remove(onto.Person)
    assert followed.write_back() == (0, 0)
    followed.check()


def test_triples_of_other_graphs_are_told_too(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    rex = onto.Animal("rex")
    followed = follow(world, graph)
    with graph.transaction() as tx:
        tx.add((iri("rex"), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", iri("Pet")))
        tx.add((iri("stranger"), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", iri("Pet")))
    assert followed.write_back() == (1, 0)
    assert isinstance(rex, onto.Pet)
    assert onto.stranger is None


def test_swrl_rules_are_rules(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    with onto:
        types.new_class("Elder", (onto.Person,))
        types.new_class("knows", (owlready2.ObjectProperty,))
        rule = owlready2.Imp()
        rule.set_as_rule("Animal(?a), has_owner(?a, ?p), age(?a, 30) -> Elder(?p), knows(?p, ?a)")
    rex, john = onto.Animal("rex", age=3), onto.Person("john")
    rex.has_owner = [john]
    followed = follow(world, graph)
    followed.write_back(values=True)
    assert not isinstance(john, onto.Elder)
    rex.age = 30
    followed.write_back(values=True)
    assert isinstance(john, onto.Elder)
    assert john.knows == [rex]
    proof = graph.explain((iri("john"), iri("knows"), iri("rex"))).to_text()
    assert "swrl" in proof
    rule.set_as_rule("Animal(?a), has_owner(?a, ?p), age(?a, ?n), greaterThan(?n, 20) -> Elder(?p)")
    followed.write_back(values=True)
    assert isinstance(john, onto.Elder)
    assert john.knows == []
    before = graph.warnings
    assert len(before) == 1
    assert "existential restriction as a superclass" in before[0]
    rule.set_as_rule(
        "Animal(?a), has_owner(?a, ?p), age(?a, ?n), subtract(?m, ?n, 20), greaterThan(?m, 20) -> Elder(?p)"
    )
    followed.write_back(values=True)
    assert not isinstance(john, onto.Elder)
    rex.age = 41
    followed.write_back(values=True)
    assert isinstance(john, onto.Elder)
    rule.set_as_rule("Animal(?a), has_owner(?a, ?p), age(?a, ?n), resolveURI(?m, ?n) -> Elder(?p)")
    followed.write_back(values=True)
    assert not isinstance(john, onto.Elder)
    [warning, *others] = graph.warnings
    assert "swrlb:resolveURI is not supported" in warning
    assert others == before
    owlready2.destroy_entity(rule)
    followed.sync()
    assert graph.warnings == before
    assert asserted_quads(graph) == saved_quads(world)


def test_values_that_sqlite_has_no_number_for(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    rex = onto.Animal("rex")
    followed = follow(world, graph)
    texts = {"1" * 30: "integer", "NaN": "double", "three": "integer", "INF": "double"}
    with graph.transaction() as tx:
        for text, datatype in texts.items():
            tx.add((iri("rex"), iri("age"), f'"{text}"^^<http://www.w3.org/2001/XMLSchema#{datatype}>'))
    assert followed.write_back(values=True, strict=False) == (4, 0)
    found = {str(value) for (value,) in world.graph.execute("SELECT o FROM datas WHERE s = ?", (rex.storid,))}
    assert found == {"1" * 30, "NaN", "three", "inf"}
    assert followed.write_back(values=True, strict=False) == (0, 0)


def test_a_subclass_that_becomes_the_superclass(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    one, two = subclass(onto, "One", owlready2.Thing), subclass(onto, "Two", owlready2.Thing)
    followed = follow(world, graph)
    for lower, upper in ((one, two), (two, one), (one, two)):
        upper.equivalent_to = []
        lower.equivalent_to = [upper & onto.Animal]
        followed.write_back()
        assert issubclass(lower, upper)
        assert upper in lower.is_a
        assert lower not in upper.is_a
