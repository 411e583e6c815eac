"""`kgreason run --script`: transactions and questions as text, their answers, and what is wrong with them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random

import pytest

from kgreason.cli.script.syntax import commands
from tests.cli.calling import call, error_of, files, message, start, succeed

PROGRAM = """
@prefix : <http://e/> .
@relation edge(from, to, weight: xsd:integer) key(from, to) .
@relation internal step(from, to) .
step(?x, ?y) :- edge(?x, ?y, ?w) .
path(?x, ?y) :- step(?x, ?y) .
path(?x, ?z) :- path(?x, ?y), step(?y, ?z) .
[?x, :linked, ?y] :- [?x, :knows, ?y] .
"""
CASES = sorted(path.parent for path in (Path(__file__).parents[1] / "cases").glob("*/program.dl"))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "program.dl").write_text(PROGRAM)
    (tmp_path / "edge.facts").write_text("1\t2\t5\n2\t10\t50\n")
    return tmp_path / "program.dl"


def answers(program: Path, text: str) -> list[str]:
    """The lines that a script answers."""
    return succeed("run", program, "--facts", program.parent, "--script", "-", stdin=text).splitlines()


def refused(program: Path, text: str) -> str:
    """The message of a script that fails, as a file; nothing may be answered before it."""
    (program.parent / "script").write_text(text)
    said = error_of("run", program, "--facts", program.parent, "--script", program.parent / "script")
    return said.removeprefix(f"{program.parent / 'script'}:")


def test_a_commit_tells_the_changes_of_derived_relations(program: Path) -> None:
    text = "insert edge(10, 3, 7), insert edge('a b', 3, 9); commit dump_changes;"
    assert answers(program, text) == ["+path(1, 3)", "+path(2, 3)", "+path(10, 3)", '+path("a b", 3)']
    text = "delete edge(1, 2, 5); insert edge(7, 7, 0); commit; echo 'so:'; dump_changes;"
    assert answers(program, text) == ["so:", "-path(1, 2)", "-path(1, 10)", "+path(7, 7)"]


def test_answers_in_json_say_what_the_lines_say(program: Path) -> None:
    """One object for each command that answers, also where there is nothing to show."""
    script = (
        "insert edge(10, 3, 7), delete edge(1, 2, 5), insert [:ann, :knows, :bob]; commit dump_changes; dump_changes; "
        "query path(1, ?x); query path(?x, 3); dump path; dump; echo 'so'; explain path(2, 3); why_not path(1, 2);"
        "explain [:ann, :linked, :bob]; profile;"
    )
    said = succeed("run", program, "--facts", program.parent, "--script", "-", "--json", stdin=script).splitlines()
    found = list(map(json.loads, said))
    assert [each["command"] for each in found] == [
        "commit", "dump_changes", "query", "query", "dump", "dump", "echo", "explain", "why_not", "explain", "profile"
    ]  # fmt: skip
    linked = {"triple": ["<http://e/ann>", "<http://e/linked>", "<http://e/bob>"]}
    changes = {"disappeared": [path(1, 2), path(1, 10)], "appeared": [path(2, 3), path(10, 3), linked]}
    assert found[0] == {"command": "commit"} | changes
    assert found[1] == {"command": "dump_changes"} | changes
    assert [each.get("facts") for each in found[2:6]] == [
        [],
        [path(2, 3), path(10, 3)],
        [path(2, 3), path(2, 10), path(10, 3)],
        [path(2, 3), path(2, 10), path(10, 3), linked],
    ]
    assert found[6]["text"] == "so"
    assert [each["proof"]["steps"][each["proof"]["fact"]]["fact"] for each in (found[7], found[9])] == [
        path(2, 3),
        {"relation": None, "terms": linked["triple"]},
    ]
    assert found[8]["answer"]["holds"] is False
    assert {name for row in found[10]["rules"] for name in row} >= {"why", "rules", "share", "rewrites"}


def path(*numbers: int) -> dict[str, object]:
    terms = [f'"{number}"^^<http://www.w3.org/2001/XMLSchema#integer>' for number in numbers]
    return {"relation": "path", "terms": terms}


def test_an_upsert_replaces_the_fact_with_the_key(program: Path) -> None:
    text = "{} edge(1, 2, 6); commit dump_changes; query edge(1, ?y, ?w);"
    for word in ("upsert", "insert_or_update"):
        assert answers(program, text.format(word)) == ["edge(1, 2, 6)"]


def test_edits_by_key(program: Path) -> None:
    assert answers(program, "delete_key edge(1, 2); commit dump_changes;") == ["-path(1, 2)", "-path(1, 10)"]
    assert answers(program, "delete_key edge(9, 9); commit dump_changes; dump edge;")[-1] == "edge(2, 10, 50)"
    decimal = '"1"^^<http://www.w3.org/2001/XMLSchema#decimal>'  # another term, in keys as in rules
    assert answers(program, f"delete_key edge({decimal}, 2); commit dump_changes; query path({decimal}, ?y);") == []
    text = "modify edge(1, 2) <- edge(weight = 6, to = 3), insert edge(1, 2, 7); commit dump_changes; dump edge;"
    assert answers(program, text)[-3:] == ["edge(1, 2, 7)", "edge(1, 3, 6)", "edge(2, 10, 50)"]
    text = "insert edge(3, 4, 1), modify edge(3, 4) <- edge(weight = 2); commit; query edge(3, ?y, ?w);"
    assert answers(program, text) == ["edge(3, 4, 2)"]
    assert answers(program, "insert edge(3, 4, 1), clear edge; insert edge(5, 6, 1); commit; dump edge; dump;") == [
        "edge(5, 6, 1)",
        "path(5, 6)",
    ]
    text = "clear edge; clear edge; delete_key edge(1, 2); commit dump_changes; rollback; dump edge;"
    assert answers(program, text) == ["-path(1, 2)", "-path(1, 10)", "-path(2, 10)"]


def test_edits_count_in_their_order_and_a_rollback_drops_them(program: Path) -> None:
    text = "delete edge(2, 10, 50); insert edge(2, 10, 50); insert edge(5, 6, 1); delete edge(5, 6, 1); commit;"
    assert answers(program, f"{text} dump_changes; dump edge;") == ["edge(1, 2, 5)", "edge(2, 10, 50)"]
    assert answers(program, "start; insert edge(3, 4, 1); rollback; commit dump_changes; query edge(3, ?y, ?w);") == []


def test_questions_read_the_last_commit(program: Path) -> None:
    text = "insert edge(3, 3, 1); query path(?x, ?x); commit; query path(?x, ?x); query path(1, 2); rollback;"
    assert answers(program, text) == ["path(3, 3)", "path(1, 2)"]


def test_dump_has_all_derived_relations_and_triples(program: Path) -> None:
    text = "insert [:a, :knows, :b]; commit dump_changes; dump; dump path; query [?x, ?p, :b];"
    path, linked = ["path(1, 2)", "path(1, 10)", "path(2, 10)"], "[:a, :linked, :b]"
    assert answers(program, text) == [f"+{linked}", *path, linked, *path, "[:a, :knows, :b]", linked]
    assert answers(program, "dump step;") == ["step(1, 2)", "step(2, 10)"]  # an internal relation, only by its name


def test_triples_come_and_go(program: Path) -> None:
    text = "prefix e: <http://e/>; insert [e:a, :knows, 'x'@en], insert :C[:a]; commit; delete [:a, :knows, 'x'@en];"
    assert answers(program, text + "commit dump_changes; query :C[?x];") == ['-[:a, :linked, "x"@en]', "[:a, a, :C]"]


def test_explanations(program: Path) -> None:
    told = answers(program, "explain path(1, 10); why_not path(9, 1); profile; explain edge(1, 2, 5);")
    assert told[0] == "path(1, 10)"
    assert "        edge(1, 2, 5) (asserted)" in [line[4:] for line in told]
    assert told[told.index("path(9, 1) does not hold") :][1:3] == [
        "    no fact of the graph has 9",
        "    rule rule-2: path(?x, ?y) :- step(?x, ?y) .",
    ]
    assert any(line.split()[:2] == ["share", "rewrites"] for line in told)
    assert told[-1] == "edge(1, 2, 5) (asserted)"


def test_explanations_write_numbers_as_rules_do_without_any_prefix(tmp_path: Path) -> None:
    program = tmp_path / "program.dl"
    program.write_text("twice(?x) :- one(?x) .")
    told = answers(program, "insert one(5); commit; explain twice(5); why_not twice(6);")
    assert told[0] == "twice(5)"
    assert "    one(5) (asserted)" in told
    assert told[-1] == "        missing: one(6)"


def test_a_command_may_have_many_lines_and_a_line_many_commands(program: Path) -> None:
    text = "insert # a comment\n edge(3,\n 4, 1)\n;commit\n\tdump_changes;echo 'a';echo \"b\";exit; nonsense"
    assert answers(program, text) == ["+path(3, 4)", "a", "b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo 'x';\n  isnert edge(1, 2, 3);", "2:3: found 'isnert', expected a command (insert, delete"),
        ("insert edge(1 2, 3);", "1:15: found '2', expected ',' or ')'"),
        ("insert edge('a, 2, 3);\n", "1:13: found a string that does not end, expected a term or ')'"),
        ("echo 'x';\ninsert\n edge(1, 2, 3)\n", "2:1: the command does not end: found the end of the script"),
        ("commit\n;\n\n[", "4:1: found '[', expected a command"),
        ("dump 7;", "1:6: found '7', expected ';' or the name of a relation"),
        ("delete_key edge(?x, 2);", "1:17: found '?x', expected a constant"),
        ("modify edge(1, 2), edge(weight = 1);", "1:18: found ',', expected '<-'"),
        ("modify edge(1, 2) <- edge(weight 1);", "1:34: found '1', expected '='"),
        ("clear;", "1:6: found ';', expected a name"),
    ],
)
def test_a_script_with_a_mistake_does_nothing(program: Path, text: str, said: str) -> None:
    assert refused(program, text).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("commit;\ninsert edge(1, 3, 1),\n insert egde(1, 2);", "3:9: the program has no relation egde; its relations"),
        ("insert edge(1, 2);", "1:8: edge has 3 places; got 2 terms"),
        ("insert edge(1, ?y, 2);", "1:1: insert needs a value in the place of ?y"),
        ("insert edge(3, 4, 1), insert edge(1, 2, 'x');", '1:23: column weight, value "x": expected a literal of'),
        (
            "insert edge(3, 4, 1);\n insert edge(3, 4, 2);",
            "2:2: edge(3, 4, 2) has the same key as edge(3, 4, 1), which",
        ),
        ("upsert path(1, 2);", "1:1: path has no key, so upsert cannot know what to replace"),
        ("delete_key path(1);", "1:12: path has no key; to give it one, declare it by @relation in the program"),
        ("delete_key edge(1);", "1:12: the key of edge is (from, to); got 1 term"),
        ("modify edge(7, 7) <- edge(weight = 1);", "1:1: no asserted fact has the key edge(7, 7)"),
        ("modify edge(1, 2) <- step(weight = 1);", "1:22: the key belongs to edge, so write edge here"),
        ("modify edge(1, 2) <- edge(size = 1);", "1:27: edge has the columns from, to, weight"),
        ("modify edge(1, 2) <- edge(to = 1, to = 2);", "1:35: to has a value already"),
        ("modify edge(1, 2) <- edge(weight = 'x');", '1:1: column weight, value "x": expected a literal of'),
        (
            "modify edge(1, 2) <- edge(from = 2, to = 10);",
            "1:1: edge(2, 10, 5) has the same key as edge(2, 10, 50), which",
        ),
        ("clear step;", "1:1: step is declared as internal, so only rules make its facts"),
        ("clear nothing;", "1:7: the program has no relation nothing"),
        ("upsert [:a, :b, :c];", "1:1: a triple has no key; write insert and delete"),
        ("insert step(1, 2);", "1:1: step is declared as internal, so only rules make its facts"),
        ("insert [:a, zz:b, :c];", "1:13: the prefix zz: is not declared; write prefix zz: <http://example.org/>;"),
        ("start; start;", "1:8: a transaction is open already"),
        ("dump nothing;", "1:1: the program has no relation nothing"),
        ("insert false;", "1:8: false is for contradictions"),
        ("query path(1);", "1:7: path has 2 places; got 1 term"),
        ("explain path(9, 9);", "1:1: path(9, 9): the graph does not have this fact"),
        ("why_not path(9, ?x);", "1:1: why_not needs a value in the place of ?x"),
        ("echo 'x';\n insert edge(1, 3, 1); ", "2:2: the edits from here on are not committed: commit is missing"),
        ("start; exit;", "1:1: the edits from here on are not committed"),
    ],
)
def test_a_command_that_fails_tells_where_it_stands(program: Path, text: str, said: str) -> None:
    path = program.parent / "script"
    path.write_text(text)
    result = call("run", program, "--facts", program.parent, "--script", path)
    assert result.exit_code == 1
    found = message(result.stderr).replace('"9"^^<http://www.w3.org/2001/XMLSchema#integer>', "9")
    assert found.removeprefix(f"{path}:").startswith(said)


def test_standard_input_is_carried_out_line_by_line(program: Path) -> None:
    process = start("run", program, "--facts", program.parent, "--script", "-", stdin=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(20, 23):
        process.stdin.write(f"upsert edge(10, {number}, 1), delete edge(10, {number - 1}, 1); commit dump_changes;\n")
        process.stdin.flush()
        expected = [f"-path({x}, {number - 1})" for x in (1, 2, 10) if number > 20]
        expected += [f"+path({x}, {number})" for x in (1, 2, 10)]
        assert [process.stdout.readline().rstrip() for _ in expected] == expected
    process.stdin.write("insert edge(1, 9, 9);\nbad\n")
    out, error = process.communicate()
    assert (out, process.returncode) == ("", 1)
    assert message(error).startswith("<stdin>:5:1: found 'bad'")


def test_at_a_terminal_the_next_command_is_read_after_an_error(program: Path) -> None:
    here, there = os.openpty()
    process = start("run", program, "--facts", program.parent, "--script", "-", stdin=there)
    os.write(here, b"insert edge(1, 9, 9); bad;\ninsert edge(7, 8, 1); commit dump_changes;\nexit;\n")
    out, error = process.communicate(timeout=60)
    os.close(here)
    os.close(there)
    assert (out, process.returncode) == ("+path(7, 8)\n", 0)
    assert "<stdin>:1:23: found 'bad'" in error


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_a_script_that_edits_nothing_writes_the_tables_of_a_run(case: Path, tmp_path: Path) -> None:
    options = ("run", case / "program.dl", "--facts", case / "facts", "--output", tmp_path)
    assert succeed(*options, "--script", "-", stdin="commit dump_changes;") == ""
    assert files(tmp_path) == files(case / "expected")


def test_fields_of_typed_columns_are_values_of_the_type(program: Path) -> None:
    facts = program.parent / "edge.facts"
    facts.write_text("1\t<http://e/a>\t5\n")
    assert answers(program, "query edge(1, '<http://e/a>', ?w);") == ['edge(1, "<http://e/a>", 5)']
    facts.write_text("1\t2\t5\n1\t3\tfar\n")
    said = error_of("run", program, "--facts", program.parent, "--script", "-", stdin="dump;")
    assert (
        said == f"{facts}:2: column weight, value 'far': not a value of its datatype: expected digits, with or "
        "without a sign"
    )


def test_random_scripts_are_as_a_run_on_the_tables_that_they_make(tmp_path: Path) -> None:
    program = tmp_path / "program.dl"
    program.write_text(
        "path(?x, ?y) :- edge(?x, ?y) .\npath(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .\n"
        "root(?x) :- edge(?x, ?y), NOT EXISTS ?z IN (edge(?z, ?x)) .\n"
    )
    for seed in range(5):
        random, edges, text, shown = Random(seed), set[tuple[int, int]](), "", set[str]()
        for _ in range(6):
            lines, pending = [], set(edges)
            for _ in range(random.randrange(1, 5)):
                edge, word = (random.randrange(4), random.randrange(4)), random.choice(["insert", "insert", "delete"])
                lines.append(f"{word} edge{edge}")
                (pending.add if word == "insert" else pending.discard)(edge)
            is_kept = random.random() < 0.8
            text += ",\n".join(lines) + (";\ncommit dump_changes;\n" if is_kept else ";\nrollback;\n")
            edges = pending if is_kept else edges
        (tmp_path / "edge.facts").write_text("")
        options = ("run", program, "--facts", tmp_path, "--output")
        told = succeed(*options, tmp_path / "one", "--script", "-", stdin=text)
        for line in told.splitlines():  # the changes add up to the facts
            (shown.add if line[0] == "+" else shown.remove)(line[1:])
        (tmp_path / "edge.facts").write_text("".join(f"{x}\t{y}\n" for x, y in edges))
        succeed(*options, tmp_path / "other")
        assert files(tmp_path / "one") == files(tmp_path / "other"), f"script {seed}"
        assert len(shown) == sum(text.count(b"\n") for text in files(tmp_path / "one").values())


@pytest.mark.parametrize("how", [("--script", "-"), ()])
def test_a_recursion_without_end_names_the_option(how: tuple[str, ...], tmp_path: Path) -> None:
    program = tmp_path / "program.dl"
    program.write_text("@rule next n(?y) :- n(?x), BIND(?x + 1 AS ?y) .")
    (tmp_path / "n.facts").write_text("" if how else "1\n")
    options = ("run", program, "--facts", tmp_path, "--output", tmp_path / "out", *how)
    said = error_of(*options, "--most-rounds", 20, stdin="insert n(1); commit;")
    assert "BIND has made new terms from new terms 20 times" in said
    assert said.endswith("give a larger --most-rounds")
    said = error_of(*options, "--most-made-terms", 20, stdin="insert n(1); commit;")
    assert said.endswith("give a larger --most-made-terms")
    assert said.startswith("<stdin>:1:14: rule next") or not how


def test_the_commands_of_many_lines_take_a_time_in_proportion() -> None:
    lines = ["insert edge(1, 2),\n"] * 2_000 + ["insert edge(1, 2);\n"]
    (command,) = commands(lines, "script")
    assert len(command.edits) == 2_001
