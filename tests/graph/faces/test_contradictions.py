"""Contradictions as people read them: one line that says what contradicts what, and one for each mistake."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.options import SameAsMode, SchemaMode
from kgreason.proofs.contradiction import reading
from kgreason.rules.model import FALSE
from kgreason.rules.parser import parse, ruleset
from kgreason.terms import vocabulary as v

PREFIXES = {"": "http://e/", "owl": v.OWL, "rdf": v.RDF, "rdfs": v.RDFS, "xsd": v.XSD}
HEAD = "".join(f"@prefix {prefix}: <{namespace}> .\n" for prefix, namespace in PREFIXES.items())

SAID = {
    "eq-diff1": (
        ":a owl:sameAs :b ; owl:differentFrom :b . :b owl:differentFrom :a .",
        "eq-diff1: :a and :b are the same (owl:sameAs) and different (owl:differentFrom)",
    ),
    "eq-diff1-self": (
        ":a owl:differentFrom :a .",
        "eq-diff1-self: :a is different from itself (owl:differentFrom)",
    ),
    "eq-diff2": (
        "[] a owl:AllDifferent ; owl:members (:a :b :c) . :b owl:sameAs :a .",
        "eq-diff2: :a and :b are the same individual (owl:sameAs), but are listed as different ones (owl:AllDifferent)",
    ),
    "eq-diff3": (
        "[] a owl:AllDifferent ; owl:distinctMembers (:a :b) . :a owl:sameAs :b .",
        "eq-diff3: :a and :b are the same individual (owl:sameAs), but are listed as different ones (owl:AllDifferent)",
    ),
    "prp-fp-literals": (
        ":p a owl:FunctionalProperty . :x :p 1, 2 .",
        "prp-fp-literals: :x has the values 1 and 2 of :p, which is a functional property: it has one value at most "
        "(axiom :p a owl:FunctionalProperty)",
    ),
    "prp-ifp-literals": (
        ":of a owl:InverseFunctionalProperty ; owl:inverseOf :p . :x :p 1, 2 .",
        "prp-ifp-literals: 1 and 2 have the value :x of :of, which is an inverse functional property: "
        "a value has one subject (axiom :of a owl:InverseFunctionalProperty)",
    ),
    "prp-key-literals": (
        ":C owl:hasKey (:of) . :of owl:inverseOf :p . :p rdfs:range :C . :x :p 1, 2 .",
        "prp-key-literals: 1 and 2 are in :C and have the same values of its key (owl:hasKey): "
        "they must be one individual",
    ),
    "prp-irp": (
        ":p a owl:IrreflexiveProperty . :x :p :x .",
        "prp-irp: :x is related to itself by :p, which is an irreflexive property (axiom :p a owl:IrreflexiveProperty)",
    ),
    "prp-asyp": (
        ":p a owl:AsymmetricProperty . :x :p :y . :y :p :x .",
        "prp-asyp: :x and :y are related both ways by :p, which is an asymmetric property "
        "(axiom :p a owl:AsymmetricProperty)",
    ),
    "prp-pdw": (
        ":p owl:propertyDisjointWith :q . :q owl:propertyDisjointWith :p . :x :p :y ; :q :y .",
        "prp-pdw: :x has the value :y of :p and of :q, which are disjoint properties "
        "(axiom :p owl:propertyDisjointWith :q)",
    ),
    "prp-adp": (
        "[] a owl:AllDisjointProperties ; owl:members (:p :q) . :x :p 1 ; :q 1 .",
        "prp-adp: :x has the value 1 of :p and of :q, which are disjoint properties",
    ),
    "prp-npa1": (
        "[] owl:sourceIndividual :x ; owl:assertionProperty :p ; owl:targetIndividual :y . :x :p :y .",
        "prp-npa1: :x has the value :y of :p, which a negative property assertion denies",
    ),
    "prp-npa2": (
        "[] owl:sourceIndividual :x ; owl:assertionProperty :p ; owl:targetValue 7 . :x :p 7 .",
        "prp-npa2: :x has the value 7 of :p, which a negative property assertion denies",
    ),
    "cls-nothing2": (":x a owl:Nothing .", "cls-nothing2: :x is in owl:Nothing, which is the empty class"),
    "cls-com": (
        ":A owl:complementOf :B . :B owl:complementOf :A . :x a :A, :B .",
        "cls-com: :x is in :A and in :B, which are complements (axiom :A owl:complementOf :B)",
    ),
    "cls-maxc1": (
        ":A owl:onProperty :p ; owl:maxCardinality '0'^^xsd:nonNegativeInteger . :x a :A ; :p :y .",
        "cls-maxc1: :x has the value :y of :p, but is in :A, which allows no value",
    ),
    "cls-maxc2-literals": (
        ":A owl:onProperty :p ; owl:maxCardinality '1'^^xsd:nonNegativeInteger . :x a :A ; :p 2, 'a' .",
        'cls-maxc2-literals: :x has the values 2 and "a" of :p, but is in :A, which allows one value',
    ),
    "cls-maxqc1": (
        ":A owl:onProperty :p ; owl:onClass :C ; owl:maxQualifiedCardinality '0'^^xsd:nonNegativeInteger ."
        " :x a :A ; :p :y . :y a :C .",
        "cls-maxqc1: :x has the value :y of :p, which is in :C; but :x is in :A, which allows no value of that class",
    ),
    "cls-maxqc2": (
        ":A owl:onProperty :p ; owl:onClass owl:Thing ; owl:maxQualifiedCardinality '0'^^xsd:nonNegativeInteger ."
        " :x a :A ; :p :y .",
        "cls-maxqc2: :x has the value :y of :p, but is in :A, which allows no value",
    ),
    "cls-maxqc3-literals": (
        ":A owl:onProperty :p ; owl:onClass xsd:integer ; owl:maxQualifiedCardinality '1'^^xsd:nonNegativeInteger ."
        " :x a :A ; :p 2, 3, 'a' .",
        "cls-maxqc3-literals: :x has the values 2 and 3 of :p, both in xsd:integer; "
        "but :x is in :A, which allows one value of that class",
    ),
    "cls-maxqc4-literals": (
        ":A owl:onProperty :p ; owl:onClass owl:Thing ; owl:maxQualifiedCardinality '1'^^xsd:nonNegativeInteger ."
        " :x a :A ; :p 2, 3 .",
        "cls-maxqc4-literals: :x has the values 2 and 3 of :p, but is in :A, which allows one value",
    ),
    "cax-dw": (
        ":A owl:disjointWith :B . :B owl:disjointWith :A . :x a :A, :B .",
        "cax-dw: :x is in :A and in :B, which are disjoint classes (axiom :A owl:disjointWith :B)",
    ),
    "cax-adc": (
        "[] a owl:AllDisjointClasses ; owl:members (:A :B :C) . :x a :A, :C .",
        "cax-adc: :x is in :A and in :C, which are disjoint classes",
    ),
    "dt-not-type": (
        ":p rdfs:range xsd:integer . :x :p 'abc' .",
        'dt-not-type: :x has the value "abc" of :p, which must be in the datatype xsd:integer but is not',
    ),
    "dt-not-type-ill": (
        ":p rdfs:range xsd:integer ; rdfs:subPropertyOf :q . :x :p 'abc'^^xsd:integer .",
        'dt-not-type-ill: :x has the value "abc"^^xsd:integer of :p, which is ill-typed: '
        "its text is not a value of its datatype",
    ),
}


@pytest.mark.parametrize(
    ("name", "schema", "same_as"),
    [*product(SAID, ("axioms", "data"), ("aliases", "representatives", "rules"))],
)
def test_one_mistake_is_one_line(name: str, schema: SchemaMode, same_as: SameAsMode) -> None:
    """In both readings of the schema, with and without representatives; axioms may be told by more or fewer triples."""
    text, expected = SAID[name]
    with KnowledgeGraph.open(schema=schema, same_as=same_as) as graph:
        with graph.transaction() as tx:
            tx.add(HEAD + text)
        (found,) = graph.contradictions()
        assert len(graph.prove_contradictions()) == graph.stats()["contradictions"] == 1
        line = found.to_text(PREFIXES)
        assert line.split(" (axiom")[0] == expected.split(" (axiom")[0]
        assert "(axiom " not in expected or line == expected
        assert found.message in str(found)
        assert {*found.axioms} <= {
            tuple(map(str, (quad.subject, quad.predicate, quad.object))) for quad in graph.match()
        }


def test_every_rule_that_derives_false_has_a_sentence() -> None:
    books = ("owl2rl", "datatypes", "refutation")
    rules = [rule for book in books for rule in ruleset(book).rules if FALSE in rule.heads]
    assert SAID.keys() <= {rule.name for rule in rules}
    assert [rule.name for rule in rules if not reading(rule).named] == []


def test_a_rule_of_the_user_is_told_by_its_facts() -> None:
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add(f"{HEAD} :x :p 1 ; :q 2 .")
            tx.add_rules("@prefix : <http://e/> . @rule never false :- [?x, :p, ?y], [?x, :q, ?z] .")
        (found,) = graph.contradictions()
        assert found.to_text(PREFIXES) == "never: this cannot hold: :x :p 1, :x :q 2"


def test_three_equal_terms_and_one_that_differs_are_one_mistake() -> None:
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add(f"{HEAD} :p a owl:FunctionalProperty . :s :p :c, :b, :a . :c owl:differentFrom :b .")
        assert [each.to_text(PREFIXES) for each in graph.contradictions()] == [
            "eq-diff1: :c and :b are the same (owl:sameAs) and different (owl:differentFrom)"
        ]


@pytest.mark.parametrize("same_as", ["aliases", "representatives", "rules"])
@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_each_pair_that_was_said_to_differ_is_told_with_its_own_proof(schema: SchemaMode, same_as: SameAsMode) -> None:
    with KnowledgeGraph.open(schema=schema, same_as=same_as) as graph:
        with graph.transaction() as tx:
            tx.add(f"{HEAD} :a owl:sameAs :b . :b owl:sameAs :c . :c owl:sameAs :d . :x owl:sameAs :y .")
            tx.add(f"{HEAD} :a owl:differentFrom :b . :d owl:differentFrom :c . :c owl:differentFrom :d .")
            tx.add(f"{HEAD} :b owl:differentFrom :d . :x owl:differentFrom :y . :a owl:differentFrom :x .")
        pairs = [(":a", ":b"), (":b", ":d"), (":c", ":d"), (":x", ":y")]
        lines = [f"{x} and {y} are the same (owl:sameAs) and different (owl:differentFrom)" for x, y in pairs]
        assert [each.to_text(PREFIXES) for each in graph.contradictions()] == [f"eq-diff1: {line}" for line in lines]
        proofs = [proof.to_text(PREFIXES).splitlines() for proof in graph.prove_contradictions()]
        assert [proof[0] for proof in proofs] == [f"contradiction: {line}" for line in lines]
        for proof, (x, y) in zip(proofs, pairs, strict=True):
            assert f"    {x} owl:differentFrom {y} (asserted)" in proof
        assert graph.stats()["contradictions"] == 4


def test_the_proof_that_two_terms_are_equal_and_different_is_four_lines() -> None:
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add(f"{HEAD} :a owl:sameAs :b . :a owl:differentFrom :b .")
        (proof,) = graph.prove_contradictions()
        assert proof.to_text(PREFIXES).splitlines() == [
            "contradiction: :a and :b are the same (owl:sameAs) and different (owl:differentFrom)",
            "    by eq-diff1: false :- [?x, owl:sameAs, ?y], [?x, owl:differentFrom, ?y] .",
            "    :a owl:sameAs :b (asserted)",
            "    :a owl:differentFrom :b (asserted)",
        ]


@pytest.mark.parametrize("same_as", ["aliases", "representatives", "rules"])
@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_each_pair_of_a_list_of_different_terms_is_told_once(schema: SchemaMode, same_as: SameAsMode) -> None:
    with KnowledgeGraph.open(schema=schema, same_as=same_as) as graph:
        with graph.transaction() as tx:
            tx.add(f"{HEAD} [] a owl:AllDifferent ; owl:members (:a :b :c :d) . :a owl:sameAs :b . :b owl:sameAs :d .")
            tx.add(f"{HEAD} [] a owl:AllDifferent ; owl:distinctMembers (:b :a) .")
        told = [each.to_text(PREFIXES).split(" are")[0] for each in graph.contradictions()]
        assert told == ["eq-diff2: :a and :b", "eq-diff2: :a and :d", "eq-diff2: :b and :d"]
        assert len(graph.prove_contradictions()) == graph.stats()["contradictions"] == 3


@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_two_values_that_are_listed_as_different_are_told_by_the_property(schema: SchemaMode) -> None:
    with KnowledgeGraph.open(schema=schema) as graph:
        with graph.transaction() as tx:
            tx.add(f"{HEAD} :p a owl:FunctionalProperty . :x :p 1, 2 . [] a owl:AllDifferent ; owl:members (1 2) .")
        assert [each.rule for each in graph.contradictions()] == ["prp-fp-literals"]


def test_two_mistakes_of_one_rule_are_two() -> None:
    """That a relates to b by both properties, and b to a, is not the same: disjoint properties are not symmetric."""
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add(f"{HEAD} :p owl:propertyDisjointWith :q . :a :p :b ; :q :b . :b :p :a ; :q :a .")
        assert len(graph.contradictions()) == 2


@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_a_store_that_is_read_again_says_the_same(tmp_path: Path, schema: SchemaMode) -> None:
    rules = tmp_path / "own.dl"
    rules.write_text('@prefix : <http://e/> . @rule "no \\"p\\"" false :- [?x, :p, "a b"], [?x, :q, 5] .')
    text = tmp_path / "graph.ttl"
    text.write_text(HEAD + ":x :p 'a b' ; :q 5 .\n" + "\n".join(text for text, _ in SAID.values()))
    with KnowledgeGraph.open(tmp_path / "store", rules=["owl2rl", rules], schema=schema) as graph:
        graph.load(text)
        found = graph.contradictions()
    assert len(found) > 10
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert graph.contradictions() == found
        assert not graph._state.is_running
        assert graph.stats()["contradictions"] == len(found)


@pytest.mark.parametrize(
    "body",
    [
        ":Dog[?x], NOT EXISTS ?y IN ([?x, :chip, ?y])",
        ":Dog[?x], NOT [?x, :in, :house]",
        "[?x, :age, ?n], FILTER(?n > 7 && ?x != :max)",
        "[?x, :age, ?n], BIND(IF(?x = :max, 0, ?n) AS ?m)",
        "AGGREGATE([?x, :eats, ?y], [?y, a, :Meat] ON ?x BIND COUNT(?y) AS ?n), FILTER(?n > 1)",
    ],
)
def test_a_store_that_is_only_read_tells_constants_that_the_contradiction_lacks(tmp_path: Path, body: str) -> None:
    rules, data = tmp_path / "own.dl", tmp_path / "data.ttl"
    rules.write_text(f"{HEAD} @rule odd false :- {body} .")
    data.write_text(HEAD + ":rex a :Dog ; :age 8 ; :eats :a, :b . :a a :Meat . :b a :Meat .")
    with KnowledgeGraph.open(tmp_path / "store", rules=[rules]) as graph:
        graph.load(data)
        found = graph.contradictions()
    assert ["<http://e/rex>" in str(each) for each in found] == [True]
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert graph.contradictions() == found
        assert not graph._state.is_running


def test_a_proof_shows_what_its_rule_asks_of_literals() -> None:
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add(f"{HEAD} :x :p 'abc'^^xsd:integer .")
        (proof,) = graph.prove_contradictions()
        assert proof.to_text(PREFIXES).splitlines() == [
            'contradiction: :x has the value "abc"^^xsd:integer of :p, which is ill-typed: '
            "its text is not a value of its datatype",
            "    by dt-not-type-ill: false :- [?v0, ?v1, ?v2], dt_ill(?v2) .",
            "    where ?v2 is a literal, and its text is not a value of its datatype",
            '    :x :p "abc"^^xsd:integer (asserted)',
        ]
        assert proof.to_json()["steps"][-1]["rule"]["conditions"] == [
            "?v2 is a literal, and its text is not a value of its datatype"
        ]
        assert "and its text is not a value of its datatype" in proof.to_mermaid(PREFIXES)


def test_a_proof_of_two_values_shows_both_and_the_axiom() -> None:
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add(f"{HEAD} :p a owl:FunctionalProperty . :x :p 1, 2 .")
        (proof,) = graph.prove_contradictions()
        assert proof.to_text(PREFIXES).splitlines() == [
            "contradiction: :x has the values 1 and 2 of :p, which is a functional property: it has one value at most",
            "    by prp-fp-literals: false :- [?v0, :p, ?v1], [?v0, :p, ?v2], dt_differ(?v1, ?v2) .",
            "    where ?v1 and ?v2 are literals with different values",
            "    with the axiom :p a owl:FunctionalProperty",
            "    :x :p 1 (asserted)",
            "    :x :p 2 (asserted)",
        ]


@pytest.mark.parametrize("name", ["prp-fp", "prp-fp-literals", "prp-fp-other-literals"])
def test_a_rule_is_told_as_the_row_that_its_name_begins_with(name: str) -> None:
    text = f"@rule {name} false :- [?x, <http://e/p>, ?y], [?x, <http://e/p>, ?z], [?y, <http://e/q>, ?z] ."
    (rule,) = parse(text).rules
    told = reading(rule)
    values = ("<http://e/s>", '"1"', '"2"', "<http://e/p>", "<http://e/q>")
    found = told.contradiction(values)
    assert found.message.startswith('<http://e/s> has the values "1" and "2" of <http://e/p>')
    other = ("<http://e/s>", '"2"', '"1"', "<http://e/p>", "<http://e/q>")
    assert told.key(values, values) == told.key(other, other)
