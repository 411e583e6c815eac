"""SKOLEM: blank nodes that rules make, one for each row, the same in every process, and gone with the row."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import LimitError, StratificationError
from kgreason.options import SameAsMode
from kgreason.rules.parser import parse
from kgreason.tables import TableProgram
from kgreason.terms.skolem import skolem_node

NAMES = {"": "http://e/", "owl": "http://www.w3.org/2002/07/owl#"}
HEADER = "@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
ROOMS = f"""{HEADER}
    @rule room
    [?x, :in, ?b], :Room[?b] :- [?x, :lives, ?y], BIND(SKOLEM("room", ?x, :house, 1) AS ?b) .
"""


def room(*texts: str) -> str:
    """The blank node of a room."""
    return skolem_node(('"room"', *texts, "<http://e/house>", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'))


def graph(
    rules: str = ROOMS,
    data: str = "",
    path: Path | None = None,
    names: str = "owl2rl",
    same_as: SameAsMode = "aliases",
    **limits: int,
) -> KnowledgeGraph:
    found = KnowledgeGraph.open(path, rules=[names], same_as=same_as, **limits)  # type: ignore[arg-type]
    with found.transaction() as transaction:
        transaction.add_rules(rules)
    if data:
        found.add(data, prefixes=NAMES)
    return found


def rooms(found: KnowledgeGraph) -> dict[str, set[str]]:
    """The rooms of each person."""
    made: dict[str, set[str]] = {}
    for quad in found.match(None, ":in", None, prefixes=NAMES):
        made.setdefault(str(quad.subject), set()).add(str(quad.object))
    return made


A, B, C = "<http://e/a>", "<http://e/b>", "<http://e/c>"


def test_different_texts_have_different_blank_nodes() -> None:
    texts = [('"a"',), ('"a"', "<b>"), ('"a"', "<b>", "<c>"), ('"a"', "<c>", "<b>"), ('"a"', '"b"'), ('"a\\nb"',)]
    assert len({skolem_node(each) for each in texts}) == len(texts)
    assert all(name[2].isalpha() and len(name) == 34 for name in map(skolem_node, texts))


@pytest.mark.parametrize("names", ["none", "rdfs", "owl2rl"])
def test_each_row_has_a_blank_node_for_as_long_as_it_holds(names: str) -> None:
    found = graph(data=":a :lives :y . :b :lives :y , :z .", names=names)
    assert rooms(found) == {A: {room(A)}, B: {room(B)}}
    found.remove(":b :lives :y .", prefixes=NAMES)
    assert rooms(found) == {A: {room(A)}, B: {room(B)}}
    delta = found.remove(":b :lives :z .", prefixes=NAMES)
    assert len(list(delta.disappeared())) == 3
    assert rooms(found) == {A: {room(A)}}
    found.add(":b :lives :w .", prefixes=NAMES)
    assert rooms(found) == {A: {room(A)}, B: {room(B)}}
    with found.transaction() as transaction:
        transaction.remove_rules("room")
    assert rooms(found) == {}


def test_a_blank_node_may_be_an_argument() -> None:
    found = graph(f"{HEADER} [?b, :of, ?x] :- [?x, :p, ?y], BIND(SKOLEM('l', ?x) AS ?b) .", "_:z :p 1 .", names="none")
    (quad,) = found.match(None, ":of", None, prefixes=NAMES)
    assert str(quad.subject) == skolem_node(('"l"', str(quad.object)))


def test_arguments_are_taken_as_they_are_written() -> None:
    text = f"{HEADER} [?x, :q, ?b] :- [?x, :p, ?y], BIND(SKOLEM('l', ?y) AS ?b) ."
    for names, count in (("none", 2), ("owl2rl", 1)):  # literals of one value are one individual in OWL
        assert len(list(graph(text, ":a :p 1 , 01 .", names=names).match(None, ":q", None, prefixes=NAMES))) == count


def test_a_proof_shows_the_arguments() -> None:
    found = graph(data=":a :lives :y .", names="none")
    (made,) = rooms(found)[A]
    text = found.explain(f"<http://e/a> <http://e/in> {made}").to_text(NAMES)
    assert text.endswith(f'    :a :lives :y (asserted)\n    {made} = SKOLEM("room", :a, :house, 1)\n')


def test_the_same_after_reopening_and_in_another_process(tmp_path: Path) -> None:
    graph(data=":a :lives :y .", path=tmp_path / "store").close()
    with KnowledgeGraph.open(tmp_path / "store") as found:
        assert rooms(found) == {A: {room(A)}}
        found.add(":b :lives :y .", prefixes=NAMES)
        found.update("PREFIX : <http://e/> DELETE DATA { :a :lives :y }")
        assert rooms(found) == {B: {room(B)}}
        assert found.ask("PREFIX : <http://e/> ASK { :b :in ?r . ?r a :Room }")
    code = f"from kgreason.terms.skolem import skolem_node; print(skolem_node(({A!r}, 'x')))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == skolem_node((A, "x"))


def test_a_what_if_makes_nothing_that_stays() -> None:
    found = graph(data=":a :lives :y .")
    with found.what_if() as asked:
        asked.add(":b :lives :y .", prefixes=NAMES)
    assert len(list(asked.delta.appeared())) == 3
    assert rooms(found) == {A: {room(A)}}


@pytest.mark.parametrize("names", ["none", "owl2rl"])
@pytest.mark.parametrize(
    ("limits", "said"), [({"most_rounds": 20}, "new terms 20 times"), ({"most_made_terms": 9}, "more than 9 terms")]
)
def test_a_recursion_without_end_is_rolled_back(names: str, limits: dict[str, int], said: str) -> None:
    rules = f"{HEADER} @rule on [?x, :next, ?b] :- [?y, :next, ?x], BIND(SKOLEM('l', ?x) AS ?b) ."
    found = graph(rules, names=names, **limits)  # type: ignore[arg-type]
    with pytest.raises(LimitError, match=f"rule on: BIND has made .*{said}"):
        found.add(":a :next :b .", prefixes=NAMES)
    assert not list(found.match())


@pytest.mark.parametrize("same_as", ["aliases", "representatives", "rules"])
def test_equal_terms_have_one_blank_node(same_as: SameAsMode) -> None:
    found = graph(data=":a :lives :y . :c :lives :z . :b :lives :z .", same_as=same_as)
    assert rooms(found) == {A: {room(A)}, C: {room(C)}, B: {room(B)}}
    found.add(":c owl:sameAs :a .", prefixes=NAMES)
    one = {A: {room(A)}, C: {room(A)}, B: {room(B)}}
    assert rooms(found) == (one if same_as != "representatives" else {A: {room(A)}, B: {room(B)}})
    found.remove(":a :lives :y .", prefixes=NAMES)
    assert rooms(found).get(A) == {room(A)}
    found.add(":a owl:sameAs :0 .", prefixes=NAMES)
    assert {made for each in rooms(found).values() for made in each} == {room("<http://e/0>"), room(B)}
    found.remove(":a owl:sameAs :0 . :c owl:sameAs :a .", prefixes=NAMES)
    assert rooms(found) == {C: {room(C)}, B: {room(B)}}


def test_equal_terms_after_reopening(tmp_path: Path) -> None:
    graph(data=":a :lives :y . :c :lives :z ; owl:sameAs :a .", path=tmp_path / "store").close()
    with KnowledgeGraph.open(tmp_path / "store") as found:
        assert rooms(found) == {A: {room(A)}, C: {room(A)}}
        found.remove(":c owl:sameAs :a .", prefixes=NAMES)
        assert rooms(found) == {A: {room(A)}, C: {room(C)}}
        with found.transaction() as transaction:
            transaction.add_rules(f"{HEADER} @rule more [?b, :p, ?x] :- [?x, :in, ?y], BIND(SKOLEM('m', ?y) AS ?b) .")
            transaction.remove_rules("room")
        assert rooms(found) == {}


def test_names_of_constants_count_too() -> None:
    found = graph(f"{HEADER} [?x, :in, ?b] :- [?x, :lives, ?y], BIND(SKOLEM('room', :c) AS ?b) .", ":a :lives :y .")
    assert rooms(found) == {A: {skolem_node(('"room"', C))}}
    found.add(":b owl:sameAs :c .", prefixes=NAMES)
    assert rooms(found) == {A: {skolem_node(('"room"', B))}}


def test_a_rule_that_comes_back_finds_nothing_old() -> None:
    found = graph(data=":b :lives :y .")
    with found.transaction() as transaction:
        transaction.remove_rules("room")
    found.add(":a owl:sameAs :b .", prefixes=NAMES)
    with found.transaction() as transaction:
        transaction.add_rules(ROOMS)
    assert rooms(found) == {A: {room(A)}, B: {room(A)}}


def test_a_blank_node_that_is_lost_and_found_in_one_commit() -> None:
    rules = f"""{HEADER}
        [?b, :s, ?x] :- [?x, :q, ?y], BIND(SKOLEM("s", ?x) AS ?b) .
        [?x, :q, ?b] :- [?x, :p, ?x], BIND(SKOLEM("q", ?x) AS ?b) .
    """
    found = graph(rules, ":a :q :a .")
    with found.transaction() as transaction:
        transaction.remove(":a :q :a .", prefixes=NAMES).add(":a :p :a .", prefixes=NAMES)
    assert [str(quad.subject) for quad in found.match(None, ":s", None, prefixes=NAMES)] == [skolem_node(('"s"', A))]


def test_a_blank_node_may_be_equal_to_another_term() -> None:
    found = graph(data=":a :lives :y .")
    found.update(
        "PREFIX : <http://e/> PREFIX owl: <http://www.w3.org/2002/07/owl#>"
        "INSERT { ?b owl:sameAs :attic } WHERE { :a :in ?b }"
    )
    assert rooms(found) == {A: {room(A), "<http://e/attic>"}}
    found.remove(":a :lives :y .", prefixes=NAMES)
    assert rooms(found) == {}


def test_blank_nodes_that_decide_what_is_equal_are_refused() -> None:
    found = graph(data=":a :lives :y .")
    text = f"{HEADER} @rule same [?x, owl:sameAs, ?b] :- [?x, :lives, ?y], BIND(SKOLEM('l', ?x) AS ?b) ."
    with pytest.raises(StratificationError, match=r"rule same makes \?v2 with SKOLEM, so it needs rule same \(it der"):
        graph(text)
    with pytest.raises(StratificationError, match=r"SKOLEM, so it needs rule prp/prp-fp \(it derives owl:sameAs"):
        found.add(":in a owl:FunctionalProperty .", prefixes=NAMES)
    assert rooms(found) == {A: {room(A)}}


@pytest.mark.parametrize("same_as", ["aliases", "representatives", "rules"])
@pytest.mark.parametrize("call", ["COUNT(*)", "COUNT(DISTINCT ?b)"])
def test_an_aggregate_counts_blank_nodes_of_individuals(same_as: SameAsMode, call: str) -> None:
    found = graph(
        f'{HEADER} :Two[?y] :- AGGREGATE([?x, :lives, ?y], BIND(SKOLEM("r", ?x) AS ?b) ON ?y BIND {call} AS ?n), '
        "FILTER(?n = 2) .",
        ":a :lives :y . :c :lives :y .",
        same_as=same_as,
    )
    assert found.query("ASK { <http://e/y> a <http://e/Two> }")
    found.add(":a owl:sameAs :c .", prefixes=NAMES)
    assert not found.query("ASK { <http://e/y> a <http://e/Two> }")
    found.remove(":a owl:sameAs :c .", prefixes=NAMES)
    assert found.query("ASK { <http://e/y> a <http://e/Two> }")


def test_an_aggregate_with_blank_nodes_cannot_decide_what_is_equal() -> None:
    with pytest.raises(StratificationError, match=r"rule one says AGGREGATE\(.*, so it needs rule one"):
        graph(
            f"{HEADER} @rule one [?y, owl:sameAs, ?n] :- "
            'AGGREGATE([?x, :lives, ?y], BIND(SKOLEM("r", ?x) AS ?b) ON ?y BIND MIN(?b) AS ?n) .'
        )


def test_tables_have_blank_nodes_too(tmp_path: Path) -> None:
    (tmp_path / "program.dl").write_text("room(?x, ?b) :- lives(?x, ?y), BIND(SKOLEM('r', ?x) AS ?b) .")
    (tmp_path / "lives.facts").write_text("ann\t1\neve\t1\n")
    program = TableProgram(tmp_path / "program.dl")
    program.read(tmp_path, lambda _: None)
    program.evaluate(lambda _: None)
    assert program.write(tmp_path / "out", lambda _: None) == {"room": 2}
    expected = skolem_node(('"r"', '"ann"'))
    assert f"ann\t{expected}" in (tmp_path / "out" / "room.csv").read_text()


def test_skolem_assigns() -> None:
    assert parse(ROOMS).rules[0].has_assignment()
