"""`rules convert`: a rule file in another language says the same, or the command says why not and writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.errors import RuleError
from kgreason.rules.formatter import format_program
from kgreason.rules.parser import Syntax, load, parse
from kgreason.rules.srl.writer import format_as
from tests.cli.calling import error_of, succeed
from tests.srl.suite import cases, refusal
from tests.tables import table
from tests.w3c.shared import MISSING

HEADER = "@prefix : <http://example.org/> .\n"


def text_of(text: str, syntax: Syntax = "srl") -> str:
    assert syntax != "datalog"
    program = parse(HEADER + text)
    return format_as(program, syntax, lambda found: parse(found, syntax=syntax)).partition("\n\n")[2].strip()


@table(
    ("text", "expected"),
    [
        ("[?x, :p, 1] :- [?x, :q, ?y], FILTER(?y > 2) .", "RULE { ?x :p 1 } WHERE { ?x :q ?y . FILTER(?y > 2) }"),
        ("[?x, a, :C] :- [?x, :q, ?y], BIND(?y + 1 AS ?z), FILTER(?z > 3) .",
         "RULE { ?x a :C } WHERE { ?x :q ?y . SET(?z := ?y + 1) FILTER(?z > 3) }"),
        ("@rule named [?b, :p, ?x] :- [?x, :q, ?y], BIND(SKOLEM('l', ?y, ?x) AS ?b) .",
         "# 'named' RULE { _:b :p ?x } WHERE { ?x :q ?y . }"),
        ("@rule 'http://example.org/r' [?x, :p, 1] :- DATA [?x, :q, ?y], NOT DATA [?x, :r, ?y] .",
         "RULE <http://example.org/r> { ?x :p 1 } WHERE DATA { ?x :q ?y . NOT { ?x :r ?y . } }"),
        ("[?x, :p, 1] :- [?x, :q, ?y], NOT EXISTS ?z IN (DATA [?x, :r, ?z], FILTER(?z > ?y)) .",
         "RULE { ?x :p 1 } WHERE { ?x :q ?y . NOT DATA { ?x :r ?z . FILTER(?z > ?y) } }"),
        ("[:a, :p, 1], [:a, :p, _:b] .", "DATA { :a :p 1 . :a :p _:b }"),
        ("[?x, :p, ?t] :- [?x, :q, ?y], BIND(TRIPLE(?x, :q, ?y) AS ?t) .",
         "RULE { ?x :p <<( ?x :q ?y )>> } WHERE { ?x :q ?y . }"),
    ],
)  # fmt: skip
def test_rules_are_written_as_sparql_rl(text: str, expected: str) -> None:
    assert " ".join(text_of(text).split()) == expected


def test_a_rule_is_written_as_a_query() -> None:
    text = "[?x, :p, ?z] :- [?x, :q, ?y], BIND(?y + 1 AS ?z), NOT EXISTS ?w IN [?x, :r, ?w] ."
    assert " ".join(text_of(text, "rq").split()) == (
        "CONSTRUCT { ?x :p ?z } WHERE { ?x :q ?y . BIND(?y + 1 AS ?z) FILTER NOT EXISTS { ?x :r ?w . } }"
    )


@table(
    ("text", "problem"),
    [
        ("p(?x) :- [?x, :q, ?y] .", "rule rule-1: the relation p cannot be written in SPARQL-RL"),
        ("[?x, :p, 1] :- [?x, :q, ?y], NOT p(?x) .", "the relation p cannot be written in SPARQL-RL"),
        ("false :- [?x, :q, ?x] .", r"a contradiction \(false\) cannot be written in SPARQL-RL"),
        ("[?x, 1, 1] :- [?x, :q, ?x] .", "1 as a property cannot be written in SPARQL-RL"),
        ("[?x, :p, _:b] :- [?x, :q, ?x] .", "a blank node as a constant cannot be written in SPARQL-RL"),
        ("[?x, :p, 1] :- [?x, :q, ?y], DATA [?x, :r, ?y] .", "DATA for some triples of the body"),
        ("[?b, :p, ?x] :- [?x, :q, ?y], BIND(SKOLEM('l', ?x) AS ?b) .", "SKOLEM for .b cannot be written"),
        ("[?b, :p, ?x] :- [?x, :q, :r], BIND(SKOLEM('l', ?x) AS ?b) ."
         "[?b, :p, ?x] :- [?x, :q, :s], BIND(SKOLEM('l', ?x) AS ?b) .", "another rule makes the same blank nodes"),
        ("[?x, :p, 1] :- [?x, :q, ?y], FILTER(MD5(?y) = 'a') .", "MD5 is no function of SPARQL-RL"),
        ("[?x, :q, ?z] :- [?x, :q, ?y], BIND(?y + 1 AS ?z), FILTER(?z < 9) .", "rules assign values in a circle"),
        ("[?x, :p, ?n] :- AGGREGATE([?x, :q, ?y] ON ?x BIND COUNT(?y) AS ?n) .", "AGGREGATE cannot be written"),
    ],
)  # fmt: skip
def test_a_rule_that_srl_cannot_say_is_refused(text: str, problem: str) -> None:
    with pytest.raises(RuleError, match=problem):
        text_of(text)


def test_a_query_has_one_rule_and_no_data() -> None:
    with pytest.raises(RuleError, match="a CONSTRUCT query is one rule, and there are 2"):
        text_of("[:a, :p, 1] . [:a, :p, 2] .", "rq")
    with pytest.raises(RuleError, match="DATA cannot be written in a CONSTRUCT query"):
        text_of("[?x, :p, 1] :- DATA [?x, :q, ?y] .", "rq")


def test_rule_sets_of_the_suite_survive_the_way_there_and_back() -> None:
    if not cases():
        pytest.skip(MISSING)
    count = 0
    for _, case in cases():
        if not case.is_there or refusal(case.rules):
            continue
        program = load(case.rules)
        text = format_as(program, "srl", lambda found: parse(found, syntax="srl"))
        again = format_as(parse(format_program(program)), "srl", lambda found: parse(found, syntax="srl"))
        assert again == text
        count += 1
    assert count > 120


def test_the_command_converts_files(tmp_path: Path) -> None:
    ours, theirs, query = (tmp_path / f"rules.{ending}" for ending in ("dl", "srl", "rq"))
    ours.write_text(f"{HEADER}[?x, :p, ?y] :- [?y, :p, ?x] .\n", "utf-8")
    assert succeed("rules", "convert", ours, theirs) == f"wrote 1 rule to {theirs}\n"
    assert theirs.read_text("utf-8") == "PREFIX : <http://example.org/>\n\nRULE { ?x :p ?y } WHERE { ?y :p ?x . }\n"
    succeed("rules", "convert", theirs, query)
    assert "CONSTRUCT { ?x :p ?y } WHERE { ?y :p ?x . }" in query.read_text("utf-8")
    back = tmp_path / "back.dl"
    succeed("rules", "convert", query, back)
    assert back.read_text("utf-8").split() == ours.read_text("utf-8").split()
    ours.write_text("p(1) .", "utf-8")
    told = error_of("rules", "convert", ours, tmp_path / "other.srl")
    assert "cannot be written as" in told
    assert "the relation p cannot be written in SPARQL-RL" in told
    assert not (tmp_path / "other.srl").exists()
