"""The figures of DDlog: programs in the syntax of rule files, and scripts of changes that are answered with changes.

Source: Ryzhyk and Budiu, *Differential Datalog*. The programs are those of the paper, as far as kgreason has their
constructs; the values are ours, as the paper has none.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple, TypeAlias

from kgreason import KnowledgeGraph
from tests.cli.calling import succeed
from tests.tables import table

Rows: TypeAlias = set[tuple[object, ...]]


class Figure(NamedTuple):
    """A program, and a script of commits that each begin with their name, with the changes of one relation.

    `changes`: for each commit the rows that appear and those that disappear.
    """

    program: str
    script: str
    relation: str
    changes: dict[str, tuple[Rows, Rows]]


FUNCTIONS = "def split(text: str, separator: str) -> list[str]:\n    return text.split(separator)\n"

FIGURES = {
    # A column holds a term, not a union: its constructor is a column of its own, and MOD takes the last byte.
    "Figures 2 and 5, types and functions": Figure(
        """
        @relation input host(name: xsd:string, kind: xsd:string, address: xsd:integer) key(name) .
        @relation input hidden(name: xsd:string) .
        @relation derived last_byte(name, byte: xsd:integer) key(name) .
        last_byte(?n, ?b) :- host(?n, _, ?a), BIND(MOD(?a, 256) AS ?b) .
        last_byte(?n, 0) :- hidden(?n) .
        ipv6_addr(?a) :- host(_, "IPv6Address", ?a) .
        """,
        f"""
        echo "hosts"; start;
        insert host("old", "IPv4Address", 3232235786), insert host("new", "IPv6Address", {2**128 - 2}),
        insert hidden("none"); commit dump_changes;
        echo "an address is given up"; start; delete_key host("new"), insert hidden("new"); commit dump_changes;
        """,
        "last_byte",
        {
            "hosts": ({("old", 10), ("new", 254), ("none", 0)}, set()),
            "an address is given up": ({("new", 0)}, {("new", 254)}),
        },
    ),
    "Figure 3, paths without excluded nodes": Figure(
        """
        @relation input edge(from: xsd:string, to: xsd:string) key(from) .
        @relation input exclude(node: xsd:string) .
        path(?x, ?y) :- edge(?x, ?y) .
        path(?x, ?z) :- path(?x, ?w), edge(?w, ?z), NOT exclude(?z) .
        """,
        """
        echo "a chain"; start;
        insert edge("a", "b"), insert edge("b", "c"), insert edge("c", "d"); commit dump_changes;
        echo "c is excluded"; start; insert exclude("c"); commit dump_changes;
        echo "an edge goes by its key"; start; delete_key edge("b"); commit dump_changes;
        echo "c is back"; start; delete exclude("c"), insert edge("b", "c"); commit dump_changes;
        """,
        "path",
        {
            "a chain": ({(*pair,) for pair in ("ab", "bc", "cd", "ac", "bd", "ad")}, set()),
            "c is excluded": (set(), {("a", "c"), ("a", "d")}),
            "an edge goes by its key": (set(), {("b", "c"), ("b", "d")}),
            "c is back": ({("b", "c"), ("b", "d"), ("a", "c"), ("a", "d")}, set()),
        },
    ),
    "Figure 4, areas": Figure(
        """
        @relation input height(object_id: xsd:integer, height: xsd:integer) .
        @relation input width(object_id: xsd:integer, width: xsd:integer) .
        area(?o, ?a) :- height(?o, ?h), width(?o, ?w), BIND(?w * ?h AS ?a) .
        """,
        """
        echo "a width alone"; start; insert width(1, 7), insert width(2, 5); commit dump_changes;
        echo "heights"; start; insert height(1, 6), insert height(3, 2); commit dump_changes;
        echo "another height"; start; delete height(1, 6), insert height(1, 600000000000); commit dump_changes;
        """,
        "area",
        {
            "a width alone": (set(), set()),
            "heights": ({(1, 42)}, set()),
            "another height": ({(1, 4_200_000_000_000)}, {(1, 42)}),
        },
    ),
    "Figure 6, words of phrases": Figure(
        """
        @relation input phrases(p: xsd:string) .
        words(?w) :- phrases(?p), BIND(split(?p, " ") AS ?w) .
        """,
        """
        echo "two phrases"; start; insert phrases("a graph"), insert phrases("a path"); commit dump_changes;
        echo "one goes"; start; delete phrases("a graph"); commit dump_changes;
        """,
        "words",
        {"two phrases": ({("a",), ("graph",), ("path",)}, set()), "one goes": (set(), {("graph",)})},
    ),
    "Figure 6, shortest paths": Figure(
        """
        @relation input path(from: xsd:string, to: xsd:string, cost: xsd:integer) .
        shortest_path(?x, ?y, ?m) :- AGGREGATE(path(?x, ?y, ?c) ON ?x, ?y BIND MIN(?c) AS ?m) .
        """,
        """
        echo "paths"; start;
        insert path("a", "b", 7), insert path("a", "b", 3), insert path("b", "a", 4); commit dump_changes;
        echo "the shortest goes"; start; delete path("a", "b", 3); commit dump_changes;
        echo "a longer one comes"; start; insert path("a", "b", 9); commit dump_changes;
        """,
        "shortest_path",
        {
            "paths": ({("a", "b", 3), ("b", "a", 4)}, set()),
            "the shortest goes": ({("a", "b", 7)}, {("a", "b", 3)}),
            "a longer one comes": (set(), set()),
        },
    ),
    # The program of the experiment: b and c are in a circle, and neither keeps a label that only the other one gives.
    "labelled reachability": Figure(
        """
        @relation edge(from: xsd:string, to: xsd:string) .
        @relation given_label(node: xsd:string, label: xsd:string) .
        label(?x, ?l) :- given_label(?x, ?l) .
        label(?y, ?l) :- label(?x, ?l), edge(?x, ?y) .
        """,
        """
        start; insert edge("a", "b"), insert edge("b", "c"), insert edge("c", "b"); commit;
        echo "labels are given"; start;
        insert given_label("a", "red"), insert given_label("c", "blue"); commit dump_changes;
        echo "an edge goes"; start; delete edge("a", "b"); commit dump_changes;
        echo "a label is taken back"; start; delete given_label("c", "blue"); commit dump_changes;
        """,
        "label",
        {
            "labels are given": ({("a", "red"), ("b", "red"), ("c", "red"), ("b", "blue"), ("c", "blue")}, set()),
            "an edge goes": (set(), {("b", "red"), ("c", "red")}),
            "a label is taken back": (set(), {("b", "blue"), ("c", "blue")}),
        },
    ),
}


@table("figure", FIGURES)
def test_a_script_is_answered_with_the_changes_of_each_commit(figure: str, tmp_path: Path) -> None:
    program, script, relation, expected = FIGURES[figure]
    for name, text in (("program.dl", program), ("script.txt", script), ("functions.py", FUNCTIONS)):
        (tmp_path / name).write_text(text)
    paths = [tmp_path / name for name in ("program.dl", "script.txt", "functions.py")]
    lines = succeed("run", paths[0], "-F", tmp_path, "--script", paths[1], "--functions", paths[2]).splitlines()
    changes: dict[str, tuple[Rows, Rows]] = {}
    for line in lines:
        if line in expected:
            changes[line] = set(), set()
        elif line[1:].startswith(f"{relation}("):
            rows = changes[next(reversed(changes))]["+-".index(line[0])]
            rows.add(tuple(json.loads(f"[{line[len(relation) + 2 : -1]}]")))
    assert changes == expected


def test_a_program_in_the_process_of_its_user_is_told_what_a_transaction_derives() -> None:
    """The example of the API: Mike is a parent of John."""
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules("""
                @relation input parent(parent: xsd:string, child: xsd:string) .
                ancestor(?x, ?y) :- parent(?x, ?y) .
                ancestor(?x, ?z) :- ancestor(?x, ?y), parent(?y, ?z) .
            """)
        parent = graph.relation("parent")
        assert parent.insert([("Mike", "John")]).relation("ancestor").appeared() == [('"Mike"', '"John"')]
        delta = parent.insert([("John", "Ann")]).relation("ancestor")
        assert sorted(delta.appeared()) == [('"John"', '"Ann"'), ('"Mike"', '"Ann"')]
        assert len(parent.delete([("Mike", "John")]).relation("ancestor").disappeared()) == 2
