"""Edits of facts, axioms and rules: after every commit the graph is what its assertions entail, from scratch."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from kgreason.engine.changes import Strategy
from kgreason.engine.engine import Engine
from kgreason.errors import InputError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.options import SchemaMode
from tests.graph.histories import PREFIXES, Edit, Model, histories, lines_of
from tests.graph.states import in_default, in_the_tables
from tests.graph.views import Lines, follow, lasting, lines, normalize, rows, view
from tests.oracle import owl2rl
from tests.oracle.notation import triples
from tests.volume import many

STRATEGIES: tuple[Strategy, ...] = ("auto", "update", "bootstrap")


def commit(graph: KnowledgeGraph, edit: Edit) -> Delta:
    with graph.transaction() as tx:
        edit.tell(tx)
    return tx.delta


def delta_of_what_if(graph: KnowledgeGraph, edit: Edit) -> Delta:
    with graph.what_if() as tx:
        edit.tell(tx)
    return tx.delta


def check(graph: KnowledgeGraph, model: Model) -> None:
    """Store, dumps, counts and contradictions are those of the model."""
    shown, asserted = model.visible(), model.asserted
    assert rows(graph) == normalize(model.lines())
    assert lines(graph.dump()) == lines_of(shown)
    assert lines(graph.dump(asserted=True)) == lines_of(asserted)
    assert lines(graph.dump(asserted=False)) == lines_of(shown - asserted)
    assert lines(graph.dump(asserted=True, graphs=True)) == lines_of(model.quads)
    found = {in_the_tables(each.rule) for each in graph.contradictions()}
    assert found <= {each.rule for each in owl2rl.close(model.closure())[1]}


def check_delta(delta: Delta, edit: Edit, before: Model, after: Model) -> None:
    """The delta says what became of every triple and quad, and nothing else."""
    old, new = before.visible(), after.visible()
    was, now = before.asserted, after.asserted
    expected = [
        (delta.appeared(asserted=True), (new - old) & now),
        (delta.appeared(asserted=False), new - old - now),
        (delta.disappeared(asserted=True), (old - new) & was),
        (delta.disappeared(asserted=False), old - new - was),
        (delta.turned(asserted=True), (new & old & now) - was),
        (delta.turned(asserted=False), (new & old & was) - now),
    ]
    for said, meant in expected:
        assert sorted(said) == sorted(meant)
    assert sorted(delta.appeared()) == sorted(new - old)
    assert len(delta) == sum(len(said) for said, _ in expected)
    for is_added, quads in ((True, after.quads - before.quads), (False, before.quads - after.quads)):
        assert sorted(delta.quads(added=is_added)) == sorted((s, p, o, g or "") for s, p, o, g in quads)
    assert delta.missed == len({*edit.removed} - {*edit.added} - before.quads)
    assert bool(delta.commit) == (before != after)


def live_through(edits: list[Edit], strategy: Strategy, schema: SchemaMode = "axioms") -> None:
    model, copy = Model(schema=schema), Lines()
    with KnowledgeGraph.open(strategy=strategy, schema=schema) as graph:
        for edit in edits:
            before, model = model, model.after(edit)
            delta = commit(graph, edit)
            check_delta(delta, edit, before, model)
            check(graph, model)
            copy = follow(copy, delta)
            assert copy == model.lines()


@pytest.mark.parametrize("schema", ["axioms", "data"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=many(37))
@given(edits=histories(steps=6))
def test_every_commit_gives_what_is_entailed(strategy: Strategy, schema: SchemaMode, edits: list[Edit]) -> None:
    live_through(edits, strategy, schema)


@settings(max_examples=6)
@given(edits=histories())
def test_the_rules_in_force_are_those_of_a_new_graph(edits: list[Edit]) -> None:
    """Whatever was there once: also rules that an owl:sameAs between classes called for, or a derived axiom."""
    first = Edit(added=(("<http://e/a>", "<http://e/b>", "<http://e/c>", None),))
    model = Model()
    with KnowledgeGraph.open() as graph:
        for edit in (first, *edits):
            commit(graph, edit)
            model = model.after(edit)
            with KnowledgeGraph.open() as other:
                commit(other, Edit(added=tuple(model.quads), rules_added=tuple(model.rules)))
                assert in_force(graph) == in_force(other)


def in_force(graph: KnowledgeGraph) -> list[str]:
    return sorted(rule["rule"] for rule in graph.rules())


@settings(max_examples=6)
@given(edits=histories())
def test_a_what_if_has_the_delta_and_changes_nothing(edits: list[Edit]) -> None:
    with KnowledgeGraph.open() as graph:
        for edit in edits:
            before = view(graph)
            supposed = delta_of_what_if(graph, edit)
            assert view(graph) == before
            delta = commit(graph, edit)
            assert supposed.commit == 0
            assert content(supposed) == content(delta)


def content(delta: Delta) -> tuple[object, ...]:
    """What a delta says, whatever order it says it in."""
    kinds = [delta.turned(asserted=flag) for flag in (True, False)]
    kinds += [named(asserted=flag) for flag in (True, False) for named in (delta.appeared, delta.disappeared)]
    quads = [delta.quads(added=flag) for flag in (True, False)]
    return delta.missed, [sorted(each) for each in kinds], [sorted(each) for each in quads]


@settings(max_examples=3)
@given(edits=histories())
def test_a_store_that_is_opened_again_goes_on(tmp_path_factory: pytest.TempPathFactory, edits: list[Edit]) -> None:
    """After every commit, closed in good order or not: what is not settled is replayed."""
    path, model = tmp_path_factory.mktemp("graph") / "store", Model()
    for number, edit in enumerate(edits):
        with KnowledgeGraph.open(path) as graph:
            commit(graph, edit)
            model = model.after(edit)
            seen = lasting(view(graph))
            if number % 2:
                graph._home.close()
        with KnowledgeGraph.open(path) as graph:
            check(graph, model)
            assert lasting(view(graph)) == seen


EDITS = {
    "a list edited in the middle": (
        "A owl:unionOf l . l rdf:first B . l rdf:rest m . m rdf:first C . m rdf:rest n . n rdf:first D "
        ". n rdf:rest rdf:nil . i rdf:type C . j rdf:type E",
        "m rdf:first C",
        "m rdf:first E",
    ),
    "a list cut short": (
        "A owl:intersectionOf l . l rdf:first B . l rdf:rest m . m rdf:first C . m rdf:rest rdf:nil . i rdf:type B",
        "l rdf:rest m",
        "l rdf:rest rdf:nil",
    ),
    "the last triple of a list": (
        "r owl:propertyChainAxiom l . l rdf:first p . l rdf:rest m . m rdf:first q . m rdf:rest rdf:nil "
        ". i p j . j q k",
        "m rdf:rest rdf:nil",
        "",
    ),
    "the last triple of a restriction": (
        "r owl:onProperty p . r owl:someValuesFrom B . r rdfs:subClassOf A . i p j . j rdf:type B",
        "r owl:someValuesFrom B",
        "",
    ),
    "a restriction on another property": (
        "r owl:onProperty p . r owl:someValuesFrom B . r rdfs:subClassOf A . i p j . k q j . j rdf:type B",
        "r owl:onProperty p",
        "r owl:onProperty q",
    ),
    "one of two axioms that say the same": (
        "p rdf:type owl:SymmetricProperty . p owl:inverseOf p . i p j",
        "p owl:inverseOf p",
        "",
    ),
    "a shortcut of a chain": (
        "A rdfs:subClassOf B . B rdfs:subClassOf C . A rdfs:subClassOf C . i rdf:type A",
        "B rdfs:subClassOf C",
        "",
    ),
    "what a shortcut is short for": (
        "A rdfs:subClassOf B . B rdfs:subClassOf C . A rdfs:subClassOf C . i rdf:type A",
        "A rdfs:subClassOf C",
        "",
    ),
    "a retracted fact that is still entailed": (
        "A rdfs:subClassOf B . i rdf:type A . i rdf:type B",
        "i rdf:type B",
        "",
    ),
    "an inferred fact that is asserted": ("A rdfs:subClassOf B . i rdf:type A", "", "i rdf:type B"),
    "facts that stand on each other alone": (
        "A rdfs:subClassOf B . B rdfs:subClassOf A . i rdf:type A",
        "i rdf:type A",
        "",
    ),
    "a link of a clique": ("i owl:sameAs j . j owl:sameAs k . i p _:m . k q i", "i owl:sameAs j", ""),
    "a link between terms of the schema": ("A owl:sameAs B . A rdfs:subClassOf C . i rdf:type B", "A owl:sameAs B", ""),
    "what an inferred axiom came from": (
        "Kind rdfs:subClassOf owl:TransitiveProperty . p rdf:type Kind . i p j . j p k",
        "p rdf:type Kind",
        "",
    ),
    "an axiom that is inferred as well": (
        "p rdfs:subPropertyOf rdfs:subClassOf . A p B . A rdfs:subClassOf B . i rdf:type A",
        "A rdfs:subClassOf B",
        "j rdf:type A",
    ),
    "a declaration that is inferred as well": (
        "s rdfs:range owl:Class . i s B . B rdf:type owl:Class . A rdfs:subClassOf B . j rdf:type A",
        "B rdf:type owl:Class",
        "",
    ),
    "a restriction over an empty class": (
        "r owl:onProperty p . r owl:someValuesFrom B . B rdfs:subClassOf owl:Nothing . A rdf:type owl:Class . "
        "A rdfs:subClassOf B . i p j . j rdf:type A",
        "A rdf:type owl:Class",
        "",
    ),
    "a literal that has another spelling": (
        'i p "1"^^xsd:integer . i p "01"^^xsd:integer . p rdfs:subPropertyOf q',
        'i p "1"^^xsd:integer',
        "",
    ),
    "a literal whose spelling changes": ('i p "1"^^xsd:integer', 'i p "1"^^xsd:integer', 'i p "+1"^^xsd:integer'),
}


@pytest.mark.parametrize(("name", "schema", "strategy"), [*product(EDITS, ("axioms", "data"), STRATEGIES)])
def test_an_edit_and_its_reverse(name: str, schema: SchemaMode, strategy: Strategy) -> None:
    first, removed, added = (tuple(in_default(triples(text))) for text in EDITS[name])
    live_through([Edit(added=first), Edit(removed, added), Edit(added, removed)], strategy, schema)


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_that_is_taken_back_leaves_no_rule(name: str) -> None:
    first, removed, added = (tuple(in_default(triples(text))) for text in EDITS[name])
    with KnowledgeGraph.open() as graph:
        commit(graph, Edit(added=first))
        before = in_force(graph)
        commit(graph, Edit(removed, added))
        commit(graph, Edit(added, removed))
        assert in_force(graph) == before


def test_a_declaration_that_brick_infers_as_well_leaves_no_rule(shared_data: Path) -> None:
    files = [shared_data / "ontologies" / name for name in ("Brick-1.1.n3.gz", "brick_building_VM3A_v1.1.ttl.gz")]
    declaration = "brick:Supply_Air_Flow_Sensor a <http://www.w3.org/2002/07/owl#Class>"
    prefixes = {"brick": "https://brickschema.org/schema/1.1/Brick#"}
    with KnowledgeGraph.open() as graph:
        graph.load(*files)
        before = in_force(graph), lines(graph.dump())
        graph.update(f"DELETE DATA {{ {declaration} }}", prefixes=prefixes)
        assert in_force(graph) != before[0]  # it is derived now, and calls for generic rules
        graph.update(f"INSERT DATA {{ {declaration} }}", prefixes=prefixes)
        assert (in_force(graph), lines(graph.dump())) == before


WAVERING = """
@rule calls [:C, a, owl:Class] :- [:on, :on, :on], NOT [:p, rdfs:subPropertyOf, :p] .
@rule also [:C, a, owl:Class] :- [:too, :too, :too] .
@rule ranges [:q, rdfs:range, :D] :- [:more, :more, :more] .
"""
"""The first rule derives an axiom that calls for generic rules. These derive what the rule denies."""


@pytest.mark.parametrize("more", ["", ":more :more :more ."])
def test_a_commit_ends_where_rules_call_for_generic_rules_and_then_do_not(more: str) -> None:
    """Generic rules could come and go for ever: when `also` no longer derives the axiom, with `more` in another way."""
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add(f"{PREFIXES} :p a owl:ObjectProperty . :on :on :on . :too :too :too . {more}")
            tx.add_rules(PREFIXES + WAVERING)
        graph.remove(f"{PREFIXES} :too :too :too .")
        graph.add(f"{PREFIXES} :x :y :z .")
        with graph.transaction() as tx:
            tx.remove(f"{PREFIXES} :p a owl:ObjectProperty .")
            tx.remove_rules(PREFIXES + WAVERING)
        with KnowledgeGraph.open() as other:
            other.add(f"{PREFIXES} :on :on :on . :x :y :z . {more}")
            assert in_force(graph) == in_force(other)
            assert lines(graph.dump()) == lines(other.dump())


def test_the_last_triple_of_an_axiom_takes_its_rule_along() -> None:
    for text in (first for first, _, _ in EDITS.values()):
        quads = in_default(triples(text))
        with KnowledgeGraph.open() as graph:
            commit(graph, Edit(added=(("<http://e/a>", "<http://e/b>", "<http://e/c>", None),)))
            rules = in_force(graph)
            commit(graph, Edit(added=tuple(quads)))
            for quad in quads:
                commit(graph, Edit((quad,)))
            assert in_force(graph) == rules
            assert lines(graph.dump()) == {"<http://e/a> <http://e/b> <http://e/c> ."}


def test_only_the_axioms_that_an_edit_touches_are_translated() -> None:
    """Among forty classes; once more where the axiom is nested: `A` below `some p (B or C)`."""
    chain = " . ".join(f"C{n} rdfs:subClassOf C{n + 1}" for n in range(40))
    nested = (
        "A rdfs:subClassOf r . s rdfs:subClassOf A . s owl:onProperty p . s owl:someValuesFrom u . u owl:unionOf l "
    )
    nested += ". l rdf:first B . l rdf:rest m . m rdf:first C . m rdf:rest rdf:nil"
    with KnowledgeGraph.open() as graph:
        commit(graph, Edit(added=tuple(in_default(triples(f"{chain} . {nested} . i rdf:type C0")))))
        assert 40 < graph.stats()["axioms"] < 60
        for text in ("C40 rdfs:subClassOf C41", "m rdf:first C", "s owl:onProperty p"):
            quads = tuple(in_default(triples(text)))
            for edit in (Edit(added=quads), Edit(quads), Edit(added=quads)):
                delta = commit(graph, edit)
                assert delta.work.retranslated <= 3
                if delta:
                    assert {name: graph.stats()[name] for name in delta.work._fields} == delta.work._asdict()


def test_a_fraction_says_how_much_a_deletion_may_take_before_everything_is_computed_again() -> None:
    rules = "r(?x, ?y) :- e(?x, ?y) . r(?x, ?z) :- r(?x, ?y), e(?y, ?z) ."
    strategies = []
    for fraction in (0, None, 9):
        with KnowledgeGraph.open(rules=["none"], fraction=fraction) as graph:
            with graph.transaction() as tx:
                tx.add_rules(rules)
                tx.relation("e").insert([(number, number + 1) for number in range(250)])
            strategies.append(graph.relation("e").delete([(100, 101)]).change.work.strategy)
    assert strategies == ["bootstrap", "update", "update"]


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), "0.5", True])
def test_a_wrong_fraction_is_refused(wrong: float) -> None:
    with pytest.raises(InputError, match=r"^fraction .*: it must be a number, at least 0$"):
        KnowledgeGraph.open(fraction=wrong)


def test_a_forced_bootstrap_of_rules_with_operators_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps after the first one, for NOT, aggregates and expressions, begin with its result."""
    evaluate, bootstraps = Engine._evaluate, list[int]()

    def counted(self: Engine, *given: Any) -> None:
        bootstraps.append(1)
        evaluate(self, *given)

    monkeypatch.setattr(Engine, "_evaluate", counted)
    rules = """
        m(?x, ?y) :- n(?x), BIND(?x + 1 AS ?y) .
        last(?y) :- m(_, ?y), NOT n(?y) .
        count(?n) :- AGGREGATE(last(_) BIND COUNT(*) AS ?n) .
    """
    with KnowledgeGraph.open(rules=["none"], strategy="bootstrap") as graph:
        with graph.transaction() as tx:
            tx.add_rules(rules)
        for rows, count in (([(1,), (2,), (7,)], 2), ([(9,)], 3), ([(8,)], 2)):
            bootstraps.clear()
            delta = graph.relation("n").insert(rows)
            assert len(bootstraps) == 1
            assert delta.change.work.strategy == "bootstrap"
            assert [int(str(value).split('"')[1]) for (value,) in graph.relation("count").facts()] == [count]
