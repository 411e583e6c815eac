"""Table 8 of OWL 2 RL: what follows from the values of literals, while they are used."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.options import SameAsMode, SchemaMode
from kgreason.rules.parser import parse
from tests.graph.states import checks_that_failed, in_default, materialize, rows_of, triples_of
from tests.oracle import owl2rl
from tests.oracle.graph import Contradiction, Graph, Triple
from tests.oracle.notation import term, triples
from tests.oracle.tables import table8
from tests.oracle.tables.table8 import OWL2RL_DATATYPES
from tests.oracle.vocabulary import SAME_AS, TYPE
from tests.volume import many

MODES: list[tuple[SchemaMode, SameAsMode]] = [("axioms", "aliases"), ("data", "aliases"), ("axioms", "rules")]


LETTER = "owl2rl+eq-spellings"
"""So that the graph shows all that rules derive."""


class Live:
    """A graph under edits written in the notation of the tests."""

    def __init__(self, schema: SchemaMode = "axioms", same_as: SameAsMode = "aliases", rules: str = LETTER) -> None:
        self.live = Materializer(select([rules], schema, same_as))

    def edit(self, removed: str = "", added: str = "", own: str | None = None) -> None:
        gone, new = (rows_of(self.live, in_default(triples(text))) for text in (removed, added))
        self.live.change(Edit(gone, new, None if own is None else parse(own).rules))
        self.live.accept()

    def has(self, text: str) -> bool:
        return all(self.live.has(triple) for triple in triples(text))

    @property
    def wrong(self) -> set[str]:
        return checks_that_failed(self.live)


@pytest.fixture(params=MODES, ids="-".join)
def live(request: pytest.FixtureRequest) -> Live:
    return Live(*request.param)


EQUAL = [
    ('"1"^^xsd:integer', '"1.0"^^xsd:decimal'),
    ('"1"^^xsd:integer', '"+01"^^xsd:byte'),
    ('"1"^^xsd:boolean', '"true"^^xsd:boolean'),
    ('"x"', '"x"^^xsd:token'),
    ('"x"@en', '"x@en"^^rdf:PlainLiteral'),
    ('"INF"^^xsd:double', '"+INF"^^xsd:double'),
    ('"1"^^xsd:double', '"1.0E0"^^xsd:double'),
    ('"0A"^^xsd:hexBinary', '"0a"^^xsd:hexBinary'),
    ('"2000-01-01T00:00:00Z"^^xsd:dateTime', '"2000-01-01T00:00:00+00:00"^^xsd:dateTimeStamp'),
]
DIFFERENT = [
    ('"1"^^xsd:integer', '"1.0"^^xsd:double'),
    ('"1"^^xsd:float', '"1"^^xsd:double'),
    ('"NaN"^^xsd:double', '"INF"^^xsd:double'),
    ('"NaN"^^xsd:double', '"NaN"^^xsd:float'),
    ('"0"^^xsd:double', '"-0"^^xsd:double'),
    ('"1"', '"1"^^xsd:integer'),
    ('"x"', '"x"@en'),
    ('"x"@en', '"x"@de'),
    ('"x"', '"x"^^xsd:anyURI'),
    ('"2000-01-01T00:00:00Z"^^xsd:dateTime', '"2000-01-01T01:00:00+01:00"^^xsd:dateTime'),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_two_spellings_of_a_value_that_are_used_are_one(one: str, other: str, live: Live) -> None:
    live.edit(added=f"a p {one} . p rdf:type owl:FunctionalProperty")
    assert not live.has(f"a p {other}")
    live.edit(added=f"b q {other}")
    assert live.has(f"a p {other} . b q {one}")
    live.edit(added=f"a p {other}")
    assert live.wrong == set()
    live.edit(removed=f"b q {other} . a p {other}")
    assert not live.has(f"a p {other}")
    assert not live.has(f"b q {one}")
    assert live.has(f"a p {one}")


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_a_functional_property_has_one_value(one: str, other: str, live: Live) -> None:
    live.edit(added=f"p rdf:type owl:FunctionalProperty . a p {one} . b p {other}")
    assert live.wrong == set()
    live.edit(added=f"a p {other}")
    assert live.wrong == {"eq-diff1"}
    live.edit(removed=f"a p {one}")
    assert live.wrong == set()
    assert not live.has(f"a p {one}")


def test_literals_that_are_said_to_be_one_through_others(live: Live) -> None:
    live.edit(added='p rdf:type owl:FunctionalProperty . a p "1"^^xsd:integer . a p i . b p i . b p "2"^^xsd:integer')
    assert live.wrong == {"eq-diff1"}
    live.edit(removed="b p i")
    assert live.wrong == set()
    live.edit(added="i owl:sameAs j . b p j")
    assert live.wrong == {"eq-diff1"}


def test_a_value_of_another_type(live: Live) -> None:
    live.edit(added='p rdfs:range xsd:integer . a p "1.0"^^xsd:decimal . a p "x"^^foo . a q "x"')
    assert live.wrong == set()
    live.edit(added='a p "x"')
    assert live.wrong == {"dt-not-type"}
    live.edit(removed='a p "x"', added='a p "1.5"^^xsd:decimal')
    assert live.wrong == {"dt-not-type"}
    live.edit(removed="p rdfs:range xsd:integer")
    assert live.wrong == set()
    live.edit(added="C rdfs:subClassOf r . r owl:onProperty p . r owl:allValuesFrom xsd:byte . a rdf:type C")
    assert live.wrong == {"dt-not-type"}


def test_of_equal_terms_one_is_a_literal_of_another_type(live: Live) -> None:
    """The literal is no representative: what is said of the individual is said of it."""
    live.edit(added='p rdf:type owl:FunctionalProperty . q rdfs:range xsd:integer . a q i . a p i . a p "x"')
    assert live.wrong == {"dt-not-type"}
    live.edit(removed="a q i")
    assert live.wrong == set()
    live.edit(added="b q i")
    assert live.wrong == {"dt-not-type"}
    live.edit(removed="a p i")
    assert live.wrong == set()


def test_an_ill_typed_literal_is_wrong_wherever_it_stands(live: Live) -> None:
    live.edit(added='a p "x"^^xsd:integer . a p "300"^^xsd:byte . a p "x"^^foo . b p "1"')
    assert live.wrong == {"dt-not-type"}
    assert len([each for each in live.live.rules if each.name == "dt-not-type-ill"]) == 1
    live.edit(removed='a p "x"^^xsd:integer')
    assert live.wrong == {"dt-not-type"}
    live.edit(removed='a p "300"^^xsd:byte')
    assert live.wrong == set()


def test_members_of_datatypes_make_members_of_classes(live: Live) -> None:
    live.edit(
        added='r owl:onProperty p . r owl:someValuesFrom xsd:integer . r rdfs:subClassOf C . a p "1.0"^^xsd:decimal'
    )
    assert live.has("a rdf:type C")
    live.edit(added='b p "1.5"^^xsd:decimal . c p "7"^^xsd:byte . d p "7"')
    assert live.has("c rdf:type C")
    assert not live.has("b rdf:type C")
    assert not live.has("d rdf:type C")
    live.edit(removed="r owl:someValuesFrom xsd:integer", added="r owl:someValuesFrom xsd:string")
    assert live.has("d rdf:type C")
    assert not live.has("c rdf:type C")
    live.edit(added='e p "x"^^xsd:token . f p "x"@en')
    assert live.has("e rdf:type C")
    assert not live.has("f rdf:type C")


def test_a_value_of_a_restriction_in_another_spelling(live: Live) -> None:
    live.edit(
        added='r owl:onProperty p . r owl:hasValue "1"^^xsd:integer . r rdfs:subClassOf C . a p "1.0"^^xsd:decimal'
    )
    assert live.has("a rdf:type C")
    live.edit(removed='a p "1.0"^^xsd:decimal', added='b p "01"^^xsd:integer')
    assert live.has('b rdf:type C . b p "1"^^xsd:integer')
    assert not live.has("a rdf:type C")


def test_two_restrictions_to_one_value(live: Live) -> None:
    live.edit(
        added="""r owl:onProperty p . r owl:hasValue "1"^^xsd:integer .
            s owl:onProperty q . s owl:hasValue "01"^^xsd:byte"""
    )
    assert not live.has("r rdfs:subClassOf s")
    live.edit(added="p rdfs:subPropertyOf q")
    assert live.has("r rdfs:subClassOf s")


def test_the_limit_of_a_cardinality_is_read_by_its_value() -> None:
    """So a limit that data has in another spelling calls for no generic rules."""
    live = Live()
    live.edit(added='r owl:onProperty p . r owl:maxCardinality "1"^^xsd:nonNegativeInteger . a rdf:type r . a p b')
    live.edit(added='a p c . c value "1"^^xsd:integer')
    assert live.has('b owl:sameAs c . r owl:maxCardinality "1"^^xsd:integer')
    assert not any(live.live.flags)
    live.edit(
        removed='r owl:maxCardinality "1"^^xsd:nonNegativeInteger', added='r owl:maxCardinality "1.0"^^xsd:decimal'
    )
    assert live.has("b owl:sameAs c")
    live.edit(added='s owl:hasValue "1"^^xsd:integer')
    assert live.live.flags.same_as


def test_a_rule_of_the_user_asks_for_a_datatype(live: Live) -> None:
    own = """@prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        @rule whole [?x, a, :Whole] :- [?x, :p, ?v], [?v, a, xsd:integer] ."""
    live.edit(added='a p "2.0"^^xsd:decimal')
    live.edit(own=own)
    assert live.has("a rdf:type Whole")
    live.edit(added='b p "3"^^xsd:integer')
    assert live.has("b rdf:type Whole")
    live.edit(own="")
    assert not live.has("a rdf:type Whole")
    live.edit(own=own)
    assert live.has("a rdf:type Whole . b rdf:type Whole")


def test_a_rule_of_the_user_names_a_literal_in_another_spelling(live: Live) -> None:
    live.edit(added='a p "1.0"^^xsd:decimal . c p "1"^^xsd:integer')
    live.edit(own="@prefix : <http://example.org/> . @rule one [?x, a, :One] :- [?x, :p, 1] .")
    assert live.has("a rdf:type One . c rdf:type One")


def test_names_of_datatypes_are_a_switch() -> None:
    quiet, loud = Live(), Live(rules=f"{LETTER}+dt-type1")
    for each in (quiet, loud):
        each.edit(added="a p b")
    found = triples_of(loud.live) - triples_of(quiet.live)
    assert {s for s, _, _ in found} == set(OWL2RL_DATATYPES)
    assert len(found) == 32


def test_the_rules_of_rdfs_do_not_look_inside() -> None:
    live = Live(rules="rdfs")
    live.edit(added='a p "1"^^xsd:integer . a p "01"^^xsd:integer . b p "x"^^xsd:integer . b q "1"^^xsd:integer')
    assert not live.has('b q "01"^^xsd:integer')
    assert live.wrong == set()


def test_plain_data_has_no_facts_about_literals() -> None:
    live = materialize(triples('a p "1" . a p "x"@en . a p "2"^^xsd:integer . a p b'))
    records = live.save().records
    assert len(records) == len(triples_of(live)) == 4


def lines(graph: KnowledgeGraph) -> set[bytes]:
    return set(b"".join(graph.dump()).splitlines())


X = "http://www.w3.org/2001/XMLSchema#"
ONE, SAME = f'<http://e/a> <http://e/p> "1"^^<{X}integer> .', f'<http://e/b> <http://e/q> "1.0"^^<{X}decimal> .'
FOLLOWS = f'<http://e/a> <http://e/p> "1.0"^^<{X}decimal> .'.encode()


@pytest.mark.parametrize("is_settled", [True, False])
def test_a_store_that_is_opened_again(tmp_path: Path, is_settled: bool) -> None:
    """A literal that was there before meets a new one, and so does one that follows from the snapshot."""
    with KnowledgeGraph.open(tmp_path, rules=[LETTER]) as graph:
        with graph.transaction() as tx:
            tx.add(ONE)
        if is_settled:
            graph._committer().checkpoint()
    with KnowledgeGraph.open(tmp_path, rules=[LETTER]) as graph:
        with graph.what_if() as tx:
            tx.add(SAME)
        assert tx.delta.added.count(b"\n") == 3
        assert FOLLOWS not in lines(graph)
        with graph.transaction() as tx:
            tx.add(SAME)
        assert FOLLOWS in lines(graph)
    with KnowledgeGraph.open(tmp_path, rules=[LETTER]) as graph:
        assert FOLLOWS in lines(graph)
        with graph.transaction() as tx:
            tx.remove(SAME)
        assert lines(graph) == {ONE.encode()}
        with graph.transaction() as tx:
            tx.add(f'<http://e/c> <http://e/q> "+1"^^<{X}integer> .')
        assert f'<http://e/a> <http://e/p> "+1"^^<{X}integer> .'.encode() in lines(graph)


def test_proofs_name_the_rules_and_hide_what_they_know_of_literals() -> None:
    with KnowledgeGraph.open(rules=[LETTER]) as graph:
        with graph.transaction() as tx:
            tx.add(ONE + SAME, f'<http://e/c> <http://e/p> "x"^^<{X}integer> .')
        proof = graph.explain(("<http://e/a>", "<http://e/p>", f'"1.0"^^<{X}decimal>'))
        assert {step.rule.name for step in proof.steps() if step.rule} == {"eq-rep-o", "dt-eq"}
        assert all(step.fact.relation is None for step in proof.steps())
        (wrong,) = graph.prove_contradictions()
        assert [str(premise.fact.terms[2]) for premise in wrong.premises] == [f'"x"^^<{X}integer>']


LITERALS = tuple(
    map(
        term,
        (
            *(
                '"1"^^xsd:integer',
                '"01"^^xsd:integer',
                '"1.0"^^xsd:decimal',
                '"300"^^xsd:integer',
                '"1.5"^^xsd:decimal',
            ),
            *('"x"', '"x"@en', '"x"^^xsd:token', '"a"^^xsd:integer', '"1"^^xsd:boolean', '"true"^^xsd:boolean'),
        ),
    )
)
AXIOMS = sorted(
    triples("""
    p rdf:type owl:FunctionalProperty . p rdf:type owl:InverseFunctionalProperty . p rdfs:range xsd:integer .
    q rdfs:range xsd:byte . p rdfs:subPropertyOf q . r owl:onProperty q . r owl:someValuesFrom xsd:integer .
    r rdfs:subClassOf C . s owl:onProperty p . s owl:hasValue "1"^^xsd:integer . s rdfs:subClassOf C .
    t owl:onProperty q . t owl:hasValue "01"^^xsd:integer . C rdfs:subClassOf u . u owl:onProperty q .
    u owl:allValuesFrom xsd:string . a owl:sameAs b .
    """)
)
people, properties = st.sampled_from(list(map(term, "abc"))), st.sampled_from(list(map(term, "pq")))
facts = st.one_of(
    st.tuples(people, properties, st.sampled_from(LITERALS)),
    st.tuples(people, properties, st.sampled_from(LITERALS)),
    st.tuples(people, properties, people),
    st.sampled_from(AXIOMS),
)
OWN = parse("""
    @prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    @rule text [?x, a, :Text] :- [?x, :p, ?v], [?v, a, xsd:token] .
    @rule one [?x, :q, "+1"^^xsd:integer] :- [?x, :p, 1.0] .
""").rules
steps = st.tuples(st.frozensets(facts, max_size=5), st.frozensets(facts, max_size=6), st.booleans())
histories = st.lists(steps, min_size=1, max_size=5)
Step = tuple[frozenset[Triple], frozenset[Triple], bool]


def without_literals(graph: Iterable[Triple]) -> set[Triple]:
    return {triple for triple in graph if not triple[0].startswith('"')}


def check_history(history: list[Step], schema: SchemaMode, same_as: SameAsMode, with_rules: bool) -> None:
    """After each commit, and after one that was taken back, the graph is that of its assertions from scratch."""
    live, asserted = Live(schema, same_as).live, set[Triple]()
    for removed, added, own in history:
        edit = [sorted((removed - added) & asserted), sorted(added - asserted)]
        gone, new = (rows_of(live, in_default(part)) for part in edit)
        live.change(Edit(new[:0], new[::2], OWN))
        live.rollback()
        change = live.change(Edit(gone, new, OWN if own and with_rules else ()))
        live.accept()
        assert len(change.rows) >= len(new)
        asserted = (asserted - removed) | added
        scratch = Live(schema, same_as).live
        scratch.change(Edit(added=rows_of(scratch, in_default(asserted)), own=live.own))
        scratch.accept()
        assert without_literals(triples_of(live)) == without_literals(triples_of(scratch))
        assert checks_that_failed(live) == checks_that_failed(scratch)
        if not live.own:
            closure, wrong = owl2rl.close(asserted)
            untold = Untold(closure)
            assert (
                without_literals(closure) - untold.of(closure)
                <= without_literals(triples_of(live))
                <= without_literals(closure)
            )
            assert untold.due(wrong) <= checks_that_failed(live) <= {each.rule for each in wrong}


class Untold:
    """What need not be told of a closure: that a term is in a datatype for it is the same as a member of it.

    The table has every literal for a member of what it is in. kgreason tells so where rules ask for members (`asked`);
    where none does, two terms that are the same say no more than what they are without it: eq-diff1 tells if both are
    literals and one is no member.
    """

    def __init__(self, closure: Iterable[Triple]) -> None:
        self.graph = Graph(closure)

    def of(self, triples: Iterable[Triple]) -> set[Triple]:
        return set(filter(self.is_untold, triples))

    def is_untold(self, triple: Triple) -> bool:
        term, predicate, datatype = triple
        if predicate != TYPE or datatype not in table8.MEMBERS:
            return False
        same = (other for other in self.graph.objects(term, SAME_AS) if other.startswith('"'))
        values = (table8.value(other) for other in same if table8.is_known(other))
        return any(map(table8.MEMBERS[datatype], filter(None, values)))

    def due(self, wrong: Iterable[Contradiction]) -> set[str]:
        """The checks that must fail all the same."""
        return {each.rule for each in wrong if each.rule != "dt-not-type" or not self.of(each.facts)}


@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_a_datatype_that_nobody_asks_for_makes_no_second_fault_of_two_values_made_one(
    schema: SchemaMode, same_as: SameAsMode
) -> None:
    """Found by `test_histories`: in the table 1.5 is an integer, and b a string, as what they are the same as."""
    fault = triples('p rdf:type owl:FunctionalProperty . a p "1.5"^^xsd:decimal . a p "1"^^xsd:integer')
    equal = triples('c p b . c p "x" . r owl:someValuesFrom xsd:integer . u owl:allValuesFrom xsd:string')
    history = [(frozenset[Triple](), frozenset(given), False) for given in (fault, equal)]
    check_history(history, schema, same_as, with_rules=False)


@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_a_resource_takes_the_place_of_the_literal_that_stands_for_it(schema: SchemaMode, same_as: SameAsMode) -> None:
    """Found by `test_histories`: a is the value 1, so it is linked to 300, which the literal 1 must not be."""
    first, second = 'a p "01"^^xsd:integer', 'a p "300"^^xsd:integer . c p "1"^^xsd:integer . c p a'
    parts = (first, second, "p rdf:type owl:FunctionalProperty")
    history = [(frozenset[Triple](), frozenset(triples(part)), False) for part in parts]
    check_history(history, schema, same_as, with_rules=False)


@pytest.mark.parametrize(("schema", "same_as"), MODES)
@settings(max_examples=many(15))
@given(history=histories, with_rules=st.booleans())
def test_histories(schema: SchemaMode, same_as: SameAsMode, history: list[Step], with_rules: bool) -> None:
    check_history(history, schema, same_as, with_rules)
