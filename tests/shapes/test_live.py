"""Validation results come and go with the commit that makes or repairs them, and with edits of the shapes graph."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, RuleError, ShapesError, StoreError, ViolationError
from kgreason.options import OnViolation
from kgreason.shapes.program import rules_of
from kgreason.shapes.vocabulary import SOURCE

NAMES = {
    "": "http://e/",
    "sh": "http://www.w3.org/ns/shacl#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
}
SHAPES = """
@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:CatShape sh:targetClass :Cat ; sh:property :CatName, :CatOwner .
:CatName sh:path :name ; sh:minCount 1 ; sh:datatype xsd:string ; sh:severity sh:Warning .
:CatOwner sh:path ( :owner :friend ) ; sh:class :Person .
"""


def lines(graph: KnowledgeGraph) -> list[str]:
    return graph.validate().to_text(NAMES).splitlines()[:-1]


def test_a_result_comes_and_goes_with_its_commit() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES)
        assert graph.validate().conforms
        delta = graph.add(":tom a :Cat .", prefixes=NAMES)
        assert [each.to_text(NAMES) for each in delta.results()] == lines(graph)
        assert lines(graph) == ["Warning: :tom :name: fewer than 1 values (:CatName)"]
        delta = graph.add(":tom :name 'Tom' .", prefixes=NAMES)
        assert not delta.results()
        assert [str(each.focus) for each in delta.results(appeared=False)] == ["<http://e/tom>"]
        assert graph.validate().conforms


def test_a_focus_node_may_be_inferred_and_an_axiom_repairs() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES)
        graph.add(":rex :owner :ann ; :name 'Rex' . :ann :friend :bob .", prefixes=NAMES)
        graph.add(":owner rdfs:domain :Cat .", prefixes=NAMES)
        assert [str(each.value) for each in graph.validate()] == ["<http://e/bob>"]
        assert graph.validate("asserted").conforms
        assert graph.add(":friend rdfs:range :Person .", prefixes=NAMES).results(appeared=False)
        assert graph.validate().conforms


def test_inferred_targets_are_validated_over_asserted_values() -> None:
    shapes = """@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
        :S sh:targetClass :Cat ; sh:property [ sh:path :name ; sh:minCount 1 ] ."""
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.add(":owner rdfs:domain :Cat . :nick rdfs:subPropertyOf :name .", prefixes=NAMES)
        graph.add(":rex :owner :ann ; :nick 'Rex' . :tom :owner :ann ; :name 'Tom' .", prefixes=NAMES)
        assert graph.validate("inferred", shapes=shapes).conforms
        assert graph.validate("asserted", shapes=shapes).conforms
        graph.shapes.load(shapes)
        report = graph.validate("inferred-targets")
        assert [str(each.focus) for each in report] == ["<http://e/rex>"]
        assert report.data == "inferred-targets"
        assert [str(each.focus) for each in graph.validate("inferred-targets", shapes=shapes)] == ["<http://e/rex>"]


def test_what_if_tells_results_and_changes_nothing() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES)
        with graph.what_if() as tx:
            tx.add(":tom a :Cat .", prefixes=NAMES)
        assert len(tx.delta.results()) == 1
        assert graph.validate().conforms


def test_a_graph_is_validated_against_other_shapes_and_stays_as_it_is() -> None:
    other = ":CatShape sh:targetClass :Cat ; sh:property :CatName . :CatName sh:path :name ; sh:minCount 1, 1 ."
    other = "@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n" + other
    policies: tuple[OnViolation, ...] = ("report", "refuse")
    for policy in policies:
        with KnowledgeGraph.open(on_violation=policy) as graph:
            graph.shapes.load(SHAPES)
            graph.add(":tom a :Cat . :ann :name 5 .", prefixes=NAMES)
            before = lines(graph), sorted(graph.shapes.triples()), graph.own_rules()
            assert graph.validate(shapes=other).to_text(NAMES).splitlines()[:-1] == [
                "Violation: :tom :name: fewer than 1 values (:CatName)"
            ]
            assert str(graph.validate("asserted", shapes=other)) == str(graph.validate(shapes=[other]))
            assert graph.validate(shapes=SHAPES).to_text(NAMES).splitlines()[:-1] == before[0]
            assert (lines(graph), sorted(graph.shapes.triples()), graph.own_rules()) == before


def test_in_an_open_transaction_the_last_commit_is_validated() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES)
        with graph.transaction() as tx:
            tx.add(":tom a :Cat .", prefixes=NAMES)
            assert graph.validate().conforms
            assert graph.validate("asserted", shapes=SHAPES).conforms
            with pytest.raises(StoreError, match=r"call validate\(shapes=...\) before the transaction"):
                graph.validate(shapes=SHAPES)
        assert len(graph.validate(shapes=SHAPES)) == 1


def test_a_part_of_a_report_and_counts_of_shapes() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES)
        graph.add(":tom a :Cat ; :owner :ann . :ann :friend :bob . :eve a :Cat ; :name 'Eve' .", prefixes=NAMES)
        report = graph.validate()
        assert len(report) == 2
        for part in (
            report.part(shape="<http://e/CatName>"),
            report.part(severities=["Warning"]),
            report.part(severities=["http://www.w3.org/ns/shacl#Warning"], focus="<http://e/tom>"),
        ):
            assert [each.path and each.path.value for each in part] == ["http://e/name"]  # type: ignore[union-attr]
        empty = report.part(focus="<http://e/eve>")
        assert (len(empty), empty.conforms, empty.part().conforms) == (0, False, False)
        assert "does not conform" in str(empty)
        (result,) = report.part(shape="<http://e/CatName>")
        assert ":tom a :Cat (asserted)" in graph.relation("shacl_result").explain(result.fact).to_text(NAMES)
        counts = {each.shape: (each.focus, each.results, each.parent) for each in graph.shapes.counts()}
        assert counts == {
            "<http://e/CatShape>": (2, 0, None),
            "<http://e/CatName>": (2, 1, "<http://e/CatShape>"),
            "<http://e/CatOwner>": (2, 1, "<http://e/CatShape>"),
        }
        assert len(report.to_rdf("nt").splitlines()) == len(report.to_graph())


def test_a_class_target_that_is_no_iri_is_refused() -> None:
    with KnowledgeGraph.open() as graph, pytest.raises(ShapesError, match=r"S>: sh:targetClass needs an IRI; got .*x"):
        graph.shapes.add(":S sh:targetClass 'x' .", prefixes=NAMES)


def test_results_are_no_triples_and_have_proofs() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES)
        graph.add(":tom a :Cat .", prefixes=NAMES)
        assert len(graph) == 1
        (fact,) = graph.relation("shacl_result")
        proof = graph.relation("shacl_result").explain(fact).to_text(NAMES)
        assert "by sh-minCount" in proof
        assert ":tom a :Cat (asserted)" in proof
        assert "no [:tom, :name, ?v" in proof


def test_an_edit_of_the_shapes_graph_changes_only_rules_of_its_shape() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES)
        graph.add(":tom a :Cat ; :owner :ann . :ann :friend :bob .", prefixes=NAMES)
        delta = graph.shapes.add(":CatName sh:maxCount 3 .", prefixes=NAMES)
        assert [sign for sign, _ in delta.rules] == [1]
        assert "sh-maxCount" in delta.rules[0][1]
        delta = graph.shapes.remove(":CatName sh:minCount 1 .", prefixes=NAMES)
        assert [sign for sign, _ in delta.rules] == [-1]
        assert "sh-minCount" in delta.rules[0][1]
        assert [each.component.value[-24:] for each in delta.results(appeared=False)] == ["CountConstraintComponent"]
        graph.shapes.add(":CatOwner sh:deactivated true .", prefixes=NAMES)
        assert graph.validate().conforms
        graph.shapes.clear()
        assert not graph.own_rules()
        assert not len(graph.shapes)


def test_a_shapes_graph_that_is_refused_changes_nothing() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES)
        before = graph.own_rules(), sorted(graph.shapes.triples())
        with pytest.raises(ShapesError, match=r"CatName.*xsd:integer|CatName.*sh:minCount has 2 values"):
            graph.shapes.add(":CatName sh:minCount 'many' .", prefixes=NAMES)
        with graph.transaction() as tx:
            with pytest.raises(ShapesError, match="not a path"):
                tx.shapes.add(":CatShape sh:property [ sh:path [ ] ] .", prefixes=NAMES)
            tx.add(":tom a :Cat .", prefixes=NAMES)
        assert (graph.own_rules(), sorted(graph.shapes.triples())) == before
        assert len(graph.validate()) == 1


def test_rules_of_the_shapes_graph_are_a_function_of_its_triples() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES)
        graph.shapes.add(":CatName sh:maxCount 3 .", prefixes=NAMES)
        rules = [rule for rule in graph.own_rules() if rule.file == SOURCE]
        assert set(rules) == set(rules_of(graph.shapes.triples()))


def test_a_commit_is_refused_by_severity(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with KnowledgeGraph.open(store, on_violation="refuse") as graph:
        graph.shapes.load(SHAPES)
        graph.add(":tom a :Cat .", prefixes=NAMES)  # a warning
        with pytest.raises(ViolationError, match=r"makes a validation result, .*:.*bob.* is not an instance") as caught:
            graph.add(":tom :owner :ann . :ann :friend :bob .", prefixes=NAMES)
        assert str(caught.value.results[0].value) == "<http://e/bob>"
        assert len(graph) == 1
    with KnowledgeGraph.open(store) as graph:
        assert graph.options["on_violation"] == "refuse"
        with pytest.raises(ViolationError):
            graph.add(":tom :owner :ann . :ann :friend :bob .", prefixes=NAMES)
        graph.add(":tom :owner :ann . :ann :friend :bob . :bob a :Person .", prefixes=NAMES)
        with pytest.raises(ViolationError):
            graph.remove(":bob a :Person .", prefixes=NAMES)


def test_refuse_warnings_refuses_warnings() -> None:
    with KnowledgeGraph.open(on_violation="refuse-warnings") as graph:
        graph.shapes.load(SHAPES)
        with pytest.raises(ViolationError):
            graph.add(":tom a :Cat .", prefixes=NAMES)


def test_a_store_that_is_opened_again_has_shapes_and_results(tmp_path: Path) -> None:
    shapes = tmp_path / "shapes.ttl"
    shapes.write_text(SHAPES, encoding="utf-8")
    with KnowledgeGraph.open(tmp_path / "store", history="all") as graph:
        graph.shapes.load(shapes)
        graph.add(":tom a :Cat .", prefixes=NAMES)
        before = str(graph.validate())
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert str(graph.validate()) == before
        assert graph.add(":tom :name 5 .", prefixes=NAMES).results()
        graph.revert(3)
        assert str(graph.validate()) == before
        with graph.as_of(1) as past:
            assert past.validate().conforms
        graph.shapes.unload(shapes)
        assert graph.validate().conforms
        assert not graph.shapes.triples()


def test_equal_terms_are_one_individual() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES + ":CatName sh:maxCount 1 . :CatOwner sh:maxCount 1 .")
        graph.add(":tom a :Cat ; :name 'Tom' ; :owner :ann . :ann :friend :bob, :rob .", prefixes=NAMES)
        graph.add(":bob a :Person . :rob a :Person .", prefixes=NAMES)
        assert lines(graph) == ["Violation: :tom :owner/:friend: more than 1 values (:CatOwner)"]
        graph.add(":bob owl:sameAs :rob .", prefixes=NAMES)
        assert graph.validate().conforms
        assert len(graph.validate("asserted")) == 1


def test_a_reverted_edit_of_the_shapes_graph_leaves_the_rules_of_the_triples_that_stay() -> None:
    with KnowledgeGraph.open(rules="none", history="all") as graph:
        for name in "ST":
            graph.shapes.load(
                "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <http://e/> .\n"
                f":{name} sh:targetClass :C ; sh:path :p{name} ; sh:minCount 1 ; sh:class :D ."
            )
        graph.add("<http://e/a> a <http://e/C> .")
        assert not graph.revert(1).conflicts
        assert [str(each.source_shape) for each in graph.validate()] == ["<http://e/T>"]
        assert len(graph.shapes) == 4
        graph.shapes.clear()
        assert len(graph.revert(1).conflicts) == 4, "the triples are gone already"


def test_only_shapes_edit_the_relation_of_the_shapes_graph() -> None:
    with KnowledgeGraph.open(rules="none") as graph:
        with pytest.raises(InputError, match="shapes graph"):
            graph.relation("shacl_shape", 3).insert([("http://e/a", "http://e/b", "http://e/c")])
        assert not len(graph.shapes)


def test_only_shapes_derive_results() -> None:
    with KnowledgeGraph.open(rules="none") as graph:
        graph.shapes.load(SHAPES)
        for head in ("shacl_shape(?x, ?x, ?x)", "shacl_fails(?x, ?x)"):
            with pytest.raises(RuleError, match="only the shapes graph derives facts of shacl_"):
                graph.transaction().add_rules(f"{head} :- [?x, a, ?y] .")


def test_only_shapes_derive_results_in_a_rule_file_given_to_open(tmp_path: Path) -> None:
    file = tmp_path / "own.dl"
    file.write_text("shacl_fails(?x, ?x) :- [?x, a, ?y] .")
    with pytest.raises(RuleError, match="only the shapes graph derives facts of shacl_fails"):
        KnowledgeGraph.open(rules=[str(file)])


def test_a_missing_file_is_named() -> None:
    with (
        KnowledgeGraph.open(rules="none") as graph,
        pytest.raises(InputError, match=r"shapes\.ttl: there is no such file"),
    ):
        graph.shapes.load("shapes.ttl")


def test_a_commit_without_shapes_calls_no_function_of_shapes() -> None:
    """No shapes, no cost: the commit is the same as if there were no shapes."""
    names = set[str]()
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add("<http://e/a> <http://e/p> <http://e/b> .")
        profile = sys.getprofile()
        sys.setprofile(lambda frame, event, _: names.add(frame.f_code.co_filename) if event == "call" else None)
        try:
            graph.add("<http://e/a> <http://e/p> <http://e/c> .")
        finally:
            sys.setprofile(profile)
    assert any(name.endswith("graph/commits.py") for name in names)
    rooms = "kgreason/shapes/", "kgreason/graph/shapes/", "functions/shacl.py"
    assert not [name for name in names if any(room in name for room in rooms)]
