"""SWRL rules of an ontology: read as rules, live, and one named warning for each that is broken."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason import KnowledgeGraph
from kgreason.ontology.translate.translate import Profile, translate
from kgreason.rules.model import FALSE, Triple
from kgreason.terms import vocabulary as v
from tests.tables import table
from tests.volume import many

from .reading import named, rules, translated, turtle
from .test_live import Edited, follow, histories

SWRL = "@prefix swrl: <http://www.w3.org/2003/11/swrl#> . "
VARIABLES = "".join(f":{name} a swrl:Variable . " for name in ("x", "y", "z"))
PARENT = "_:p a swrl:IndividualPropertyAtom ; swrl:propertyPredicate :parent ; swrl:argument1 :x ; swrl:argument2 :y ."
BROTHER = (
    "_:b a swrl:IndividualPropertyAtom ; swrl:propertyPredicate :brother ; swrl:argument1 :y ; swrl:argument2 :z ."
)
UNCLE = "_:u a swrl:IndividualPropertyAtom ; swrl:propertyPredicate :uncle ; swrl:argument1 :x ; swrl:argument2 :z ."
LISTS = """_:r a swrl:Imp ; swrl:body _:b1 ; swrl:head _:h1 .
    _:b1 a swrl:AtomList ; rdf:first _:p ; rdf:rest _:b2 . _:b2 rdf:first _:b ; rdf:rest rdf:nil .
    _:h1 rdf:first _:u ; rdf:rest rdf:nil ."""
RULE = SWRL + VARIABLES + PARENT + BROTHER + UNCLE + LISTS


def atom(kind: str, *parts: str) -> str:
    """An atom: its class, its predicate if it has one, its arguments."""
    names = ["propertyPredicate"] if "Property" in kind else ["classPredicate"] if kind == "ClassAtom" else []
    names += ["argument1", "argument2"]
    return f"[ a swrl:{kind} ; " + " ; ".join(f"swrl:{n} {p}" for n, p in zip(names, parts, strict=False)) + " ]"


def imp(body: list[str], head: list[str]) -> str:
    return f"{SWRL}{VARIABLES}:r a swrl:Imp ; swrl:body ( {' '.join(body)} ) ; swrl:head ( {' '.join(head)} ) ."


X_IS_A = atom("ClassAtom", ":A", ":x")
ATOMS = {
    "[?x, a, :A]": X_IS_A,
    "[?x, a, :D]": atom("ClassAtom", ":D", ":x"),
    "[:i, a, :A]": atom("ClassAtom", ":A", ":i"),
    "[?x, :p, ?y]": atom("IndividualPropertyAtom", ":p", ":x", ":y"),
    "[?x, :p, :i]": atom("IndividualPropertyAtom", ":p", ":x", ":i"),
    '[?x, :d, "18"^^xsd:integer]': atom("DatavaluedPropertyAtom", ":d", ":x", "18"),
    "[?x, :d, ?y]": atom("DatavaluedPropertyAtom", ":d", ":x", ":y"),
    "[?x, owl:sameAs, ?y]": atom("SameIndividualAtom", ":x", ":y"),
    "[?x, owl:differentFrom, ?y]": atom("DifferentIndividualsAtom", ":x", ":y"),
}

WAYS = ["swrl_different(?x, ?y)", "swrl_bits(?b, ?d), swrl_place(?l, ?j, ?b, ?x), swrl_place(?l, ?j, ?d, ?y)"]
"""How two individuals are different: by a statement, or as members of a list."""


def test_a_rule_with_its_triples_as_sources() -> None:
    [rule] = translate(turtle(RULE), "owl2rl").rules
    assert named([rule]) == rules("@rule swrl [?x, :uncle, ?z] :- [?x, :parent, ?y], [?y, :brother, ?z] .")
    assert set(rule.sources) == {triple for triple in turtle(RULE) if "AtomList" not in triple[2]}
    assert rule.group == "swrl"


@table("text", ATOMS)
def test_every_kind_of_atom_in_a_body_and_in_a_head(text: str) -> None:
    ways = WAYS if "differentFrom" in text else [text]
    assert translated(imp([ATOMS[text]], [X_IS_A.replace(":A", ":B").replace(":x", ":i")])) == rules(
        " ".join(f"@rule swrl [:i, a, :B] :- {way} ." for way in ways)
    )
    both = "[?x, :p, ?y], [?y, :q, ?x]"
    q = atom("IndividualPropertyAtom", ":q", ":y", ":x")
    tautology = text == "[?x, :p, ?y]"
    expected = set() if tautology else rules(f"@rule swrl {text} :- {both} .")
    assert translated(imp([ATOMS["[?x, :p, ?y]"], q], [ATOMS[text]])) == expected


def test_the_conclusions_of_a_head_are_a_rule_each() -> None:
    body = [ATOMS["[?x, :p, ?y]"]]
    assert translated(imp(body, [X_IS_A, ATOMS["[?x, :d, ?y]"]])) == rules(
        "@rule swrl [?x, a, :A] :- [?x, :p, ?y] . @rule swrl [?x, :d, ?y] :- [?x, :p, ?y] ."
    )


def test_an_empty_head_is_a_contradiction_and_an_empty_body_a_fact() -> None:
    [rule] = translated(imp([X_IS_A, ATOMS["[?x, a, :D]"]], []))
    assert rule.heads == (FALSE,)
    assert translated(imp([], [ATOMS["[:i, a, :A]"]])) == rules("@rule swrl [:i, a, :A] .")


def test_a_class_expression_is_a_class_by_its_node() -> None:
    text = "_:e owl:onProperty :p ; owl:someValuesFrom :B . "
    text += imp([X_IS_A.replace(":A", "_:e")], [ATOMS["[?x, a, :D]"]])
    assert {rule.name for rule in translated(text)} == {"cls-svf1", "swrl"}


def test_a_thing_that_another_atom_binds_is_not_asked_for() -> None:
    thing = atom("ClassAtom", "owl:Thing", ":x")
    assert translated(imp([thing, X_IS_A], [ATOMS["[?x, a, :D]"]])) == rules("@rule swrl [?x, a, :D] :- [?x, a, :A] .")
    assert translated(imp([thing], [ATOMS["[?x, a, :D]"]])) == rules("@rule swrl [?x, a, :D] :- [?x, a, owl:Thing] .")


@pytest.mark.parametrize("profile", ["rdfs", "rhodf"])
def test_other_profiles_know_no_swrl(profile: Profile) -> None:
    found = translate(turtle(RULE.replace("rdf:rest rdf:nil", "rdf:rest _:nowhere")), profile)
    assert not found.rules
    assert not found.warnings


FAULTS = {
    "swrl:body is missing": ("swrl:body _:b1 ;", ""),
    "2 values of swrl:head": ("swrl:head _:h1", "swrl:head _:h1 , _:b1"),
    "rdf:first is missing": ("_:h1 rdf:first _:u ;", "_:h1"),
    "rdf:rest is missing": ("; rdf:rest rdf:nil .", "."),
    "the list runs in a circle": ("_:b2 rdf:first _:b ; rdf:rest rdf:nil", "_:b2 rdf:first _:b ; rdf:rest _:b1"),
    "the class of the atom is missing": ("_:p a swrl:IndividualPropertyAtom ;", "_:p"),
    "2 values of the class of the atom": ("_:p a swrl:Indiv", "_:p a swrl:ClassAtom , swrl:Indiv"),
    "swrl:propertyPredicate is missing": ("swrl:propertyPredicate :parent ;", ""),
    "2 values of swrl:propertyPredicate": (":parent", ":parent , :guardian"),
    "swrl:argument2 is missing": ("; swrl:argument2 :y", ""),
    "swrl:classPredicate is missing": ("_:p a swrl:IndividualPropertyAtom", "_:p a swrl:ClassAtom"),
    "the head has the variable <http://e/z>, but no atom of the body has it": (
        "swrl:argument2 :z . _:u",
        "swrl:argument2 :y . _:u",
    ),
    "swrl:builtin is missing": ("_:p a swrl:IndividualPropertyAtom", "_:p a swrl:BuiltinAtom"),
    "swrl:DataRangeAtom is not supported": ("_:p a swrl:IndividualPropertyAtom", "_:p a swrl:DataRangeAtom"),
}


@table("problem", FAULTS)
def test_a_fault_yields_a_warning_and_its_repair_the_rule(problem: str) -> None:
    good = " ".join(RULE.replace(BROTHER, BROTHER + " ").split()).replace(":z . _:u", ":z . _:u")
    old, new = FAULTS[problem]
    assert old in good
    right, wrong = turtle(good), turtle(good.replace(old, new))
    edited = Edited(schema=wrong)
    assert not edited.rules
    [warning] = edited.live.warnings
    assert warning.startswith("broken rule at ")
    assert f": {problem}; the <http://www.w3.org/2003/11/swrl#Imp> of _:r yields no rule" in warning
    edited.edit(wrong - right, right - wrong)
    assert len(edited.rules) == 1
    assert not edited.live.warnings
    edited.edit(right - wrong, wrong - right)
    edited.check()
    assert edited.live.warnings == (warning,)


def test_an_edit_translates_the_rules_it_touches_and_no_others() -> None:
    other = imp([X_IS_A], [ATOMS["[?x, a, :D]"]])
    edited = Edited(schema=turtle(RULE) | turtle(other))
    edits = {
        "_:b swrl:propertyPredicate :brother .": 0,
        ":z a swrl:Variable .": 1,
        ":y a swrl:Variable .": 1,
    }
    for text, left in edits.items():
        edited.edit(turtle(SWRL + text), set())
        assert (edited.live.axiom_rules.count, len(edited.rules)) == (left, 1 + left), text
        edited.edit(set(), turtle(SWRL + text))
        assert (edited.live.axiom_rules.count, len(edited.rules)) == (1, 2), text
        edited.check()
    edited.edit(set(), turtle(":A rdfs:subClassOf :B ."))
    assert edited.live.axiom_rules.count == 1
    edited.check()


POOL = sorted(
    turtle(RULE)
    | turtle(SWRL + "_:r swrl:head _:b1 , _:b2 . :x a swrl:BuiltinAtom . _:b2 rdf:rest _:h1 . _:u swrl:argument1 :i .")
    | turtle(SWRL + "_:s a swrl:Imp ; swrl:body _:b2 ; swrl:head _:b1 . :i a swrl:Variable . :x rdfs:subClassOf :y .")
    | {("_:h1", v.RDF_TYPE, v.SWRL_VARIABLE), ("_:s", f"<{SWRL.split('<')[1][:-4]}head>", v.RDF_NIL)}
)


@settings(max_examples=many(12))
@given(histories(st.just(POOL)))
def test_edits_end_where_translating_from_scratch_does(history: list[tuple[set[Triple], set[Triple]]]) -> None:
    follow(history, "owl2rl")


def test_a_rule_in_a_graph_is_edited_live_and_explained() -> None:
    data = SWRL + "@prefix : <http://e/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . "
    fact = ("<http://e/ann>", "<http://e/uncle>", "<http://e/bob>")
    with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
        with graph.transaction() as tx:
            tx.add(data + RULE.removeprefix(SWRL) + ":ann :parent :eve . :eve :brother :bob .")
        assert fact in tx.delta.appeared(asserted=False)
        assert "swrl" in graph.explain(fact).to_text()
        with graph.transaction() as tx:
            tx.remove(data + ":z a swrl:Variable .")
        assert fact in tx.delta.disappeared()
        assert not graph.warnings
        with graph.transaction() as tx:
            tx.add(data + ":z a swrl:Variable .")
        assert fact in tx.delta.appeared(asserted=False)
        with graph.transaction() as tx:
            tx.add(data + ":x a swrl:Imp .")
        assert len(graph.warnings) == 1


def test_individuals_are_different_in_every_combination_of_ways_up_to_a_number_of_atoms() -> None:
    pairs = [(":x", ":y"), (":y", ":z"), (":x", ":i")]
    different = [atom("DifferentIndividualsAtom", *pair) for pair in pairs]
    assert len(translate(turtle(imp(different, [ATOMS["[:i, a, :A]"]])), "owl2rl").rules) == 2**3
    [warning] = translate(turtle(imp([different[0]] * 7, [ATOMS["[:i, a, :A]"]])), "owl2rl").warnings
    assert "7 atoms of the body say that individuals are different, 6 may" in warning
