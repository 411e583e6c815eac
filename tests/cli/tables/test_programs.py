"""Programs of several files, with imports; chosen relations; numbers; what rules cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import RuleSyntaxError
from tests.cli.calling import call, error_of, succeed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program in files that import each other, with facts."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "main.dl").write_text(
        '@prefix : <http://e/> . @import "lib/step.dl" .\nreach(?x, ?y) :- edge(?x, ?y) .'
    )
    (tmp_path / "lib" / "step.dl").write_text(
        '@import "edge.dl" . @import "../main.dl" .\n@rule step reach(?x, ?z) :- reach(?x, ?y), edge(?y, ?z) .'
    )
    (tmp_path / "lib" / "edge.dl").write_text("@relation edge(from, to) .")
    (tmp_path / "start.dl").write_text('@import "lib/edge.dl" . start(?x) :- reach(?x, _) .')
    (tmp_path / "edge.facts").write_text("1\t2\n2\t3\n")
    return tmp_path


@pytest.mark.parametrize("how", [(), ("--script", "-")], ids=["tables", "script"])
def test_the_rules_of_all_files_are_one_program(how: tuple[str, ...], folder: Path) -> None:
    main, start = folder / "main.dl", folder / "start.dl"
    succeed("run", main, start, main, "-F", folder, "-D", folder / "out", *how, stdin="")
    assert (folder / "out" / "reach.csv").read_text() == "1\t2\n1\t3\n2\t3\n"
    assert (folder / "out" / "start.csv").read_text() == "1\n2\n"


def test_imported_rules_belong_to_the_file_that_imports_them(folder: Path) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.load_rules(folder / "main.dl")
        assert {rule.name for rule in graph.own_rules()} == {"edge", "step", "rule-2"}
        assert {rule.file for rule in graph.own_rules()} == {str(folder / "main.dl")}
        with graph.transaction() as tx:
            tx.remove_rules(file=folder / "main.dl")
        assert not graph.own_rules()
        with pytest.raises(RuleSyntaxError, match="only a file can import another file"), graph.transaction() as tx:
            tx.add_rules('@import "lib/edge.dl" .')


def test_mistakes_have_the_file_and_the_place(folder: Path) -> None:
    for text, problem in (
        ('p(1) .\n@import "no.dl" .', f"bad.dl:2:9: {folder}/no.dl: cannot be read"),
        ('@import "wrong.dl" .', "wrong.dl:1:3: found ':-', expected '('"),
        ("@import wrong .", "bad.dl:1:9: found 'wrong', expected"),
        ('@import "lib/edge.dl" . p(?x) :- edge(?x) .', "edge has 1 place here, but it is declared as edge(from, to)"),
    ):
        (folder / "bad.dl").write_text(text)
        (folder / "wrong.dl").write_text("p :- (")
        assert problem in error_of("run", folder / "bad.dl", "-F", folder)
    (folder / "narrow.dl").write_text("p(?x) :- edge(?x) .")
    assert "declared as edge(from, to)" in error_of("run", folder / "main.dl", folder / "narrow.dl", "-F", folder)


@pytest.mark.parametrize("how", [(), ("--script", "-")], ids=["tables", "script"])
def test_only_chosen_relations_are_written(how: tuple[str, ...], folder: Path) -> None:
    options = ("run", folder / "main.dl", folder / "start.dl", "-F", folder, "-D", folder / "out", *how)
    succeed(*options, "--relation", "start", "--relation", "edge", stdin="")
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["edge.csv", "start.csv"]
    assert (folder / "out" / "edge.csv").read_text() == "1\t2\n2\t3\n"
    problem = error_of(*options, "--relation", "nobody", stdin="")
    assert problem == "the program has no relation nobody; its relations are edge, reach, start"


def test_numbers_stand_in_fields_as_in_rule_text(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(
        "big(?x, ?y) :- n(?x), FILTER(?x > 1.5), BIND(?x / 4 AS ?y) . same(?x) :- n(?x), FILTER(?x = 2.5) . t(2.50) ."
    )
    (tmp_path / "n.facts").write_text('2.5\n1e3\n1.5.0\n"7.5"\n-3\n+.5e1\n10\n')
    counts = json.loads(succeed("run", tmp_path / "p.dl", "-F", tmp_path, "-D", tmp_path, "--json"))
    assert counts == {"big": 4, "same": 1, "t": 1}
    lines = (tmp_path / "big.csv").read_text().splitlines()
    assert lines[0] == "2.5\t0.625"
    assert lines[2] == "10\t2.5"
    assert (tmp_path / "t.csv").read_text() == "2.50\n"


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
def test_every_strategy_gives_the_same_tables(strategy: str, folder: Path) -> None:
    (folder / "count.dl").write_text(
        "n(?n) :- AGGREGATE(reach(_, _) BIND COUNT(*) AS ?n) . not(?x) :- start(?x), NOT edge(1, ?x) ."
    )
    programs = [folder / f"{name}.dl" for name in ("main", "start", "count")]
    for how in ((), ("--script", "-")):
        succeed("run", *programs, "-F", folder, "-D", folder / "out", "--strategy", strategy, *how, stdin="")
        assert {path.name: path.read_text() for path in (folder / "out").iterdir()} == {
            "reach.csv": "1\t2\n1\t3\n2\t3\n",
            "start.csv": "1\n2\n",
            "n.csv": "3\n",
            "not.csv": "1\n",
        }


@pytest.mark.parametrize("how", [(), ("--script", "-")], ids=["tables", "script"])
def test_the_costs_of_rules_are_told_on_standard_error(how: tuple[str, ...], folder: Path) -> None:
    told = call("run", folder / "main.dl", "-F", folder, "-D", folder, "--profile", *how, stdin="")
    assert told.exit_code == 0
    heads, *rows = told.stderr.splitlines()
    assert heads.split() == ["share", "rewrites", "derivations", "last", "commit", "rule"]
    assert sorted(row.split()[4] for row in rows) == ["rule-2:", "step:"]
    assert "step: reach(?x, ?z) :- reach(?x, ?y), edge(?y, ?z) ." in told.stderr
    assert "share" not in told.stdout
