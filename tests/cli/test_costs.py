"""`stats --rules`, `profile rules`: the costliest rules and axioms. `profile load`: where the time of a load goes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kgreason.cli.bulk.load_profile import bars
from kgreason.spans import PARTS
from tests.cli.calling import call, error_of, succeed

E = "http://example.org/"
GRAND = f"@prefix : <{E}> . @rule grand [?x, :grand, ?z] :- [?x, :hasParent, ?y], [?y, :hasParent, ?z] ."


def rows(store: Path, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(succeed("profile", "-l", store, "--json", *options))
    return found


@pytest.fixture
def ruled(store: Path, tmp_path: Path) -> Path:
    """The family with a rule of a file."""
    (tmp_path / "own.dl").write_text(GRAND)
    succeed("rules", "add", "-l", store, tmp_path / "own.dl")
    return store


def test_the_costliest_rules_come_first(ruled: Path) -> None:
    found = rows(ruled)
    assert [row["rewrites"] for row in found] == sorted((row["rewrites"] for row in found), reverse=True)
    assert sum(row["share"] for row in found) == pytest.approx(1)
    (grand,) = (row for row in found if row["names"] == ["grand"])
    assert [" ".join(rule.split()) for rule in grand["rules"]] == [
        f"[?x, <{E}grand>, ?z] :- [?x, <{E}hasParent>, ?y], [?y, <{E}hasParent>, ?z] ."
    ]
    assert (grand["derivations"], grand["last_derivations"]) == (1, 1)
    assert grand["why"].endswith("own.dl")
    assert json.loads(succeed("stats", "-l", ruled, "--rules", "--json")) == found


def test_the_rules_of_an_axiom_are_one_row(ruled: Path) -> None:
    (inverse,) = (row for row in rows(ruled) if f"<{E}hasName>" in row["why"])
    assert inverse["names"] == ["prp-inv1", "prp-inv2"]
    assert len(inverse["rules"]) == 2


def test_the_table(ruled: Path) -> None:
    text = succeed("profile", "-l", ruled, "--prefix", f"={E}", "--limit", 400)
    head, *lines = text.splitlines()
    assert head.split() == ["share", "rewrites", "derivations", "last", "commit", "rule"]
    (trp,) = (line for line in lines if "prp-trp" in line and ":hasAncestor" in line)
    assert trp.endswith("prp-trp, from the axiom :hasAncestor a owl:TransitiveProperty .")
    (grand,) = (line for line in lines if " grand: " in line)
    assert grand.endswith("  grand: [?x, :grand, ?z] :- [?x, :hasParent, ?y], [?y, :hasParent, ?z] .")
    shown = succeed("profile", "-l", ruled, "--limit", 2).splitlines()
    assert len(shown) == 4
    assert shown[-1] == f"and {len(lines) - 2} more; --limit N shows more of them"
    assert len(succeed("stats", "-l", ruled, "--rules").splitlines()) == len(lines) + 1


def test_alone_and_anew(ruled: Path) -> None:
    (grand,) = (row for row in rows(ruled, "--alone", "--anew") if row["names"] == ["grand"])
    assert (grand["alone"], grand["derivations"], grand["last_derivations"]) == (1, 1, 1)
    assert "alone" in succeed("profile", "-l", ruled, "--alone").splitlines()[0]
    before = rows(ruled)
    rows(ruled, "--anew")
    assert rows(ruled) == before


def test_rules_may_be_left_out(ruled: Path) -> None:
    assert succeed("profile", "rules", "-l", ruled) == succeed("profile", "-l", ruled)
    assert "load" in succeed("profile", "--help")


def test_where_the_time_of_a_load_goes(family: Path) -> None:
    told = json.loads(succeed("profile", "load", family, "--json"))
    parts = told["seconds_by_part"]
    assert set(parts) == set(PARTS) - {"journal"}
    assert sum(parts.values()) <= told["seconds"] + 0.001
    *lines, last = succeed("profile", "load", family).splitlines()
    assert [line.split()[0] for line in lines] == [*parts, "other", "all"]
    assert last.startswith(f"{told['asserted'] + told['inferred']:,} triples, and at most ")
    assert "No such file" in error_of("profile", "load", family.with_name("none.ttl"))


def test_parts_are_drawn_to_scale() -> None:
    lines = list(bars({"odd": 1.0, "read": 2.0}, 4.0))
    assert [line.split()[0] for line in lines] == ["odd", "read", "other", "all"]
    assert [line.count("█") + line.count("#") for line in lines] == [12, 25, 12, 0]
    assert list(bars({}, 0.0)) == ["other         0.000 s    0%", "all           0.000 s"]


def test_stats_tell_where_the_time_went(store: Path) -> None:
    text, told = succeed("stats", "-l", store), json.loads(succeed("stats", "-l", store, "--format", "json"))
    shown = re.search(r"seconds_by_part +where the time .* overlap: (.*)", text)
    assert shown is not None
    assert [part.split()[0] for part in shown[1].split(", ")] == list(told["seconds_by_part"])
    assert told["peak_bytes"] > 0


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    assert "there is no store here" in error_of("profile", "-l", tmp_path / "none")
    assert call("profile").exit_code == 2
