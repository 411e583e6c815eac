"""owl2el on data, and beside owl2rl: what one rule set derives, the other reads."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.cli.calling import call
from tests.el.body import BODY, PREFIXES
from tests.volume import many_seeds

BOTH = ["owl2rl", "owl2el"]
CHAIN = """
:a :r :b . :b a :B . :t owl:propertyChainAxiom ( :r :s ) . :r a owl:ObjectProperty .
:B rdfs:subClassOf [ owl:onProperty :s ; owl:someValuesFrom :C ] .
[ owl:onProperty :t ; owl:someValuesFrom :C ] rdfs:subClassOf :D .
"""
MEMBERS = """
:a a :A , :G . :A rdfs:subClassOf [ owl:onProperty :r ; owl:someValuesFrom :B ] .
:r rdfs:subPropertyOf :t . :B rdfs:subClassOf :C .
[ owl:intersectionOf ( [ owl:onProperty :t ; owl:someValuesFrom :C ] :G ) ] rdfs:subClassOf :D .
"""


@pytest.mark.parametrize("rules", [["owl2el"], BOTH], ids="+".join)
@pytest.mark.parametrize("text", [CHAIN, MEMBERS], ids=["chain", "members"])
def test_links_of_classes_are_links_of_their_instances(text: str, rules: list[str]) -> None:
    with KnowledgeGraph.open(rules=rules) as graph:
        graph.add(PREFIXES + text)
        assert graph.ask("ASK { <http://e/a> a <http://e/D> }")
        proof = graph.explain(("<http://e/a>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e/D>"))
        assert "el-together-some" in proof.to_text(full=True)
    with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
        graph.add(PREFIXES + text)
        assert not graph.ask("ASK { <http://e/a> a <http://e/D> }")


def test_rl_reads_what_el_derives_and_the_reverse() -> None:
    """An inverse property types b, which EL reads. EL types b again, and RL shows that of c."""
    text = """
    :q owl:inverseOf :p . :p rdfs:domain :Part . :a :q :b . :b owl:sameAs :c .
    :Part rdfs:subClassOf [ owl:onProperty :r ; owl:someValuesFrom :Whole ] .
    [ owl:onProperty :r ; owl:someValuesFrom :Whole ] rdfs:subClassOf :Bound .
    """
    with KnowledgeGraph.open(rules=BOTH) as graph:
        graph.add(PREFIXES + text)
        for name in "bc":
            assert graph.ask(f"ASK {{ <http://e/{name}> a <http://e/Bound> }}")
        assert graph.ask("ASK { <http://e/Part> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Bound> }")
        graph.remove(PREFIXES + ":p rdfs:domain :Part .")
        assert not graph.ask("ASK { <http://e/c> a <http://e/Bound> }")


def facts_of(graph: KnowledgeGraph) -> set[tuple[str, ...]]:
    """All facts of a graph, also those that nobody sees, but for facts about literals, which may stay."""
    materializer = graph._committer().materializer
    columns, tables, _ = materializer.engine.facts.contents()
    terms = materializer.dictionary.decode(columns.ravel())
    widths = [width for _, width in materializer.engine.tables]
    texts = zip(*[iter(terms)] * columns.shape[1], strict=True)
    rows = {text[: widths[table]] for text, table in zip(texts, tables.tolist(), strict=True)}
    return {row for row in rows if not row[0].startswith("dt_")}


def drawn(random: Random) -> set[str]:
    """Some parts of restrictions that are named, classes below them, and equal terms."""

    def part() -> str:
        one, other = random.choices((":R0", ":R1", ":R2"), k=2)
        name = random.choice((":A", ":B"))
        return random.choice(
            (
                f"{one} owl:onProperty :p .",
                f"{one} owl:someValuesFrom {name} .",
                f"{one} owl:sameAs {other} .",
                f"{one} a owl:Restriction .",
                f"{name} rdfs:subClassOf {one} .",
                ":A rdfs:subClassOf :B .",
            )
        )

    return {part() for _ in range(random.choice((1, 2, 5)))}


@pytest.mark.parametrize("seed", many_seeds(0, 2))
def test_equal_expressions_come_and_go(seed: int) -> None:
    """A graph that was edited has the triples of one that was loaded at once."""
    random, there = Random(seed), set[str]()
    with KnowledgeGraph.open(rules=BOTH) as graph:
        for _ in range(4):
            edit = drawn(random) | (set(random.sample(sorted(there), len(there) // 2)))
            with graph.transaction() as tx:
                tx.remove(PREFIXES + " ".join(sorted(there & edit)))
                tx.add(PREFIXES + " ".join(sorted(edit - there)))
            there ^= edit
            with KnowledgeGraph.open(rules=BOTH) as scratch:
                scratch.add(PREFIXES + " ".join(sorted(there)))
                here, right = ({str(each.triple) for each in one.match(None, None, None)} for one in (graph, scratch))
                assert here == right


def test_an_expression_that_only_equals_another_one_has_no_facts_that_stay() -> None:
    with KnowledgeGraph.open(rules=BOTH) as graph:
        graph.add(PREFIXES + ":r2 owl:someValuesFrom :A ; owl:sameAs :R4 .")
        before = facts_of(graph)
        graph.add(PREFIXES + ":R4 owl:onProperty :p .")
        graph.remove(PREFIXES + ":R4 owl:onProperty :p .")
        assert facts_of(graph) == before


def test_a_class_without_members_is_no_contradiction_and_a_member_is_one() -> None:
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(PREFIXES + ":A owl:disjointWith :B . :C rdfs:subClassOf :A , :B .")
        assert not graph.contradictions()
        with graph.what_if() as tx:
            tx.add(PREFIXES + ":i a :C .")
        assert [each.rule for each in tx.delta.contradictions] == ["el-inconsistent"]
        assert not graph.contradictions()


def test_the_commands_take_the_rule_set(tmp_path: Path) -> None:
    (old := tmp_path / "old.ttl").write_text(BODY)
    (new := tmp_path / "new.ttl").write_text(BODY + ":Toe rdfs:subClassOf :Finger .")
    (claim := tmp_path / "claim.ttl").write_text(PREFIXES + ":Finger rdfs:subClassOf :BodyPart .")
    assert [
        call("entails", old, "--conclusion", claim, "--rules", rules).exit_code for rules in ("owl2rl", "owl2el")
    ] == [1, 0]
    compared = call("compare", old, new, "--rules", "owl2el", "--prefix", "=http://e/").stdout
    assert "because of :Toe SubClassOf :Finger" in compared
    assert "+ :Toe SubClassOf :BodyPart" in compared
    store = tmp_path / "store"
    assert call("load", "-l", store, "-f", old, "--rules", "owl2el").exit_code == 0
    ask = "ASK { <http://e/Finger> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/BodyPart> }"
    assert "true" in call("query", "-l", store, "--query", ask).stdout


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        (":s a owl:AnnotationProperty ; rdfs:subPropertyOf :t . :C a owl:Class ; :s 'x' ; rdfs:subClassOf :A , :B . "
         ":A owl:disjointWith :B .", ("A", "Nothing")),
        (":s a owl:AnnotationProperty ; rdfs:range :L . :C a owl:Class ; :s :D . :D a owl:Class .", ("D", "L")),
        (":C a owl:Class ; owl:onProperty :r ; owl:someValuesFrom :D . :r rdfs:range :R .", ("C", "R")),
    ],
    ids=["annotation", "range of an annotation", "named restriction"],
)  # fmt: skip
def test_what_does_not_follow(text: str, pair: tuple[str, str]) -> None:
    name, above = (f"<{'http://www.w3.org/2002/07/owl#' if each == 'Nothing' else 'http://e/'}{each}>" for each in pair)
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(PREFIXES + text)
        assert not graph.ask(f"ASK {{ {name} <http://www.w3.org/2000/01/rdf-schema#subClassOf> {above} }}")


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("[] a owl:Axiom ; owl:annotatedSource :C ; owl:annotatedProperty rdfs:subClassOf ; "
         "owl:annotatedTarget :D .", "CD"),
        (":C owl:intersectionOf ( :A :B ) .", "CA"),
        (":U owl:disjointUnionOf ( :A :B ) .", "AU"),
        (":C rdfs:subClassOf [ owl:onProperty :r ; owl:hasSelf true ] . :t owl:propertyChainAxiom ( :r :r ) . "
         "[ owl:onProperty :t ; owl:hasSelf true ] rdfs:subClassOf :D .", "CD"),
        (":C a owl:Class . [ owl:onProperty owl:topObjectProperty ; owl:hasSelf true ] rdfs:subClassOf :D .", "CD"),
    ],
    ids=["annotated axiom", "undeclared intersection", "undeclared union", "loops make a chain", "the top role"],
)  # fmt: skip
def test_what_follows(text: str, pair: str) -> None:
    name, above = pair[0], pair[1]
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(PREFIXES + text)
        asked = f"ASK {{ <http://e/{name}> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/{above}> }}"
        assert graph.ask(asked)


def test_a_contradiction_is_told(tmp_path: Path) -> None:
    (file := tmp_path / "a.ttl").write_text(
        PREFIXES + ":p a owl:AsymmetricProperty , owl:ObjectProperty . :a :p :a . :A rdfs:subClassOf :B ."
    )
    assert [call("classify", file, "--reasoner", each).exit_code for each in ("el", "rl", "rl+el")] == [0, 3, 3]
