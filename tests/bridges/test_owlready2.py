"""owlready2 worlds followed into a graph: each sync leaves what owlready2 itself would write."""

from __future__ import annotations

import types
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import BlankNode

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, StoreError

owlready2 = pytest.importorskip("owlready2", reason="the extra owlready2 is not installed")

from kgreason.bridges.owlready2 import follow  # noqa: E402
from tests.bridges.zoo import ZOO, asserted_quads, has, iri, saved_quads, zoo  # noqa: E402


def test_a_world_is_loaded_with_all_it_holds(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    onto.Animal("rex", age=3, label=[owlready2.locstr("Rex", "en"), 'a "dog"\n\\'])
    onto.Animal("old", age=1.5)
    owlready2.AllDifferent([onto.rex, onto.old])
    followed = follow(world, graph)
    assert asserted_quads(graph) == saved_quads(world) != set()
    assert has(graph, iri("Pet"), "<http://www.w3.org/2000/01/rdf-schema#subClassOf>", iri("Animal"))
    assert not followed.sync().rows.size


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (1.5e-7, '"0.00000015"^^xsd:decimal'),
        (2.0, '"2.0"^^xsd:decimal'),
        (True, '"true"^^xsd:boolean'),
        (date(2026, 11, 21), '"2026-11-21"^^xsd:date'),
        (owlready2.locstr("colour", "en_gb"), '"colour"@en-gb'),
        ("tab\tand\r\n", '"tab\\tand\\r\\n"'),
    ],
)
def test_values_are_spelt_as_rdf_spells_them(world: Any, graph: KnowledgeGraph, value: object, literal: str) -> None:
    onto = zoo(world)
    onto.Animal("rex", age=value)
    follow(world, graph)
    [quad] = [quad for quad in asserted_quads(graph) if iri("age") in quad and iri("rex") in quad]
    text = quad.split(" ", 2)[2].removesuffix(f" <{ZOO}>")
    assert text == literal.replace("xsd:", "<http://www.w3.org/2001/XMLSchema#").replace("decimal", "decimal>").replace(
        "boolean", "boolean>"
    ).replace("date", "date>")


def test_floats_of_double_keep_infinity(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    rex, double = onto.Animal("rex"), world._abbreviate("http://www.w3.org/2001/XMLSchema#double")
    for value in (float("inf"), float("-inf"), 1e21):
        onto._add_data_triple_raw_spod(rex.storid, onto.age.storid, value, double)
    follow(world, graph)
    assert {quad.split('"')[1] for quad in asserted_quads(graph) if iri("age") in quad and '"' in quad} == {
        "INF",
        "-INF",
        "1e+21",
    }


def test_classes_and_individuals_made_by_python_arrive_in_one_commit(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    followed = follow(world, graph)
    commits: list[object] = []
    graph.subscribe(commits.append)
    with followed:
        with onto:

            class Dog(onto.Animal):  # type: ignore[misc, name-defined]
                pass

        rex, john = Dog("rex"), onto.Person("john")
        rex.has_owner = [john]
        assert not has(graph, iri("rex"), "a", iri("Dog"))
    assert commits == [followed.delta]
    assert asserted_quads(graph) == saved_quads(world)
    assert has(graph, iri("rex"), "a", iri("Pet"))
    assert has(graph, iri("john"), iri("owns"), iri("rex"))
    assert len(followed.delta.quads(added=True)) == 7


def test_edits_of_every_kind_are_seen(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    rex, john, jane = onto.Pet("rex", age=3), onto.Person("john"), onto.Person("jane")
    followed = follow(world, graph)

    def check(*expected: bool) -> None:
        followed.sync()
        assert asserted_quads(graph) == saved_quads(world)

    onto.Pet.is_a.append(onto.has_owner.max(1, onto.Person))
    check()
    rex.has_owner = [john, jane]
    check()
    rex.has_owner.remove(john)
    rex.age = 4
    check()
    rex.comment.append("good")
    owlready2.comment[rex, owlready2.rdf_type, onto.Pet].append("since ever")
    check()
    onto.Pet.equivalent_to = []
    check()
    with onto:
        world.sparql(f"INSERT {{ ?x <{ZOO}#age> 7 }} WHERE {{ ?x a <{ZOO}#Person> }}")
    check()
    owlready2.destroy_entity(onto.has_owner)
    check()
    owlready2.destroy_entity(rex)
    onto.Animal("rex")
    delta = followed.sync()
    assert asserted_quads(graph) == saved_quads(world)
    assert not [triple for triple in delta.disappeared() if triple[2] == iri("Animal")]


def test_an_entity_that_was_renamed_goes_by_its_new_name(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    rex = onto.Animal("rex")
    rex.has_owner = [onto.Person("john")]
    followed = follow(world, graph)
    rex.name, onto.has_owner.name, onto.age.iri = "rocky", "belongs_to", "http://elsewhere/years"
    rex.age = 3
    followed.sync()
    assert asserted_quads(graph) == saved_quads(world)
    assert not [quad for quad in asserted_quads(graph) if "rex" in quad or "has_owner" in quad]
    onto.base_iri = "http://e/park#"
    followed.sync()
    assert asserted_quads(graph) == saved_quads(world)
    assert not [quad for quad in asserted_quads(graph) if ZOO in quad.rsplit(" ", 1)[0]]


def test_an_ontology_is_followed_with_what_it_imports(world: Any, graph: KnowledgeGraph) -> None:
    onto, other, third = zoo(world), world.get_ontology("http://e/other#"), world.get_ontology("http://e/third#")
    for each in (other, third):
        with each:
            owlready2.Thing("thing")
    other.imported_ontologies.append(third)
    followed = follow(onto, graph)
    assert not has(graph, "<http://e/other#thing>", "?p", "?o")
    onto.imported_ontologies.append(other)
    followed.sync()
    assert has(graph, "<http://e/other#thing>", "?p", "?o")
    assert has(graph, "<http://e/third#thing>", "?p", "?o")
    assert asserted_quads(graph) == {quad for quad in saved_quads(world) if not quad.endswith("<http://anonymous/>")}
    with third:
        owlready2.Thing("late")
    onto.imported_ontologies.remove(other)
    followed.sync()
    assert not has(graph, "<http://e/third#thing>", "?p", "?o")
    assert asserted_quads(graph) == {quad for quad in saved_quads(world) if quad.endswith(f"<{ZOO}>")}


def test_a_triple_of_two_ontologies_stays_while_one_has_it(world: Any, graph: KnowledgeGraph) -> None:
    onto, other = zoo(world), world.get_ontology("http://e/other#")
    rex = onto.Animal("rex")
    with other:
        rex.is_a.append(onto.Pet)
    storids = (rex.storid, owlready2.rdf_type, onto.Pet.storid)
    onto._add_obj_triple_raw_spo(*storids)
    followed = follow(world, graph)
    onto._del_obj_triple_raw_spo(*storids)
    assert not followed.sync().rows.size
    assert len(followed.delta.quads(added=False)) == 1
    other.destroy()
    assert followed.sync().disappeared()
    assert not has(graph, iri("rex"), "a", iri("Pet"))
    assert asserted_quads(graph) == saved_quads(world)


def test_ontologies_that_come_and_are_loaded_later_are_followed(world: Any, graph: KnowledgeGraph) -> None:
    followed = follow(world, graph)
    text = (
        "<http://e/late> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#Ontology> .\n"
        "<http://e/late#x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/late#C> .\n"
    )
    onto = world.get_ontology("http://e/late").load(fileobj=BytesIO(text.encode()))
    assert followed.sync().appeared()
    assert asserted_quads(graph) == saved_quads(world)
    assert has(graph, "<http://e/late#x>", "a", "<http://e/late#C>")
    onto.load(reload=True, fileobj=BytesIO(text.replace("late#x", "late#y").encode()))
    followed.sync()
    assert asserted_quads(graph) == saved_quads(world)
    assert not has(graph, "<http://e/late#x>", "?p", "?o")


def test_an_exception_in_the_block_leaves_the_edits_for_the_next_sync(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    followed = follow(world, graph)

    def edit() -> None:
        with followed:
            onto.Animal("rex")
            raise KeyError

    with pytest.raises(KeyError):
        edit()
    assert not has(graph, iri("rex"), "?p", "?o")
    followed.sync()
    assert has(graph, iri("rex"), "a", iri("Animal"))


def test_edits_that_a_subscriber_makes_come_with_the_next_sync(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    followed = follow(world, graph)
    stop = graph.subscribe(lambda delta: onto.Animal("max"))
    rex = onto.Animal("rex")
    followed.sync()
    stop()
    assert not has(graph, iri("max"), "?p", "?o")
    followed.sync()
    assert has(graph, iri("max"), "a", iri("Animal"))
    graph.subscribe(lambda delta: dict[str, str]()["key"])
    rex.age = 3
    with pytest.raises(KeyError):
        followed.sync()
    assert asserted_quads(graph) == saved_quads(world)


def test_a_subscriber_that_undoes_an_edit_and_fails(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    rex = onto.Animal("rex")
    followed = follow(world, graph)

    def undo(delta: object) -> None:
        rex.age = None
        raise KeyError

    stop = graph.subscribe(undo)
    rex.age = 3
    with pytest.raises(KeyError):
        followed.sync()
    stop()
    assert has(graph, iri("rex"), iri("age"), "3")
    followed.sync()
    assert not has(graph, iri("rex"), iri("age"), "3")
    assert asserted_quads(graph) == saved_quads(world)


def test_an_import_that_fails_is_tried_again(world: Any, graph: KnowledgeGraph) -> None:
    onto, other = zoo(world), world.get_ontology("http://e/other#")
    with other:
        thing = owlready2.Thing("a thing")
    followed = follow(onto, graph)
    onto.imported_ontologies.append(other)
    with pytest.raises(InputError, match="not RDF"):
        followed.sync()
    thing.name = "thing"
    followed.sync()
    assert has(graph, "<http://e/other#thing>", "?p", "?o")
    assert has(graph, "<http://e/other>", "a", "<http://www.w3.org/2002/07/owl#Ontology>")


def test_a_triple_that_is_no_rdf_is_named_and_waits(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    followed = follow(world, graph)
    rex = onto.Animal("rex")
    onto.Animal("r x")
    with pytest.raises(InputError, match=r"not RDF: .*<http://e/zoo#r x>"):
        followed.sync()
    assert not has(graph, iri("rex"), "?p", "?o")
    world["http://e/zoo#r x"].name = "rx"
    followed.sync()
    assert has(graph, iri("rx"), "a", iri("Animal"))
    assert rex.storid
    assert asserted_quads(graph) == saved_quads(world)


def test_every_edit_at_once(world: Any, graph: KnowledgeGraph) -> None:
    onto = zoo(world)
    followed = follow(world, graph, at_once=True)
    rex, john = onto.Animal("rex"), onto.Person("john")
    assert has(graph, iri("rex"), "a", iri("Animal"))
    rex.has_owner = [john]
    assert has(graph, iri("rex"), "a", iri("Pet"))
    rex.age = 3
    rex.name = "rocky"
    assert asserted_quads(graph) == saved_quads(world)
    rex.has_owner = []
    assert not has(graph, iri("rocky"), "a", iri("Pet"))
    with world.get_ontology("http://e/other#"):
        owlready2.Thing("thing")
    assert has(graph, "<http://e/other#thing>", "?p", "?o")
    owlready2.destroy_entity(rex)
    assert asserted_quads(graph) == saved_quads(world)
    followed.close()
    onto.Animal("max")
    assert not has(graph, iri("max"), "?p", "?o")


def test_observed_edits_are_followed_at_once_too(world: Any, graph: KnowledgeGraph) -> None:
    from owlready2.observe import observe

    onto = zoo(world)
    seen: list[object] = []
    rex = onto.Animal("rex")
    followed = follow(world, graph, at_once=True)
    observe(rex, lambda entity, properties: seen.append(properties))
    rex.age = 3
    assert seen
    assert has(graph, iri("rex"), iri("age"), "3")
    followed.close()
    rex.age = 4
    assert has(graph, iri("rex"), iri("age"), "3")


def test_two_worlds_share_no_blank_node(graph: KnowledgeGraph) -> None:
    worlds = owlready2.World(), owlready2.World()
    ontologies = [world.get_ontology(f"http://e/{name}#") for world, name in zip(worlds, "ab", strict=True)]
    for onto in ontologies:
        with onto:
            types.new_class("Class", (owlready2.Thing,))
            onto.Class.is_a.append(owlready2.Not(onto.Class))
    for world in worlds:
        follow(world, graph)
    subjects = [{quad[0] for quad in graph.query(f"SELECT ?x {{ GRAPH <http://e/{n}> {{ ?x ?p ?o }} }}")} for n in "ab"]  # type: ignore[union-attr]
    blank = [{each for each in found if isinstance(each, BlankNode)} for found in subjects]
    assert len(blank[0]) == len(blank[1]) > 0
    assert not blank[0] & blank[1]
    for world in worlds:
        world.close()


def test_a_graph_on_disk_takes_up_a_world_where_it_was(tmp_path: Path) -> None:
    file = str(tmp_path / "world.sqlite3")
    for number in range(3):
        world = owlready2.World(filename=file)
        onto = zoo(world)
        with KnowledgeGraph.open(tmp_path / "store") as graph:
            followed = follow(world, graph)
            assert bool(followed.delta.quads(added=True)) == (number == 0)
            assert not followed.delta.quads(added=False)
            onto.Animal(f"rex{number}", age=number)
            followed.sync()
            assert asserted_quads(graph) == saved_quads(world)
        world.save()
        world.close()


def test_a_name_keeps_the_blank_nodes_of_a_world_in_memory(graph: KnowledgeGraph) -> None:
    for number in range(2):
        world = owlready2.World()
        zoo(world)
        followed = follow(world, graph, name="zoo")
        assert bool(followed.delta.quads(added=True)) == (number == 0)
        followed.close()
        world.close()


def test_edits_of_another_connection_are_found(tmp_path: Path, graph: KnowledgeGraph) -> None:
    file = str(tmp_path / "world.sqlite3")
    mine = owlready2.World(filename=file, exclusive=False)
    zoo(mine)
    mine.save()
    followed = follow(mine, graph)
    yours = owlready2.World(filename=file, exclusive=False)
    onto = yours.get_ontology(f"{ZOO}#").load()
    onto.Animal("rex")
    yours.save()
    followed.sync()
    assert has(graph, iri("rex"), "a", iri("Animal"))
    assert asserted_quads(graph) == saved_quads(mine)
    mine.close()
    yours.close()


def test_a_world_that_moves_to_a_file_is_followed_there(world: Any, graph: KnowledgeGraph, tmp_path: Path) -> None:
    onto = zoo(world)
    followed = follow(world, graph)
    world.set_backend(filename=str(tmp_path / "world.sqlite3"))
    onto.Animal("rex")
    assert len(followed.sync().quads(added=True)) == 2
    assert asserted_quads(graph) == saved_quads(world)


def test_following_leaves_no_trace_in_the_quadstore(world: Any, graph: KnowledgeGraph) -> None:
    zoo(world)
    tables = "SELECT name FROM sqlite_temp_master UNION SELECT name FROM sqlite_master"
    before = set(world.graph.execute(tables))
    followed = follow(world, graph, at_once=True)
    methods = vars(world)["_refactor"]
    followed.close()
    assert set(world.graph.execute(tables)) == before
    assert vars(world)["_refactor"] is not methods


def test_an_object_that_is_no_world_is_refused(world: Any, graph: KnowledgeGraph) -> None:
    with pytest.raises(InputError, match="pass a World or an Ontology"):
        follow("zoo.owl", graph)
    other = owlready2.World()
    followed = follow(other, graph)
    other.close()
    with pytest.raises(StoreError, match="quadstore of owlready2"):
        followed.sync()


def test_a_world_that_may_not_be_written_is_followed(tmp_path: Path, graph: KnowledgeGraph) -> None:
    file = str(tmp_path / "world.sqlite3")
    world = owlready2.World(filename=file)
    zoo(world).Animal("rex")
    world.save()
    world.close()
    world = owlready2.World(filename=file, exclusive=False, read_only=True)
    follow(world, graph)
    assert has(graph, iri("rex"), "a", iri("Animal"))
    world.close()
