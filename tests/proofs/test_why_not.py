"""Why a triple does not hold: the conditions that fail do fail, and if they held, the triple would hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from kgreason.errors import InputError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.options import SameAsMode, SchemaMode
from kgreason.rules.model import Atom, Variable
from kgreason.terms.vocabulary import OWL, RDFS
from tests.graph.states import triples_of
from tests.oracle.graph import Triple
from tests.strategies.ontologies import graphs
from tests.volume import many

SHORT = [phase for phase in Phase if phase is not Phase.shrink]
PREFIXES = {"": "http://e/", "owl": OWL, "rdfs": RDFS}
HEAD = "".join(f"@prefix {prefix}: <{namespace}> .\n" for prefix, namespace in PREFIXES.items())
DATA = """
:Siamese rdfs:subClassOf :Cat . :Lost rdfs:subClassOf :Stray . :tom a :Siamese ; :age 3 ; :owner :ann ; :knows :ann .
:kim a :Cat . :ann :knows :bob .
"""
RULES = """
@rule stray [?x, a, :Stray] :- [?x, a, :Cat], NOT EXISTS ?y IN ([?x, :owner, ?y]) .
@rule old [?x, a, :Old] :- [?x, :age, ?n], FILTER(?n > 10) .
@rule twice [?x, :twice, ?m] :- [?x, :age, ?n], BIND(?n * 2 AS ?m) .
@rule half [?x, :half, ?m] :- [?x, :age, ?n], BIND(?n / 0 AS ?m) .
@rule pets [?x, :pets, ?n] :- AGGREGATE([?y, :owner, ?x] ON ?x BIND COUNT(?y) AS ?n) .
@rule likes [?x, :likes, ?z] :- [?x, :knows, ?y], [?y, :knows, ?z], [?z, a, :Cat] .
@rule self [?x, :self, ?x] :- [?x, a, :Cat], known(?x) .
@rule known known(?x) :- [?x, :known, ?y] .
@rule wild [?x, :wild, ?y] :- [?x, ?p, ?y], NOT [?x, a, :Cat], NOT known(?x) .
@rule told [?x, :told, ?y] :- DATA [?x, a, ?y], [?x, :age, ?n] .
@rule untold [?x, :untold, ?y] :- [?x, a, ?y], NOT DATA [?x, a, ?y] .
"""


@pytest.fixture(scope="module")
def graph() -> Any:
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add(HEAD + DATA).add_rules(HEAD + RULES)
        yield graph


def lines_of(graph: KnowledgeGraph, text: str, **options: Any) -> list[str]:
    return graph.why_not(text, prefixes=PREFIXES, **options).to_text(PREFIXES).splitlines()


EXAMPLES = {
    ":tom a :Stray": """
    rule stray: [?x, a, :Stray] :- [?x, a, :Cat], NOT EXISTS ?y IN ([?x, :owner, ?y]) .
        with ?x = :tom
        holds: :tom a :Cat
        fails: no [:tom, :owner, ?v1], because :tom :owner :ann (asserted)
    rule cax-sco: [?v0, a, :Stray] :- [?v0, a, :Lost] .
        with the axiom :Lost rdfs:subClassOf :Stray
        with ?v0 = :tom
        missing: :tom a :Lost""",
    ":tom a :Old": """
    rule old: [?x, a, :Old] :- [?x, :age, ?n], FILTER(?n > 10) .
        with ?x = :tom, ?n = 3
        holds: :tom :age 3
        false: 3 > 10""",
    ":tom :twice 7": """
    no triple of the graph has 7
    rule twice: [?x, :twice, ?m] :- [?x, :age, ?n], BIND(?n * 2 AS ?m) .
        with ?x = :tom, ?m = 7, ?n = 3
        holds: :tom :age 3
        fails: 3 * 2 = 7, because the value is 6""",
    ":tom :half 7": """
    no triple of the graph has 7
    rule half: [?x, :half, ?m] :- [?x, :age, ?n], BIND(?n / 0 AS ?m) .
        with ?x = :tom, ?m = 7, ?n = 3
        holds: :tom :age 3
        fails: 3 / 0 = 7, because there is no value""",
    ":ann :pets 3": """
    rule pets: [?x, :pets, ?n] :- AGGREGATE([?y, :owner, ?x] ON ?x BIND COUNT(?y) AS ?n) .
        with ?x = :ann, ?n = 3
        fails: 3 = COUNT(?v0) over [?v0, :owner, :ann], because the value is 1""",
    ":bob :pets 3": """
    rule pets: [?x, :pets, ?n] :- AGGREGATE([?y, :owner, ?x] ON ?x BIND COUNT(?y) AS ?n) .
        with ?x = :bob, ?n = 3
        fails: 3 = COUNT(?v0) over [?v0, :owner, :bob], because there is no value""",
    ":tom :likes :bob": """
    rule likes: [?x, :likes, ?z] :- [?x, :knows, ?y], [?y, :knows, ?z], [?z, a, :Cat] .
        with ?x = :tom, ?z = :bob, ?y = :ann
        holds: :tom :knows :ann
        holds: :ann :knows :bob
        missing: :bob a :Cat""",
    ":kim :likes :kim": """
    rule likes: [?x, :likes, ?z] :- [?x, :knows, ?y], [?y, :knows, ?z], [?z, a, :Cat] .
        with ?x = :kim, ?z = :kim
        holds: :kim a :Cat
        missing: :kim :knows ?y
        missing: ?y :knows :kim""",
    ":tom :self :tom": """
    rule self: [?x, :self, ?x] :- [?x, a, :Cat], known(?x) .
        with ?x = :tom
        holds: :tom a :Cat
        missing: known(:tom)""",
    ":tom :self :ann": """
    no rule in force could derive it; only a change that asserts it would make it hold""",
    ":tom :wild :ann": """
    rule wild: [?x, :wild, ?y] :- [?x, ?p, ?y], NOT [?x, a, :Cat], NOT known(?x) .
        with ?x = :tom, ?y = :ann, ?p = :knows
        holds: :tom :knows :ann
        fails: no [:tom, a, :Cat], because :tom a :Cat (by cax-sco)""",
    ":tom :told :Cat": """
    rule told: [?x, :told, ?y] :- DATA [?x, a, ?y], [?x, :age, ?n] .
        with ?x = :tom, ?y = :Cat, ?n = 3
        holds: :tom :age 3
        missing: :tom a :Cat (asserted)""",
    ":tom :untold :Siamese": """
    rule untold: [?x, :untold, ?y] :- [?x, a, ?y], NOT DATA [?x, a, ?y] .
        with ?x = :tom, ?y = :Siamese
        holds: :tom a :Siamese
        fails: no DATA [:tom, a, :Siamese], because :tom a :Siamese (asserted)""",
    ":x :y :z": """
    no triple of the graph has :x
    no triple of the graph has :y
    no triple of the graph has :z
    no rule in force could derive it; only a change that asserts it would make it hold""",
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples(graph: KnowledgeGraph, text: str) -> None:
    assert lines_of(graph, text) == [f"{text} does not hold", *EXAMPLES[text].splitlines()[1:]]


def test_a_triple_that_holds_is_not_told(graph: KnowledgeGraph) -> None:
    assert lines_of(graph, ":tom a :Cat") == [
        ":tom a :Cat holds; `explain` without --why-not shows why (in Python: graph.explain)"
    ]
    assert graph.why_not(":tom a :Cat", prefixes=PREFIXES).holds


def test_the_answer_is_bounded(graph: KnowledgeGraph) -> None:
    answer = graph.why_not(":tom a :Stray", prefixes=PREFIXES, limit=1)
    assert (len(answer.attempts), answer.left_out) == (1, 1)
    assert answer.to_text().splitlines()[-1] == "    and 1 more rule; --limit N shows more (in Python: limit=N)"
    with pytest.raises(InputError, match="limit 0: it must be a whole number, at least 1"):
        graph.why_not(":tom a :Stray", prefixes=PREFIXES, limit=0)


def test_as_json(graph: KnowledgeGraph) -> None:
    answer = json.loads(json.dumps(graph.why_not(":tom a :Stray", prefixes=PREFIXES, limit=1).to_json()))
    (rule,) = answer["rules"]
    assert (answer["holds"], answer["left_out"], rule["name"]) == (False, 1, "stray")
    assert rule["values"] == {"x": "<http://e/tom>"}
    (fails,) = rule["fails"]
    assert fails["kind"] == "absent"
    assert fails["facts"] == [{"fact": "<http://e/tom> <http://e/owner> <http://e/ann>", "reason": "asserted"}]


def test_generic_rules_are_told_by_axiom() -> None:
    with KnowledgeGraph.open(schema="data") as graph:
        graph.add(HEAD + DATA + ":Feral rdfs:subClassOf :Stray . :loses rdfs:range :Lost .")
        lines = lines_of(graph, ":tom a :Stray")
        assert [line.strip() for line in lines if "missing" in line] == [
            "missing: :tom a :Feral",
            "missing: :tom a :Lost",
            "missing: ?v2 :loses :tom",  # the range is :Stray as well, by scm-rng1
        ]
        assert "        missing: ?v2 :loses :tom" in lines_of(graph, ":tom a :Lost")


@pytest.mark.parametrize("same_as", ["aliases", "representatives", "rules"])
def test_equal_terms_are_one(same_as: SameAsMode) -> None:
    with KnowledgeGraph.open(same_as=same_as) as graph:
        with graph.transaction() as tx:
            tx.add(HEAD + DATA + ":al owl:sameAs :tom . :Kitten owl:sameAs :Cat . :bo owl:sameAs :bob .")
            tx.add_rules(HEAD + RULES)
        for name in (":tom", ":al"):
            lines = lines_of(graph, f"{name} a :Old")
            assert lines[-2:] == [f"        holds: {name} :age 3", "        false: 3 > 10"]
            lines = lines_of(graph, f"{name} :likes :bo")
            assert [line.strip() for line in lines[2:]] == [
                f"with ?x = {name}, ?z = :bo, ?y = :ann",
                f"holds: {name} :knows :ann",
                "holds: :ann :knows :bo",
                "missing: :bo a :Cat",
            ]
        assert "because :al :owner :ann" in "".join(lines_of(graph, ":al a :Stray"))


def test_a_link_that_does_not_hold() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(HEAD + ":p a owl:FunctionalProperty . :x :p :a . :y :p :b . :y owl:sameAs :z .")
        lines = lines_of(graph, ":b owl:sameAs :a")
        assert "        holds: :y :p :b" in lines or "        holds: :x :p :a" in lines


def test_the_graph_is_only_read(graph: KnowledgeGraph) -> None:
    materializer = graph._committer().materializer
    before = materializer.save().records.tobytes(), len(materializer.dictionary), graph.rules(costs=True)
    for text in EXAMPLES:
        graph.why_not(text, prefixes=PREFIXES)
    assert (materializer.save().records.tobytes(), len(materializer.dictionary), graph.rules(costs=True)) == before


def _is_ground(atom: Atom) -> bool:
    """Whether the atom is a triple that Turtle text can assert, of IRIs and literals."""
    texts = [str(term) for term in atom.terms]
    return (
        atom.relation is None and texts[0].startswith("<") and not any(text.startswith(("?", "_:")) for text in texts)
    )


@pytest.mark.parametrize("same_as", ["aliases", "rules"])
@pytest.mark.parametrize("schema", ["axioms", "data"])
@settings(max_examples=many(5), phases=SHORT)
@given(triples=graphs(), data=st.data())
def test_if_the_missing_triples_held_the_triple_would_hold(
    schema: SchemaMode, same_as: SameAsMode, triples: set[Triple], data: st.DataObject
) -> None:
    triples = {triple for triple in triples if not triple[0].startswith('"')}
    assume(triples)
    with KnowledgeGraph.open(schema=schema, same_as=same_as) as graph:
        graph.add("".join(f"{' '.join(triple)} .\n" for triple in sorted(triples)))
        closure = triples_of(graph._committer().materializer)
        subjects, predicates, objects = (sorted({triple[place] for triple in closure}) for place in range(3))
        wanted = tuple(data.draw(st.sampled_from(each)) for each in (subjects, predicates, objects))
        is_rdf = not wanted[0].startswith('"') and wanted[1].startswith("<")
        assume(is_rdf and wanted not in closure)
        answer = graph.why_not(wanted, limit=30)
        for attempt in answer.attempts:
            for atom in attempt.holds:
                assert atom.relation is not None or atom.terms in closure
            missing = [failure.atom for failure in attempt.fails]
            assert missing
            for atom in missing:
                pattern = [None if isinstance(term, Variable) else term for term in atom.terms]
                same = [t for t in closure if all(p in (None, v) for p, v in zip(pattern, t, strict=True))]
                assert atom.relation is not None or not same or len(set(atom.terms)) < len(atom.terms)
            if all(map(_is_ground, missing)):
                with graph.what_if() as tx:
                    tx.add("".join(f"{' '.join(map(str, atom.terms))} .\n" for atom in missing))
                assert tuple(wanted) in tx.delta.appeared()
