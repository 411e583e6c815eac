"""`classify`: the taxonomy implies what the rules derive, and nothing in it is implied by the rest."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random

import pytest

from kgreason.entailment.classification.taxonomy import Reasoner, classify, of_pairs
from kgreason.errors import QueryError
from tests.el.body import BODY, PREFIXES, run
from tests.tables import table

MISTAKE = ":Fish owl:disjointWith :Hand . :Odd rdfs:subClassOf :Fish , :Hand ."


def closure(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs = pairs | more
    return {(a, b) for a, b in pairs if a != b}


@table("seed", range(40))
def test_the_taxonomy_is_the_least_that_implies_all(seed: int) -> None:
    random = Random(seed)
    names = [f"<http://e/{number}>" for number in range(random.randint(2, 8))]
    pairs = closure({(random.choice(names), random.choice(names)) for _ in range(random.randint(0, 14))})
    found = of_pairs(pairs)
    same = {(one, other) for group in found.equal for one in group for other in group}
    assert closure(set(found.links) | same) == pairs
    for link in found.links:
        assert link not in closure((set(found.links) - {link}) | same)
    assert {*found.links, *found.indirect} == pairs
    assert all(list(group) == sorted(group) for group in found.equal)
    assert [found.indirect[place] for place in range(len(found.indirect))] == sorted(found.indirect)
    for pair in product([*names, "<http://e/none>"], repeat=2):
        assert (pair in found.indirect) == (pair in set(found.indirect))


def test_unsatisfiable_classes_are_apart() -> None:
    nothing, thing = "<http://www.w3.org/2002/07/owl#Nothing>", "<http://www.w3.org/2002/07/owl#Thing>"
    found = of_pairs([("<a>", nothing), ("<a>", "<b>"), ("<b>", "<c>"), ("<b>", thing)])
    assert (found.links, found.unsatisfiable, found.is_consistent) == ((("<b>", "<c>"),), ("<a>",), True)
    assert not of_pairs([(thing, nothing)]).is_consistent


@pytest.mark.parametrize("reasoner", ["el", "rl+el"])
def test_what_only_el_finds(reasoner: Reasoner, tmp_path: Path) -> None:
    (file := tmp_path / "body.ttl").write_text(BODY + MISTAKE)
    found = classify(file, reasoner=reasoner)
    with found.graph:
        links = {tuple(name.strip("<>").rpartition("/")[2] for name in link) for link in found.taxonomy.links}
        assert links == {("Finger", "BodyPart"), ("Hand", "BodyPart"), ("Arm", "BodyPart"), ("Thumb", "Finger")}
        assert found.taxonomy.unsatisfiable == ("<http://e/Odd>",)
        assert "disjointWith" in found.why_unsatisfiable("<http://e/Odd>").to_text()
        with pytest.raises(QueryError):
            found.why_unsatisfiable("<http://e/Hand>")


def test_the_command(tmp_path: Path) -> None:
    (file := tmp_path / "body.ttl").write_text(BODY)
    status, text, told = run(file, "--prefix", "=http://e/")
    assert status == 0
    assert [line for line in text.splitlines() if not line.startswith("@prefix")] == [
        ":Arm rdfs:subClassOf :BodyPart .",
        ":Finger rdfs:subClassOf :BodyPart .",
        ":Hand rdfs:subClassOf :BodyPart .",
        ":Thumb rdfs:subClassOf :Finger .",
    ]
    assert told.splitlines()[-1].startswith("4 direct superclasses, 1 indirect")
    assert run(file, "--prefix", "=http://e/")[1] == text


def test_a_release(tmp_path: Path) -> None:
    """With --merge the asserted axioms stay, but for the superclasses that others imply."""
    (file := tmp_path / "body.ttl").write_text(BODY)
    output = tmp_path / "release.nt"
    assert run(file, "--merge", "--remove-redundant", "-o", output)[0] == 0
    lines = output.read_text().splitlines()
    thumb = [line for line in lines if line.startswith("<http://e/Thumb>")]
    assert thumb == ["<http://e/Thumb> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Finger> ."]
    assert sum("someValuesFrom" in line for line in lines) == 4
    assert run(file, "--include-indirect", "-o", output)[0] == 0
    assert "<http://e/Thumb> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/BodyPart> ." in (
        output.read_text()
    )


def test_the_status_tells_of_mistakes(tmp_path: Path) -> None:
    (file := tmp_path / "body.ttl").write_text(BODY + MISTAKE)
    status, _, told = run(file)
    assert status == 1
    assert ":Odd rdfs:subClassOf owl:Nothing" in told
    status, text, _ = run(file, "--json", "-o", tmp_path / "out.ttl")
    assert (status, json.loads(text)["unsatisfiable"]) == (1, ["<http://e/Odd>"])
    (equal := tmp_path / "equal.ttl").write_text(PREFIXES + ":A rdfs:subClassOf :B . :B rdfs:subClassOf :A .")
    assert [run(equal, "--equivalent-classes", how)[0] for how in ("report", "fail")] == [0, 1]
    assert run(file, "--remove-redundant")[0] == 2
    assert run(file, "-o", "x.parquet")[0] == 2
    assert run(tmp_path / "missing.ttl")[0] == 2
