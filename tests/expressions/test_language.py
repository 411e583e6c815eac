"""FILTER and BIND in rule text, in a graph, in proofs, and with bad input."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, LimitError, RuleError
from kgreason.rules.canonical_form import canonical
from kgreason.rules.formatter import format_program, format_rule
from kgreason.rules.model import Rule
from kgreason.rules.parser import parse
from tests.tables import table

NAMES = {"": "http://e/", "xsd": "http://www.w3.org/2001/XMLSchema#"}
HEADER = "@prefix : <http://e/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . "


def rule(text: str) -> Rule:
    (found,) = parse(HEADER + text).rules
    return found


def graph(rules: str, data: str = "", **limits: int) -> KnowledgeGraph:
    found = KnowledgeGraph.open(rules=["owl2rl"], **limits)  # type: ignore[arg-type]
    with found.transaction() as transaction:
        transaction.add_rules(HEADER + rules)
    if data:
        found.add(data, prefixes=NAMES)
    return found


def objects(found: KnowledgeGraph, predicate: str) -> list[str]:
    return sorted(str(quad.object) for quad in found.match(None, predicate, None, prefixes=NAMES))


def test_a_rule_that_is_written_reads_back() -> None:
    text = (
        "p(?x, ?z) :- q(?x, ?y), BIND(xsd:integer(STR(?y)) - 1 AS ?z), "
        'FILTER(?z >= 18 && !(?x = :tom || ?x IN (:a, "b"@en, 1.5))), NOT r(?z) .'
    )
    program = parse(HEADER + text)
    assert format_rule(program.rules[0], NAMES).replace("\n    ", " ").replace("\n", "") == text
    assert parse(format_program(program)) == program


def test_an_assignment_may_be_written_after_its_use() -> None:
    late = rule("p(?z) :- q(?x), FILTER(?y > 1), BIND(?y * 2 AS ?z), BIND(?x + 1 AS ?y) .")
    assert [str(each.result) for each in late.computed] == ["?y", "None", "?z"]


def test_names_and_order_do_not_matter() -> None:
    one = rule("p(?a) :- q(?x), BIND(?x + 1 AS ?a), FILTER(?a < 9), FILTER(?x > 2) .")
    other = rule("p(?b) :- FILTER(?y > 2), BIND(?y + 1 AS ?b), q(?y), FILTER(?b < 9), FILTER(?y > 2) .")
    assert canonical(one) == canonical(other) == canonical(canonical(one))


@table(
    ("text", "problem"),
    [
        ("p(?x) :- q(?x), FILTER(?y > 1) .", r"\?y is in FILTER but in no body atom, and no BIND makes it"),
        ("p(?x) :- q(?x), FILTER(?d > 1), BIND(?z+1 AS ?d) .", r"\?z is in BIND but in no body atom, and no BIND"),
        (
            "p(?c) :- q(?x), FILTER(?c > 1), BIND(?c + 1 AS ?d), BIND(?d + 1 AS ?c) .",
            r"the BIND that makes \?([cd]) needs \?\1 itself, directly or through other BINDs",
        ),
        (
            "p(?e) :- q(?x), FILTER(?e > 1), BIND(?c AS ?e), BIND(?d AS ?c), BIND(?c AS ?d) .",
            r"the BIND that makes \?([cd]) needs \?\1 itself",
        ),
        ("p(?x) :- q(?x), BIND(?y + 1 AS ?y) .", r"the BIND that makes \?y needs \?y itself"),
        ("p(?x) :- q(?x), filter(?x > 3) .", "write FILTER in capitals"),
        ("p(?y) :- q(?x), Bind(?x + 1 AS ?y) .", "write BIND in capitals"),
        ("p(?x) :- q(?x), FILTER ?x > 3 .", r"FILTER needs brackets: FILTER\(\?x > 3\)"),
        ("p(?x), FILTER(?x > 3) :- q(?x) .", "FILTER cannot stand in the head: write it in the body"),
        ("p(?x), FILTER(?x) :- q(?x) .", "FILTER cannot stand in the head: write it in the body"),
        ("p(?x), BIND(1 AS ?y) :- q(?x) .", "BIND cannot stand in the head: write it in the body"),
        ("p(?x) :- q(?x), NOT FILTER(?x > 3) .", r"FILTER cannot stand alone under NOT: write NOT EXISTS \(FILTER\("),
        ("p(?x) :- q(?x), NOT FILTER(?x) .", "FILTER cannot stand alone under NOT"),
        (
            "p(?x) :- q(?x), NOT EXISTS ?y IN (r(?y), BIND(?y AS ?z)) .",
            "BIND cannot stand under NOT: write a rule with",
        ),
        ("p(?x) :- q(?x), COUNT(?x) .", "COUNT belongs into AGGREGATE, after the atoms: AGGREGATE"),
        ("p(?x) :- q(?x), NOT GROUP_CONCAT(?x) .", "GROUP_CONCAT belongs into AGGREGATE"),
        ("p(?n) :- q(?x), COUNT(DISTINCT ?x) .", "COUNT belongs into AGGREGATE"),
        *(
            (f"p(?x) :- q(?x), {text} .", r"a rule has no FILTER with EXISTS: write NOT EXISTS \?e IN \(...\) wi")
            for text in ("FILTER NOT EXISTS { ?x :p ?y }", "FILTER(NOT EXISTS {[?x, :p, ?y]})", "filter not exists {}")
        ),
        *(
            (
                f"p(?x) :- q(?x), {text} .",
                "a rule has no FILTER with EXISTS: write the atoms without FILTER EXISTS",
            )
            for text in ("FILTER EXISTS { ?x :p ?y }", "FILTER(EXISTS {[?x, :p, ?y]})")
        ),
        ("p(?x) :- q(?x), BIND(1 AS ?x) .", r"\?x has a value already; BIND needs a new variable after AS"),
        ("p(?x) :- q(?x), FILTER(FOO(?x)) .", "FOO is no function of SPARQL"),
        ("p(?x) :- q(?x), FILTER(?x > ) .", r"\?x > is no SPARQL expression"),
        ("p(?y) :- q(?x), BIND(STRLEN(?x, 1) AS ?y) .", r"rule rule-1: STRLEN takes 1 argument, and 2 are given"),
        ("p(?y) :- q(?x), BIND(UCASE(SUBSTR(?x)) AS ?y) .", "SUBSTR takes 2 or 3 arguments, and 1 is given"),
        ("p(?y) :- q(?x), BIND(CONCAT(?x, ABS(), (1)) AS ?y) .", "ABS takes 1 argument, and 0 are given"),
        ("p(?y) :- q(?x), BIND(CONCAT(1, 2, 3, 4, 5, 6, UCASE()) AS ?y) .", "UCASE takes 1 argument, and 0 are given"),
        ("p(?y) :- q(?x), BIND(xsd:integer(?x, 2) AS ?y) .", r"integer> takes 1 argument, and 2 are given"),
        (
            "@rule n p(?y) :- q(?x), FILTER(REGEX(?x)), BIND(1 AS ?y) .",
            "rule n: REGEX takes 2 or 3 arguments, and 1 is",
        ),
        ("p(?y) :- q(?x), BIND(RAND() AS ?y) .", r"RAND\(\) may give another result each time"),
        ("p(?y) :- q(?x), BIND(COUNT(?x) AS ?y) .", "COUNT reads many rows, but an expression reads one row"),
        ("p(?x) :- q(?x), FILTER(?x > 1 and ?x < 9) .", "AND is no operator of SPARQL: write &&"),
        ("p(?x) :- q(?x), FILTER(?x < 1 OR ?x > 9) .", r"OR is no operator of SPARQL: write \|\|"),
        ("p(?x) :- q(?x), FILTER(NOT ?x > 9) .", r"NOT is no operator of SPARQL: write !, as in !\(\?x > 3\)"),
        ("p(?x) :- q(?x), FILTER(?x == 1990) .", "SPARQL compares with a single =$"),
        ('p(?x) :- q(?x), FILTER(?x+"a"^^:b "c"@en) .', r'\?x\+"a"\^\^:b "c"@en is no SPARQL expression'),
        ("p(?x) :- q(?x), FILTER(EXISTS(?x)) .", "EXISTS is not for expressions; write NOT EXISTS"),
        ("p(?x) :- q(?x), FILTER() .", "found '\\)', expected an expression"),
        ("p(?x) :- q(?x), BIND(?x + 1) .", "found '\\)', expected an expression or AS"),
    ],
)
def test_bad_expressions_are_refused_with_their_place(text: str, problem: str) -> None:
    with pytest.raises(RuleError, match=rf"^<text>:1:\d+: .*{problem}"):
        parse(HEADER + text)


def test_the_place_of_a_bad_word_is_told() -> None:
    for text, column in [
        ("FILTER(?x > 1 and ?x < 9)", 24),
        ("FILTER(?x == 1)", 21),
        ("FILTER(!foo(?x))", 18),
        ("filter(?x > 1)", 10),
    ]:
        with pytest.raises(RuleError, match=rf"^<text>:1:{column}: "):
            parse(f"p(?x) :- {text}, q(?x) .")


def test_an_error_makes_no_row() -> None:
    found = graph("[?x, :next, ?z] :- [?x, :n, ?y], BIND(?y + 1 AS ?z) .", ':a :n 1, "x", :b, 2.5 .')
    assert objects(found, ":next") == [f'"2"^^<{NAMES["xsd"]}integer>', f'"3.5"^^<{NAMES["xsd"]}decimal>']


def test_blank_nodes_and_triple_terms_are_inputs() -> None:
    found = graph(
        "[?x, :kind, ?k] :- [?x, :n, ?y], FILTER(ISBLANK(?x)), BIND(SUBJECT(?y) AS ?k) .",
        "_:x :n <<( _:x :p :b )>> . :i :n <<( :j :p :b )>> .",
    )
    (kind,) = objects(found, ":kind")
    assert kind.startswith("_:")


def test_a_proof_shows_what_was_computed() -> None:
    found = graph("[?x, :next, ?z] :- [?x, :n, ?y], BIND(?y + 1 AS ?z), FILTER(?z < 9) .", ":a :n 1 .")
    proof = found.explain(":a :next 2 .", prefixes=NAMES)
    assert proof.to_text(NAMES).splitlines()[-3:] == ["    :a :n 1 (asserted)", "    1 + 1 = 2", "    2 < 9"]
    computed = [step["computed"] for step in proof.to_json()["steps"] if "computed" in step]
    assert len(computed) == 2


def test_a_contradiction_names_what_was_computed() -> None:
    found = graph("@rule young false :- [?x, :age, ?y], [?x, :born, ?z], BIND(?y + ?z AS ?s), FILTER(?s > 2030) .")
    found.add(":a :age 30 ; :born 2010 .", prefixes=NAMES)
    (one,) = found.contradictions()
    assert one.to_text(NAMES).endswith(":a :age 30, :a :born 2010, 30 + 2010 = 2040, 2040 > 2030")


def test_a_removal_takes_what_was_computed_and_reopening_keeps_it(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", rules=["rdfs"]) as found:
        with found.transaction() as transaction:
            transaction.add_rules(HEADER + "[?x, :next, ?z] :- [?x, :n, ?y], BIND(?y + 1 AS ?z) .")
        found.add(":a :n 1 . :b :n 1 .", prefixes=NAMES)
    with KnowledgeGraph.open(tmp_path / "store") as found:
        found.remove(":a :n 1 .", prefixes=NAMES)
        found.add(":c :n 1, 5 .", prefixes=NAMES)
        assert len(objects(found, ":next")) == 3
    with KnowledgeGraph.open(tmp_path / "store") as found:
        found.remove(":b :n 1 . :c :n 1 .", prefixes=NAMES)
        assert objects(found, ":next") == [f'"6"^^<{NAMES["xsd"]}integer>']


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"most_rounds": 50}, "rule count: BIND has made new terms from new terms 50 times in one commit"),
        ({"most_made_terms": 70}, "rule count: BIND has made more than 70 terms by recursion in one commit"),
    ],
)
def test_recursion_without_end_is_rolled_back_and_names_the_rule(limits: dict[str, int], said: str) -> None:
    found = graph("@rule count [?x, :n, ?z] :- [?x, :n, ?y], BIND(?y + 1 AS ?z) .", **limits)  # type: ignore[arg-type]
    before, terms = sorted(found.dump()), found.stats()["terms"]
    (option,) = limits
    with pytest.raises(LimitError, match=f"{said}.* pass a larger {option}=$"):
        found.add(":a :n 1 .", prefixes=NAMES)
    assert sorted(found.dump()) == before
    assert found.stats()["terms"] == terms
    found.add(":a :m 1 .", prefixes=NAMES)
    assert objects(found, ":m") == [f'"1"^^<{NAMES["xsd"]}integer>']


def test_recursion_that_makes_more_and_more_terms_ends_after_few_rounds() -> None:
    found = graph(
        "@rule double [?x, :n, ?z] :- [?x, :n, ?y], BIND(CONCAT(?y, '0') AS ?z) ."
        "@rule other [?x, :n, ?z] :- [?x, :n, ?y], BIND(CONCAT(?y, '1') AS ?z) .",
        most_made_terms=1_000,
    )
    with pytest.raises(LimitError, match="BIND has made more than 1,000 terms"):
        found.add(":a :n '' .", prefixes=NAMES)


def test_terms_that_rules_make_without_recursion_have_no_limit() -> None:
    found = graph(
        "[?x, :b, ?z] :- [?x, :a, ?y], BIND(?y + 1 AS ?z) . [?x, :c, ?z] :- [?x, :b, ?y], BIND(?y * 1000 AS ?z) ."
        "[?x, :d, ?z] :- [?x, :c, ?y], NOT [?x, :e, ?y], BIND(STR(?y) AS ?z) .",
        most_made_terms=1,
        most_rounds=3,
    )
    found.add(" ".join(f":x{number} :a {number} ." for number in range(50)), prefixes=NAMES)
    found.add(":y :a 99, 100 .", prefixes=NAMES)
    assert len(objects(found, ":d")) == 52


def test_a_store_opens_whose_commits_needed_larger_limits(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", rules=["rdfs"], most_rounds=200, most_made_terms=200) as found:
        with found.transaction() as transaction:
            transaction.add_rules(HEADER + "[?x, :n, ?z] :- [?x, :n, ?y], BIND(?y + 1 AS ?z), FILTER(?z <= 100) .")
        found.add(":a :n 1 .", prefixes=NAMES)
        shutil.copytree(tmp_path / "store", tmp_path / "copy")  # with a journal
    with KnowledgeGraph.open(tmp_path / "copy", most_rounds=5, most_made_terms=5) as found:
        assert len(objects(found, ":n")) == 100
        with pytest.raises(LimitError, match="a larger most_rounds="):
            found.add(":b :n 0.5 .", prefixes=NAMES)


@pytest.mark.parametrize("option", ["most_rounds", "most_made_terms"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "many"])
def test_a_limit_is_a_whole_number(option: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"{option} .*: it must be a whole number, at least 1"):
        KnowledgeGraph.open(**{option: value})


def test_bounded_recursion_ends() -> None:
    found = graph("[?x, :n, ?z] :- [?x, :n, ?y], BIND(?y + 1 AS ?z), FILTER(?z <= 100) .", ":a :n 1 .")
    assert len(objects(found, ":n")) == 100
    found.remove(":a :n 1 .", prefixes=NAMES)
    assert objects(found, ":n") == []


def test_numbers_and_booleans_are_the_same_in_short_and_in_long() -> None:
    short = rule("p(?x) :- q(?x, ?b), FILTER(?x -1 > 5 && ?b = true && -2 < ?x), BIND(?x - -1.5e0 AS ?z) .")
    long = rule(
        'p(?x) :- q(?x, ?b), FILTER(?x - "1"^^xsd:integer > "5"^^xsd:integer && ?b = "true"^^xsd:boolean '
        '&& "-2"^^xsd:integer < ?x), BIND(?x - "-1.5e0"^^xsd:double AS ?z) .'
    )
    assert short.computed == long.computed
    program = parse(HEADER + "p(?x) :- q(?x, ?b), FILTER(?x -1 > 5 && ?b = true && -2 < ?x), BIND(?x - -1.5e0 AS ?z) .")
    assert parse(format_program(program)) == program


def test_a_store_with_a_typed_boolean_opens_again_and_its_rule_can_be_removed(tmp_path: Path) -> None:
    text = f'{HEADER} :P[?x] :- [?x, :q, ?v], FILTER(?v = "true"^^xsd:boolean || ?v > "5"^^xsd:integer) .'
    with KnowledgeGraph.open(tmp_path / "store", rules=[]) as found:
        with found.transaction() as transaction:
            transaction.add_rules(text)
        found.add(":a :q true . :b :q 7, 3 .", prefixes=NAMES)
    with KnowledgeGraph.open(tmp_path / "store") as found:
        assert len(list(found.match(None, "a", ":P", prefixes=NAMES))) == 2
        with found.transaction() as transaction:
            transaction.remove_rules(text)
        assert not list(found.match(None, "a", ":P", prefixes=NAMES))


def test_an_assignment_of_a_variable_is_the_same_term() -> None:
    found = graph("[?x, :same, ?y] :- [?x, :n, ?v], BIND(?v AS ?y) .", '_:b :n _:b . :a :n "01"^^xsd:integer .')
    lines = sorted(b"".join(found.dump()).decode().splitlines())
    assert f'<http://e/a> <http://e/same> "01"^^<{NAMES["xsd"]}integer> .' in lines
    same = list(found.match(None, ":same", None, prefixes=NAMES))
    (one,) = [quad for quad in same if str(quad.subject).startswith("_:")]
    assert one.subject == one.object


def test_results_keep_blank_nodes_and_may_be_triple_terms() -> None:
    found = graph(
        "[?x, :kind, ?k] :- [?x, :n, ?y], BIND(IF(ISBLANK(?y), ?y, :none) AS ?k) ."
        "[?x, :said, ?t] :- [?x, :n, ?y], BIND(TRIPLE(:s, :p, ?y) AS ?t) .",
        "_:b :n _:b .",
    )
    (kind,) = found.match(None, ":kind", None, prefixes=NAMES)
    assert kind.object == kind.subject
    (said,) = found.match(None, ":said", None, prefixes=NAMES)
    assert b"<<( <http://e/s> <http://e/p> _:" in b"".join(found.dump())
    assert str(kind.subject) in str(said.object)


def test_a_string_that_would_need_a_language_makes_no_row() -> None:
    found = graph(
        "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ."
        "[?x, :t, ?t] :- [?x, :n, ?y], BIND(STRDT(?y, rdf:langString) AS ?t) .",
        ':a :n "x" .',
    )
    assert objects(found, ":t") == []


def test_an_unknown_cast_is_refused_when_the_rule_is_read() -> None:
    with pytest.raises(RuleError, match="integre> is no function: the only functions with an IRI are casts"):
        rule("p(?y) :- q(?x), BIND(xsd:integre(?x) AS ?y) .")
