"""Commands that change a store, and `diff`, which only says what they would change."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kgreason.cli.options import _repeat_options
from tests.cli.calling import answers, call, error_of, files, succeed, triples

E = "http://example.org/"
PREFIX = f"PREFIX : <{E}> PREFIX owl: <http://www.w3.org/2002/07/owl#> "
SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
BEINGS = f"{PREFIX} INSERT DATA {{ :Person {SUBCLASS} :Being }}"
CHILD = f"@prefix : <{E}> . @rule child [?y, :hasChild, ?x] :- [?x, :hasParent, ?y] ."


def json_of(*arguments: object, stdin: str | None = None) -> dict[str, Any]:
    """What a command says in JSON."""
    values: dict[str, Any] = json.loads(succeed(*arguments, "--json", stdin=stdin))
    return values


def rows(patch: str) -> tuple[set[str], set[str]]:
    """The rows that go and those that come, of one RDF Patch without a header."""
    first, *lines, last = patch.splitlines()
    assert (first, last) == ("TX .", "TC .")
    return {row[2:] for row in lines if row[0] == "D"}, {row[2:] for row in lines if row[0] == "A"}


def is_a(name: str, kind: str) -> str:
    return f"<{E}{name}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{E}{kind}> ."


def test_update_says_what_it_did(store: Path) -> None:
    before = triples(store)
    values = json_of("update", "-l", store, "--update", BEINGS)
    assert triples(store) - before >= {is_a("eve", "Being"), is_a("ida", "Being")}
    assert values["appeared"] == len(triples(store)) - len(before) > 2
    assert (values["asserted"], values["disappeared"], values["retracted"], values["rules_added"]) == (1, 0, 0, 1)
    text = succeed("update", "-l", store, "-v", stdin=BEINGS.replace("INSERT", "DELETE"))
    found = dict(line.split() for line in text.splitlines()[2:])
    assert list(found) == list(values)
    assert (found["disappeared"], found["retracted"]) == (str(values["appeared"]), "1")
    assert triples(store) == before


def test_an_update_comes_from_an_option_a_file_or_standard_input(store: Path, tmp_path: Path) -> None:
    delete, before = BEINGS.replace("INSERT", "DELETE"), triples(store)
    (tmp_path / "update.ru").write_text(f"\ufeff{BEINGS}", encoding="utf-8")
    succeed("update", "-l", store, "--update-file", tmp_path / "update.ru")
    changed = triples(store)
    for insert in (("-u", BEINGS), ("--update-file", tmp_path / "update.ru")):
        succeed("update", "-l", store, stdin=delete)
        assert triples(store) == before
        succeed("update", "-l", store, *insert)
        assert triples(store) == changed != before


def test_update_counts_what_nobody_asserted_and_what_stays(store: Path) -> None:
    delete = f"{PREFIX} DELETE DATA {{ :ann :hasAncestor :eve . :ann :hasParent :nobody . :eve :hasAge 7 }}"
    values = json_of("update", "-l", store, "--update", delete)
    assert (values["unasserted"], values["entailed"], values["retracted"]) == (2, 1, 1)
    assert not answers(store, f"SELECT ?age {{ ?x <{E}hasAge> ?age }}")
    again = json_of("update", "-l", store, "--update", delete)
    assert (again["unasserted"], again["entailed"], again["disappeared"]) == (3, 1, 0)


def test_an_update_of_several_operations_is_one(store: Path) -> None:
    where = f"{PREFIX} DELETE {{ ?x :seen 1 }} INSERT {{ ?x a :Seen }} WHERE {{ ?x a :Being }}"
    values = json_of("update", "-l", store, "--update", f"{BEINGS} ; {where} ; {BEINGS.replace('INSERT', 'DELETE')}")
    assert (values["appeared"], values["asserted"], values["disappeared"], values["retracted"]) == (2, 2, 0, 0)
    assert is_a("eve", "Seen") in triples(store, "--asserted")
    kept = triples(store)
    told = error_of(
        "update", "-l", store, "--update", f"{BEINGS} ; INSERT {{ ?x :p 1 }} WHERE {{ SERVICE <{E}> {{}} }}"
    )
    assert "cannot be evaluated" in told
    assert triples(store) == kept


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
def test_the_strategy_is_chosen(store: Path, family: Path, strategy: str) -> None:
    before = triples(store)
    expected = "update" if strategy == "auto" else strategy
    assert json_of("update", "-l", store, "-u", BEINGS, "--strategy", strategy)["strategy"] == expected
    added = json_of("rules", "add", "-l", store, "--rule", CHILD, "--strategy", strategy)
    assert (added["strategy"], added["appeared"]) == (expected, 2)
    removed = json_of("rules", "remove", "-l", store, "--rule", CHILD, "--strategy", strategy)
    assert (removed["strategy"], removed["disappeared"]) == (expected, 2)
    succeed("update", "-l", store, "-u", BEINGS.replace("INSERT", "DELETE"), "--strategy", strategy)
    assert triples(store) == before
    succeed("unload", "-l", store, "-f", family, "--strategy", strategy)
    assert triples(store) == set()
    assert json_of("load", "-l", store, "-f", family, "--strategy", strategy)["strategy"] == expected
    assert triples(store) == before


def test_a_commit_that_exceeds_its_budget_changes_nothing(store: Path, tmp_path: Path) -> None:
    rows, pairs = tmp_path / "rows.nt", f"@rule pairs [?x, <{E}q>, ?y] :- [?x, <{E}p>, ?a], [?y, <{E}p>, ?b] ."
    rows.write_text("".join(f"<{E}{n}> <{E}p> <{E}o> .\n" for n in range(160)))
    insert = f"INSERT DATA {{ {rows.read_text()} }}"
    for ready, edit in (
        (("rules", "add", "--rule", pairs), ("load", "-f", rows)),
        (("stats",), ("update", "-u", insert)),
        (("load", "-f", rows), ("unload", "-f", rows)),
        (("rules", "remove", "--name", "pairs"), ("rules", "add", "--rule", pairs)),
    ):
        succeed(*ready, "-l", store)
        before, rules = triples(store), succeed("rules", "list", "-l", store)
        told = error_of(*edit, "-l", store, "--budget", 20_000)
        assert told.startswith("the commit needs more than its budget of 20,000 rewrites, and has changed nothing; the")
        assert "ran out, most of it in rule pairs." in told
        assert told.endswith("If the rule is right, give a larger --budget")
        assert triples(store) == before
        assert succeed("rules", "list", "-l", store) == rules


def test_unload_takes_away_what_files_say(store: Path, family: Path, tmp_path: Path) -> None:
    before = triples(store)
    (tmp_path / "more.ttl").write_text(f"@prefix : <{E}> . :ida :hasParent _:una . _:una :hasAge 99 .")
    (tmp_path / "other.nt").write_text(f"<{E}x> <{E}y> <{E}z> .\n")
    succeed("load", "-l", store, "-f", tmp_path / "more.ttl")
    values = json_of("unload", "-l", store, "-f", tmp_path / "more.ttl", tmp_path / "other.nt")
    assert (values["missed"], values["asserted"]) == (1, 8)
    assert triples(store) == before
    values = json_of("unload", "-l", store, "-f", "-", "--format", "ttl", stdin=family.read_text())
    assert (values["facts"], values["missed"]) == (0, 0)
    assert "facts" in succeed("unload", "-l", store, "-f", family, "-v")


def test_rules_come_and_go_by_file_text_and_name(store: Path, tmp_path: Path) -> None:
    before, listed = triples(store), succeed("rules", "list", "-l", store)
    file = tmp_path / "own.dl"
    file.write_text(f"@prefix : <{E}> .\n{CHILD}\n@rule old [?x, a, :Old] :- [?x, :hasAge, ?y] .")
    added = json_of("rules", "add", "-l", store, file)
    assert (added["rules_added"], added["appeared"]) == (2, 3)
    assert json_of("rules", "add", "-l", store, "--rule", CHILD)["rules_added"] == 0
    own = [rule for rule in json.loads(succeed("rules", "list", "-l", store, "--json")) if str(file) in rule["why"]]
    assert [rule["name"] for rule in own] == ["child", "old"]
    assert f"<{E}hasChild>" in own[0]["rule"]
    assert json_of("rules", "remove", "-l", store, "--name", "old")["disappeared"] == 1
    renamed = CHILD.replace("?x", "?a").replace("@rule child", "")
    assert json_of("rules", "remove", "-l", store, "--rule", renamed)["rules_removed"] == 1
    assert triples(store) == before
    assert succeed("rules", "list", "-l", store) == listed
    succeed("rules", "add", "-l", store, file)
    assert succeed("rules", "remove", "-l", store, file).startswith("removed 2 rules in ")
    assert triples(store) == before


def test_rules_that_are_refused(store: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.dl").write_text(f"{CHILD}\n[?x, <{E}p>, ?z] :- [?x, <{E}p>, ?y] .")
    kept = files(store)
    for command, expected in (
        (("add", tmp_path / "bad.dl"), "bad.dl:2:1: "),
        (("add", tmp_path / "missing.dl"), "missing.dl: cannot be read"),
        (("add", "--rule", CHILD, "--rule", "nonsense"), "<rule>:1:"),
        (("remove", "--rule", CHILD), "no such rule was added"),
        (("remove", "--name", "prp-trp"), "prp-trp: no rule of this name was added"),
    ):
        assert expected in error_of("rules", command[0], "-l", store, *command[1:])
        assert files(store) == kept


def test_diff_is_what_an_update_then_does(store: Path, tmp_path: Path) -> None:
    (tmp_path / "update.ru").write_text(f"{BEINGS} ; {PREFIX} INSERT {{ ?x a :Seen }} WHERE {{ ?x a :Being }}")
    for update in (
        ("--update", BEINGS),
        ("--update", f"{PREFIX} DELETE WHERE {{ :eve ?p ?o }}"),
        ("--update-file", tmp_path / "update.ru"),
    ):
        before = triples(store)
        removed, added = rows(succeed("diff", "-l", store, *update))
        assert triples(store) == before
        succeed("update", "-l", store, *update)
        assert triples(store) == before - removed | added
        assert removed <= before
        assert not added & before
    assert rows(succeed("diff", "-l", store, stdin=f"{PREFIX} DELETE DATA {{ :x :y :z }}")) == (set(), set())


def test_diff_of_files(store: Path, family: Path, tmp_path: Path) -> None:
    before, kept = triples(store), files(store)
    (tmp_path / "new.ttl").write_text(f"@prefix : <{E}> . :ida :hasParent :una . :Person {SUBCLASS} :Being .")
    removed, added = rows(succeed("diff", "-l", store, "-f", tmp_path / "new.ttl"))
    assert not removed
    assert {is_a("una", "Being"), is_a("eve", "Being")} < added
    both = rows(succeed("diff", "-l", store, "-f", tmp_path / "new.ttl", family, "--remove", family))
    assert both == (removed, added)
    gone, _ = rows(succeed("diff", "-l", store, "--remove", "-", "--format", "ttl", stdin=family.read_text()))
    assert gone == before
    assert files(store) == kept
    succeed("load", "-l", store, "-f", tmp_path / "new.ttl")
    assert triples(store) == before | added


def test_diff_only_reads(store: Path) -> None:
    kept = files(store)
    succeed("update", "-l", store, "-u", BEINGS)
    assert files(store) != kept
    kept = files(store)
    succeed("diff", "-l", store, "-u", f"{PREFIX} CLEAR ALL")
    assert files(store) == kept


@pytest.mark.parametrize(
    "arguments",
    [
        ("update", "-u", "x", "--update-file", "x.ru"),
        ("update", "-u", "x", "--strategy", "best"),
        ("update", "-u", "x", "--budget", "0"),
        ("unload",),
        ("rules", "add"),
        ("rules", "remove"),
        ("diff", "-u", "x", "-f", "x.ttl"),
        ("diff", "--update-file", "x.ru", "--remove", "x.ttl"),
    ],
    ids=" ".join,
)
def test_command_lines_that_make_no_sense(arguments: tuple[str, ...], store: Path) -> None:
    assert "--help" in error_of(*arguments, "-l", store, status=2)


@pytest.mark.parametrize("command", ["update", "diff"])
def test_an_update_that_is_none(command: str, store: Path, tmp_path: Path) -> None:
    kept = files(store)
    (tmp_path / "bad.ru").write_text("INSERT DATA { <http://e/a> <http://e/b> }\n")
    (tmp_path / "bytes.ru").write_bytes(b"# \xff")
    for update, expected in (
        (("-u", "nonsense"), "<update>:1:1: "),
        (("--update-file", tmp_path / "bad.ru"), f"{tmp_path / 'bad.ru'}:1:"),
        (("--update-file", tmp_path / "missing.ru"), "missing.ru: No such file or directory"),
        (("--update-file", tmp_path / "bytes.ru"), "bytes.ru: is not UTF-8 text"),
    ):
        assert expected in error_of(command, "-l", store, *update)
    assert error_of(command, "-l", store, stdin="nonsense").startswith("<stdin>:1:1: ")
    assert files(store) == kept


def test_people_read_what_a_command_did(store: Path, family: Path) -> None:
    """Two lines: what was done and how long that took, and what the store has; the counters are for -v and --json."""
    seconds, has = r"in \d+\.\d\d s", r"the store has (\d+) asserted and \d+ inferred triples, and no contradictions"
    changed = rf"{seconds}: %s"
    for command, asserted, expected in (
        (
            ("update", "-u", BEINGS),
            9,
            r"asserted 1 quad and retracted 0 " + changed % "4 triples appeared and 0 disappeared",
        ),
        (
            ("update", "-u", f"{PREFIX} DELETE DATA {{ :x :y :z }}"),
            9,
            rf"nothing changed {seconds}: 1 quad to delete is not in the store",
        ),
        (
            ("update", "-u", f"{PREFIX} DELETE DATA {{ :eve a :Being }}"),
            9,
            rf"nothing changed {seconds}: 1 quad to delete is inferred, so deleting has no effect",
        ),
        (("rules", "add", "--rule", CHILD), 9, "added 1 rule " + changed % "2 triples appeared and 0 disappeared"),
        (("rules", "remove", "--rule", CHILD), 9, "removed 1 rule " + changed % "0 triples appeared and 2 disappeared"),
        (("unload", "-f", family), 1, rf"unloaded 8 triples {seconds}"),
        (
            ("unload", "-f", family),
            1,
            rf"unloaded 0 triples {seconds}; 8 triples of the files are not asserted in the store",
        ),
    ):
        did, now = succeed(*command, "-l", store).splitlines()
        assert re.fullmatch(expected, did), did
        found = re.fullmatch(has, now)
        assert found
        assert int(found[1]) == asserted


EDITORS = (("update", "-u", BEINGS), ("unload", "-f", "x.nt"), ("rules", "add", "x.dl"), ("rules", "remove", "x.dl"))


@pytest.mark.parametrize("command", [*EDITORS, ("diff", "-u", BEINGS), ("diff", "-f", "x.nt")], ids=" ".join)
def test_a_store_has_to_be_there(command: tuple[str, ...], tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        told = error_of(*command, "-l", path)
        assert told == f"{path}: there is no store here; to make one: kgreason load -l {path} -f FILE"
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_of_a_change_is_told(store: Path) -> None:
    result = call("update", "-l", store, "-u", f"{PREFIX} INSERT DATA {{ :Person owl:disjointWith :Parent }}")
    assert (result.exit_code, result.stderr) == (0, "")
    parents = f"[?x, a, <{E}Parent>] :- [?y, <{E}hasParent>, ?x] ."
    told = call("rules", "add", "-l", store, "--rule", parents).stderr.splitlines()
    assert told[0] == "kgreason: warning: contradictions: 2"
    assert [line.split(" is in ")[0] for line in told[1:]] == [
        f"kgreason: warning: cax-dw: :{name}" for name in ("eve", "ida")
    ]
    broken = call("update", "-l", store, "-u", f"{PREFIX} INSERT DATA {{ :C owl:unionOf :none }}")
    fault, unread, *mistakes = broken.stderr.splitlines()
    assert fault.startswith("kgreason: warning: broken list at ")
    assert unread.startswith("kgreason: warning: 1 axiom has no effect")
    assert mistakes == told
    assert call("rules", "remove", "-l", store, "--rule", parents).stderr == ""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-f a b -l s c", "-f a -f b -l s c"),
        ("--file=a b --json", "--file=a --file b --json"),
        ("-f a - --remove b c -v", "-f a -f - --remove b --remove c -v"),
        ("--files a b", "--files a b"),
        ("-f", "-f"),
    ],
)
def test_one_option_takes_many_files(words: str, expected: str) -> None:
    assert list(_repeat_options(words.split())) == expected.split()


def test_a_store_may_refuse_contradictions(tmp_path: Path) -> None:
    store, cats, dogs = tmp_path / "store", tmp_path / "cats.ttl", tmp_path / "dogs.ttl"
    cats.write_text(f"@prefix : <{E}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :tom a :Cat .\n")
    cats.write_text(cats.read_text() + ":Cat owl:disjointWith :Dog .")
    dogs.write_text(f"@prefix : <{E}> . :tom a :Dog .")
    succeed("load", "-l", store, "-f", cats, "--on-contradiction", "refuse")
    before = triples(store)
    told = error_of("load", "-l", store, "-f", dogs)
    assert told.startswith(f"the commit raises a contradiction, and has changed nothing: cax-dw: <{E}tom> is in")
    error_of("update", "-l", store, "-u", f"INSERT DATA {{ <{E}tom> a <{E}Dog> }}")
    error_of("rules", "add", "-l", store, "--rule", f"@rule r false :- [?x, a, <{E}Cat>] .")
    assert triples(store) == before
    diff = call("diff", "-l", store, "-f", dogs)
    assert (diff.exit_code, is_a("tom", "Dog") in diff.stdout) == (0, True)
    assert "contradictions: 1" in diff.stderr
    told = error_of("load", "-l", store, "-f", cats, "--on-contradiction", "keep")
    assert told.endswith("made with on_contradiction refuse, which cannot be changed; leave --on-contradiction out")


def test_diff_has_limits(store: Path, tmp_path: Path) -> None:
    rule = tmp_path / "count.dl"
    rule.write_text("@rule next n(?y) :- n(?x), BIND(?x + 1 AS ?y) . n(1) :- [?x, a, <http://e/Counter>] .")
    succeed("rules", "add", "-l", store, rule)
    (tmp_path / "counter.ttl").write_text("<http://e/x> a <http://e/Counter> .")
    for edit in (("-u", "INSERT DATA { <http://e/x> a <http://e/Counter> }"), ("-f", tmp_path / "counter.ttl")):
        assert error_of("diff", "-l", store, *edit, "--most-rounds", 20).endswith("give a larger --most-rounds")
        assert error_of("diff", "-l", store, *edit, "--most-made-terms", 20).endswith("give a larger --most-made-terms")
        assert "more than its budget of 1 rewrites" in error_of("diff", "-l", store, *edit, "--budget", 1)
        told = error_of("diff", "-l", store, *edit, "--most-made-terms", 10**8, "--timeout", 0.3)
        assert told == "the edit took longer than 0.3 s; nothing was changed"
    assert rows(succeed("diff", "-l", store, "-u", "INSERT DATA { <http://e/y> a <http://e/C> }", "--timeout", 60))[1]


def test_a_construct_prints_literals_as_a_dump_does(store: Path) -> None:
    asked = ("query", "-l", store, "-q", "CONSTRUCT WHERE { ?s ?p ?o }", "--results-format")
    assert set(succeed(*asked, "nt").splitlines()) == triples(store)
    succeed(
        "update",
        "-l",
        store,
        "-u",
        f'{PREFIX} INSERT DATA {{ :ida :hasAge "+7"^^<http://www.w3.org/2001/XMLSchema#int> }}',
    )
    assert set(succeed(*asked, "nt").splitlines()) == triples(store)
    assert '"+7"^^xsd:int' in succeed(*asked, "ttl")
