"""An update never changes the spelling, the datatype or the language of a literal that it does not compute.

The model holds quads with terms as they are written, and evaluates each of the operations on terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark.exceptions import UnexpectedInput

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.sparql_update.origins import Origins
from kgreason.graph.sparql_update.solution_speller import _Answers
from kgreason.store.spellings import normal_forms
from tests.graph.updates.test_updates import PREFIXES

XSD = "http://www.w3.org/2001/XMLSchema#"
LITERALS = [
    *(f'"{form}"^^<{XSD}int>' for form in ("07", "7", "+7")),
    *(f'"{form}"^^<{XSD}{name}>' for form, name in (("7", "integer"), ("7.0", "decimal"), ("7.00", "decimal"))),
    *(f'"{form}"^^<{XSD}boolean>' for form in ("1", "true")),
    f'"P1D"^^<{XSD}duration>',
    f'"PT24H"^^<{XSD}duration>',
    '"7"',
    '"a"@en',
]
SHOWN = dict(zip(LITERALS, normal_forms(LITERALS), strict=True))
Quad = tuple[str, str, str, str]
Model = frozenset[Quad]
PEOPLE, PROPERTIES, GRAPHS = "abc", "pqr", ("", "g", "h")
quads = st.tuples(*map(st.sampled_from, (PEOPLE, PROPERTIES, LITERALS, GRAPHS)))
links = st.tuples(st.sampled_from(PEOPLE), st.just("to"), st.sampled_from(PEOPLE), st.just(""))


def without(model: Model, gone: Iterable[Quad]) -> Model:
    """A DELETE takes all spellings."""
    rows = {(s, p, SHOWN.get(o, o), g) for s, p, o, g in gone}
    return frozenset((s, p, o, g) for s, p, o, g in model if (s, p, SHOWN.get(o, o), g) not in rows)


def of(model: Model, name: str, graph: str | None = None) -> set[tuple[str, str]]:
    """Subjects and objects of a property, in one graph or in the union of all."""
    return {(s, o) for s, p, o, g in model if p == name and graph in (None, g)}


def moved(model: Model, p: str, q: str) -> Model:
    found = of(model, p)
    return without(model, {(s, p, o, "") for s, o in found}) | {(s, q, o, "") for s, o in found}


def within(model: Model, p: str, q: str) -> Model:
    found = of(model, p, "g")
    return without(model, {(s, p, o, "g") for s, o in found}) | {(s, q, o, "g") for s, o in found}


def from_graphs(model: Model, p: str, q: str) -> Model:
    return model | {(s, q, o, g) for s, name, o, g in model if name == p and g}


def used(model: Model, p: str, q: str) -> Model:
    return model | {(s, q, o, "h") for g in "gh" for s, o in of(model, p, g)}


def either(model: Model, p: str, q: str) -> Model:
    return model | {(s, "r", o, "") for name in (p, q) for s, o in of(model, name)}


def behind(model: Model, p: str, q: str) -> Model:
    return model | {(s, q, o, "") for s, middle in of(model, "to") for t, o in of(model, p) if t == middle}


def common(model: Model, p: str, q: str) -> Model:
    """The join by value of rows with a spelling in common is that of terms; without one, all spellings count."""
    found = set()
    for s, o in of(model, p) | of(model, q):
        alike = [{u for t, u in of(model, name) if t == s and SHOWN[u] == SHOWN[o]} for name in (p, q)]
        if all(alike):
            found |= {(s, "r", u, "") for u in alike[0] & alike[1] or alike[0] | alike[1]}
    return model | found


def copied(model: Model, p: str, q: str) -> Model:
    return model | {(s, q, o, "") for s, o in of(model, p)}


def optional(model: Model, p: str, q: str) -> Model:
    return model | {(s, "r", o, "") for s, o in of(model, q) if s in {t for t, _ in of(model, p)}}


def computed(model: Model, p: str, q: str) -> Model:
    numbers = {s for s, o in of(model, p) if SHOWN[o].startswith('"7"^^')}
    kinds = {(s, SHOWN[o]) for s, o in of(model, p) if s in numbers and SHOWN[o].startswith('"7"^^')}
    return model | {(s, q, form, "") for s, form in kinds}


def with_blank(model: Model, p: str, q: str) -> Model:
    return moved(copied(model, p, q), q, "r")


OPERATIONS: list[tuple[str, Callable[[Model, str, str], Model]]] = [
    ("DELETE { ?s :P ?o } INSERT { ?s :Q ?o } WHERE { ?s :P ?o }", moved),
    ("WITH :g DELETE { ?s :P ?o } INSERT { ?s :Q ?o } WHERE { ?s :P ?o }", within),
    ("INSERT { GRAPH ?g { ?s :Q ?o } } WHERE { GRAPH ?g { ?s :P ?o } }", from_graphs),
    ("INSERT { GRAPH :h { ?s :Q ?o } } USING :g USING :h WHERE { ?s :P ?o }", used),
    ("INSERT { ?s :r ?o } WHERE { { ?s :P ?o } UNION { ?o ^:Q ?s } }", either),
    ("INSERT { ?s :Q ?o } WHERE { ?s :to/:P ?o }", behind),
    ("INSERT { ?s :Q ?o } WHERE { ?s :to _:x . _:x :P ?o }", behind),
    ("INSERT { ?s :r ?o } WHERE { ?s :P ?o . ?s :Q ?o }", common),
    ("INSERT { ?s :Q ?v } WHERE { { SELECT ?s ?o { ?s :P ?o } } BIND(COALESCE(?none, ?o) AS ?v) }", copied),
    ("INSERT { ?s :Q ?o } WHERE { ?s ?p ?o FILTER(?p = :P) }", copied),
    ("INSERT { ?s :r ?o } WHERE { ?s :P ?x OPTIONAL { ?s :Q ?o } }", optional),
    ("INSERT { ?s :Q ?v } WHERE { ?s :P ?o BIND(?o + 0 AS ?v) FILTER(BOUND(?v)) }", computed),
    ("INSERT { ?s :Q ?o } WHERE { ?s :P ?o } ; DELETE { ?s :Q ?o } INSERT { ?s :r ?o } WHERE { ?s :Q ?o }", with_blank),
]


def text(quads: Iterable[Quad]) -> list[tuple[str, ...]]:
    def iri(name: str) -> str:
        return name if name.startswith('"') or not name else f"<http://e/{name}>"

    return [tuple(map(iri, quad)) for quad in quads]


def asserted(graph: KnowledgeGraph) -> set[tuple[str, ...]]:
    return {tuple(f"{quad}".split(" ")) for quad in graph.match(asserted=True)}


def check(graph: KnowledgeGraph, steps: list[tuple[int, str, str]], start: Iterable[Quad]) -> None:
    model = frozenset(start)
    with graph.transaction() as tx:
        tx.add(*text(model))
    for number, p, q in steps:
        operation, on_terms = OPERATIONS[number]
        graph.update(PREFIXES + operation.replace(":P ", f":{p} ").replace(":P)", f":{p})").replace(":Q ", f":{q} "))
        model = on_terms(model, p, q)
        assert asserted(graph) == {tuple(filter(None, each)) for each in text(model)}, operation


steps = st.lists(
    st.tuples(st.integers(0, len(OPERATIONS) - 1), st.sampled_from(PROPERTIES[:2]), st.sampled_from(PROPERTIES[:2])),
    min_size=1,
    max_size=4,
)
starts = st.lists(st.one_of(quads, quads, links), max_size=8)


@settings(max_examples=12)
@given(steps=steps, start=starts)
def test_updates_are_those_of_a_model_of_terms(steps: list[tuple[int, str, str]], start: list[Quad]) -> None:
    with KnowledgeGraph.open(rules="none") as graph:
        check(graph, steps, start)


@pytest.mark.parametrize("number", range(len(OPERATIONS)))
def test_each_kind_of_update_keeps_spellings(number: int) -> None:
    """With two spellings of a value in one place, and the value in another place in a third spelling."""
    start = [
        *(
            ("a", p, o, g)
            for p, o, g in zip(
                "ppppq", (*LITERALS[:2], LITERALS[3], LITERALS[8], LITERALS[0]), ["", "", "g", "g", ""], strict=True
            )
        ),
        *[
            ("b", "to", "a", ""),
            ("b", "p", LITERALS[2], "h"),
            ("b", "q", LITERALS[3], "g"),
            ("b", "p", LITERALS[4], ""),
        ],
    ]
    with KnowledgeGraph.open(rules="none") as graph:
        check(graph, [(number, "p", "q")], start)


@pytest.mark.parametrize("call", ["UUID()", "STRUUID()", "BNODE()", "RAND()"])
def test_a_value_that_each_evaluation_makes_anew_comes_from_one(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgreason.graph.sparql_update.steps._SOME", 2)
    with KnowledgeGraph.open(rules="none") as graph:
        graph.update(PREFIXES + 'INSERT DATA { :z :p "099999"^^xsd:int }')
        graph.update(PREFIXES + " ".join(["INSERT DATA {", *(f":s{n} :p {n} ." for n in range(9)), "}"]))
        graph.update(f"{PREFIXES} INSERT {{ ?s :id ?u ; :v ?o }} WHERE {{ ?s :p ?o BIND({call} AS ?u) }}")
        assert len(list(graph.match(None, "http://e/id", None))) == 10
        assert next(iter(graph.match("http://e/z", "http://e/v", None)))[2].value == "099999"


def test_an_update_whose_where_has_no_tree_inserts_the_normal_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree may be missing for a WHERE that Oxigraph takes; the update must not fail then."""

    def unread(*_: object) -> Origins:
        raise UnexpectedInput

    monkeypatch.setattr("kgreason.graph.sparql_update.origins.origins_of", unread)
    with KnowledgeGraph.open(rules="none") as graph:
        graph.update(PREFIXES + 'INSERT DATA { :a :p "07"^^xsd:int }')
        graph.update(PREFIXES + "INSERT { ?s :q ?o } WHERE { ?s :p ?o }")
        assert next(iter(graph.match(None, "http://e/q", None)))[2].value == "7"


@pytest.mark.parametrize("within", ["%s", "GRAPH :g { %s }"])
def test_many_questions_are_answered_by_one_look(within: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values with an unknown subject, or an unknown property, in both spellings of a number."""
    looks = list[int]()
    note = _Answers._note_objects

    def counted(answers: _Answers, *rest: Any) -> None:
        looks.append(len(rest[1]))
        note(answers, *rest)

    monkeypatch.setattr(_Answers, "_note_objects", counted)
    with KnowledgeGraph.open(rules="none") as graph:
        data = " ".join(f':s{n} :p "0{n % 7}"^^xsd:int . :t{n} :r "{n % 7}"^^xsd:int .' for n in range(20))
        graph.update(f"{PREFIXES} INSERT DATA {{ {within % data} }}")
        for pattern, name in (("?s !:r ?o", "u"), ("?s :p+ ?o", "v")):
            looks.clear()
            graph.update(f"{PREFIXES} INSERT {{ ?s :{name} ?o }} WHERE {{ {within % pattern} FILTER(isNumeric(?o)) }}")
            assert len(looks) <= 4
            found = graph.match(None, f"http://e/{name}", None)
            told = [(str(quad.subject)[1:-1], str(quad.object)[1:3]) for quad in found]
            assert sorted(told) == sorted((f"http://e/s{n}", f"0{n % 7}") for n in range(20))


@pytest.mark.parametrize("written", ["05", ".5", "+5", "-05", "+.5", "-0", "1.50", "5", "-5", "1e0", "-1.50E1"])
@pytest.mark.parametrize("where", ["BIND(%s AS ?v)", "VALUES ?v { %s }", "BIND(IF(?o = 1, %s, 3) AS ?v)"])
def test_a_number_of_the_where_keeps_its_spelling(where: str, written: str) -> None:
    with KnowledgeGraph.open(rules="none") as graph:
        graph.update(f"{PREFIXES} INSERT DATA {{ :a :p 1 ; :r {written} }}")
        graph.update(f"{PREFIXES} INSERT {{ ?s :q ?v }} WHERE {{ ?s :p ?o {where % written} }}")
        r, q = ([quad.object for quad in graph.match(None, f"http://e/{name}", None)] for name in "rq")
        assert r == q


@pytest.mark.parametrize(("computed", "value"), [("-(05)", "-5"), ("- 05", "-5"), ("+?o", "1"), ("?o+05", "6")])
def test_a_computed_number_is_in_normal_form(computed: str, value: str) -> None:
    with KnowledgeGraph.open(rules="none") as graph:
        graph.update(f"{PREFIXES} INSERT DATA {{ :a :p 1 }}")
        graph.update(f"{PREFIXES} INSERT {{ ?s :q ?v }} WHERE {{ ?s :p ?o BIND({computed} AS ?v) }}")
        [quad] = graph.match(None, "http://e/q", None)
        assert str(quad.object).partition("^^")[0] == f'"{value}"'
