"""`stats --rules` and `profile`: the costliest rules first, the rules of an axiom together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import call, done, failed

E = "http://example.org/"
GRAND = f"@prefix : <{E}> . @rule grand [?x, :grand, ?z] :- [?x, :hasParent, ?y], [?y, :hasParent, ?z] ."


def rows(store: Path, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(done("profile", "-l", store, "--json", *options))
    return found


@pytest.fixture
def ruled(store: Path, tmp_path: Path) -> Path:
    """The family with a rule of a file."""
    (tmp_path / "own.dl").write_text(GRAND)
    done("rules", "add", "-l", store, tmp_path / "own.dl")
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
    assert json.loads(done("stats", "-l", ruled, "--rules", "--json")) == found


def test_the_rules_of_an_axiom_are_one_row(ruled: Path) -> None:
    (inverse,) = (row for row in rows(ruled) if f"<{E}hasName>" in row["why"])
    assert inverse["names"] == ["prp-inv1", "prp-inv2"]
    assert len(inverse["rules"]) == 2


def test_the_table(ruled: Path) -> None:
    text = done("profile", "-l", ruled, "--prefix", f"={E}", "--limit", 400)
    head, *lines = text.splitlines()
    assert head.split() == ["share", "rewrites", "derivations", "last", "commit", "rule"]
    (trp,) = (line for line in lines if "prp-trp" in line and ":hasAncestor" in line)
    assert trp.endswith("prp-trp, from the axiom :hasAncestor a owl:TransitiveProperty .")
    (grand,) = (line for line in lines if " grand: " in line)
    assert grand.endswith("  grand: [?x, :grand, ?z] :- [?x, :hasParent, ?y], [?y, :hasParent, ?z] .")
    shown = done("profile", "-l", ruled, "--limit", 2).splitlines()
    assert len(shown) == 4
    assert shown[-1] == f"and {len(lines) - 2} more; --limit N shows more of them"
    assert len(done("stats", "-l", ruled, "--rules").splitlines()) == len(lines) + 1


def test_alone_and_anew(ruled: Path) -> None:
    (grand,) = (row for row in rows(ruled, "--alone", "--anew") if row["names"] == ["grand"])
    assert (grand["alone"], grand["derivations"], grand["last_derivations"]) == (1, 1, 1)
    assert "alone" in done("profile", "-l", ruled, "--alone").splitlines()[0]
    before = rows(ruled)
    rows(ruled, "--anew")
    assert rows(ruled) == before


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    assert "there is no store here" in failed("profile", "-l", tmp_path / "none")
    assert call("profile").exit_code == 2
