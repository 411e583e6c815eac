"""SPARQL Update on a materialized graph: WHERE sees the closure, DELETE takes what is asserted, errors undo all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import QuerySolutions

from kgreason.errors import KgreasonError, LimitError, QueryError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.results.answers import Solutions
from kgreason.graph.sparql_update import steps as editing
from kgreason.graph.sparql_update import uncommitted_store
from kgreason.graph.sparql_update.uncommitted_store import UncommittedStore, WhereLimits
from kgreason.graph.sparql_update.update import Updated
from kgreason.sparql.parser import parse
from kgreason.store.oxigraph import process
from tests.graph.commits.test_edits import check
from tests.graph.histories import Edit, Model, histories
from tests.graph.views import agrees, follow, lasting, lines, rows, view

XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = f"PREFIX : <http://e/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX xsd: <{XSD}> "
DATA = f"""@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <{XSD}> .
    :Dog rdfs:subClassOf :Animal . :age rdfs:subPropertyOf :number . :rex a :Dog . :tom a :Dog, :Animal .
    :rex :age 3 , "03"^^xsd:integer . :g {{ :rex :age "+3"^^xsd:integer . :eve a :Dog }}"""


@pytest.fixture(params=["memory", "disk"])
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KnowledgeGraph]:
    """A graph with two dogs, one more in a named graph, and one number in three spellings."""
    with KnowledgeGraph.open(None if request.param == "memory" else tmp_path / "store") as opened:
        with opened.transaction() as tx:
            tx.add(DATA)
        yield opened


def update(graph: KnowledgeGraph, text: str) -> Updated:
    return graph.update(PREFIXES + text)


def ask(graph: KnowledgeGraph, pattern: str) -> bool:
    return bool(graph.query(f"{PREFIXES} ASK {{ {pattern} }}"))


def ages(graph: KnowledgeGraph) -> set[str]:
    """How old rex is."""
    found = graph.query(f"{PREFIXES} SELECT ?age {{ :rex :age ?age }}")
    assert isinstance(found, Solutions)
    return {solution["age"].value for solution in found}


def names(delta: Delta) -> list[str]:
    """The subjects that disappeared."""
    return sorted(subject for subject, _, _ in delta.disappeared())


def test_where_sees_what_is_inferred(graph: KnowledgeGraph) -> None:
    done = update(graph, "INSERT { ?x :is :alive } WHERE { ?x a :Animal }")
    assert sorted(done.delta.appeared(asserted=True)) == [
        (f"<http://e/{name}>", "<http://e/is>", "<http://e/alive>") for name in ("eve", "rex", "tom")
    ]


def test_delete_takes_what_is_asserted_and_says_what_stays(graph: KnowledgeGraph) -> None:
    """rex and eve are animals because they are dogs; tom is said to be one as well, and stays one.

    The default graph is that of all graphs: eve, who is a dog in another one, stays in it.
    """
    done = update(graph, "DELETE { ?x a :Animal } WHERE { ?x a :Animal }")
    assert (done.unasserted, done.entailed) == (2, 3)
    assert done.delta.turned(asserted=False) == [
        ("<http://e/tom>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e/Animal>")
    ]
    assert ask(graph, ":tom a :Animal . :rex a :Animal")
    done = update(graph, "DELETE WHERE { ?x a :Dog }")
    assert (done.unasserted, done.entailed) == (1, 1)
    assert names(done.delta) == ["<http://e/rex>"] * 2 + ["<http://e/tom>"] * 2
    assert ask(graph, ":eve a :Animal")


@pytest.mark.parametrize("spelling", ["3", '"03"^^xsd:integer', '"0003"^^xsd:integer'])
def test_delete_takes_every_spelling_of_a_literal(graph: KnowledgeGraph, spelling: str) -> None:
    done = update(graph, f"DELETE DATA {{ :rex :age {spelling} }}")
    assert (done.unasserted, done.entailed) == (0, 1)
    assert len(done.delta.quads(added=False)) == 2
    assert ask(graph, ":rex :age 3 . :rex :number 3 . GRAPH :g { :rex :age 3 }")
    done = update(graph, f"DELETE DATA {{ GRAPH :g {{ :rex :age {spelling} }} }}")
    assert len(done.delta.quads(added=False)) == 1
    assert not ask(graph, "?x :age ?y")
    assert not ask(graph, "?x :number ?y")


def test_a_row_goes_with_the_last_of_its_spellings(graph: KnowledgeGraph) -> None:
    for spelling in ("3", "03", "+3"):
        assert ask(graph, ":rex :age 3")
        with graph.transaction() as tx:
            for name in ("", "<http://e/g>"):
                tx.remove(("<http://e/rex>", "<http://e/age>", f'"{spelling}"^^<{XSD}integer>', name))
    assert not ask(graph, ":rex ?p 3")


@pytest.mark.parametrize("small", [100_000, 0], ids=["by the journal", "in one go"])
def test_a_row_of_a_named_graph_goes_with_the_last_of_its_spellings(
    graph: KnowledgeGraph, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("store.rows", "graph.commits"):
        monkeypatch.setattr(f"kgreason.{module}.SMALL", small)
    age = "<http://e/rex>", "<http://e/age>"
    spellings = [f'"{spelling}"^^<{XSD}integer>' for spelling in ("+3", "003")]
    with graph.transaction() as tx:
        tx.add((*age, spellings[1], "<http://e/g>"))
    for spelling, is_there in zip(spellings, (True, False), strict=True):
        with graph.transaction() as tx:
            tx.remove((*age, spelling, "<http://e/g>"))
        assert ask(graph, "GRAPH ?g { :rex :age 3 }") == is_there
        assert ask(graph, ":rex :age 3")
    assert not ask(graph, "GRAPH :g { :rex ?p ?age }")


def test_operations_see_what_those_before_them_entail(graph: KnowledgeGraph) -> None:
    last = graph._home.last
    done = update(
        graph,
        """INSERT DATA { :Animal rdfs:subClassOf :Being . :kit a :Animal } ;
        DELETE { ?x a :Dog } INSERT { ?x a :Thing } WHERE { ?x a :Being } ;
        INSERT { ?x :was :here } WHERE { ?x a :Being }""",
    )
    assert done.delta.commit == graph._home.last == last + 1
    assert ask(graph, ":kit :was :here . :tom :was :here . :rex a :Thing")
    assert not ask(graph, ":rex :was :here")


def test_an_update_that_changes_nothing_is_no_commit(graph: KnowledgeGraph) -> None:
    before, last = view(graph), graph._home.last
    for text in ("INSERT DATA { :rex a :Dog }", "DELETE DATA { :no :such :thing }", "DELETE WHERE { ?x :no ?y }", ""):
        delta = update(graph, text).delta
        assert not delta
        assert delta.commit == 0
    done = update(graph, "DELETE DATA { :no :such :thing . :rex a :Animal }")
    assert (done.unasserted, done.entailed, done.delta.commit) == (2, 1, 0)
    assert view(graph) == before
    assert graph._home.last == last


def test_spellings_that_an_update_named_are_forgotten_with_it(graph: KnowledgeGraph) -> None:
    """The number of a term that nobody kept goes to another one, which is no spelling of the same."""
    assert update(graph, 'DELETE DATA { :nobody :age "0003"^^xsd:integer }').unasserted == 1
    update(graph, "INSERT DATA { :anybody :age 7 . :rex :age 7 }")
    update(graph, "DELETE DATA { :rex :age 3 }")
    assert ages(graph) == {"3", "7"}
    assert f'<http://e/rex> <http://e/age> "7"^^<{XSD}integer> .' in lines(graph.dump())
    update(graph, "DELETE DATA { GRAPH :g { :rex :age 3 } }")
    assert ages(graph) == {"7"}


def test_graphs_are_cleared_and_moved(graph: KnowledgeGraph) -> None:
    assert update(graph, "COPY DEFAULT TO :h").entailed == 0
    assert ask(graph, "GRAPH :h { :rex a :Dog }")
    assert not ask(graph, "GRAPH :h { :rex a :Animal }")
    assert update(graph, "MOVE :g TO :i ; DROP DEFAULT").entailed > 0
    assert ask(graph, ":eve a :Animal . :rex a :Animal . GRAPH :i { :eve a :Dog }")
    assert not ask(graph, "GRAPH :g { ?s ?p ?o }")
    update(graph, "CLEAR ALL")
    assert not rows(graph)
    assert not lines(graph.dump())


def test_a_file_is_loaded(graph: KnowledgeGraph, tmp_path: Path) -> None:
    path = tmp_path / "more.ttl"
    path.write_text("<http://e/max> a <http://e/Dog> .")
    update(graph, f"LOAD <{path.as_uri()}> INTO GRAPH :h ; LOAD SILENT <{(tmp_path / 'missing.ttl').as_uri()}>")
    assert ask(graph, ":max a :Animal . GRAPH :h { :max a :Dog }")


FAILING = [
    "CREATE GRAPH :g",
    "LOAD <file:///there/is/no/such/file.ttl>",
    "ADD :nothing TO DEFAULT",
    "INSERT { ?x :pair ?y } WHERE { ?x a ?c . ?y a ?d }",
]


@pytest.mark.parametrize("failing", FAILING)
def test_an_error_takes_back_what_was_done(tmp_path: Path, failing: str) -> None:
    """Here, and in a graph that is opened again; subscribers hear nothing, and no commit was made."""
    told_of: list[Delta] = []
    with KnowledgeGraph.open(tmp_path / "store", budget=3_000) as graph:
        with graph.transaction() as tx:
            tx.add(DATA)
            tx.add_rules(
                "@rule boom [?x, <http://e/with>, ?y] :- [?x, <http://e/pair>, ?v], [?y, <http://e/pair>, ?w] ."
            )
        before, states = lasting(view(graph)), state(graph)
        graph.subscribe(told_of.append)
        many = " ".join(f":x{n} a :Dog ." for n in range(90))
        with pytest.raises(KgreasonError) as caught:
            update(graph, f"INSERT DATA {{ {many} }} ; DELETE WHERE {{ ?x :age ?y }} ; {failing}")
        assert isinstance(caught.value, LimitError) == ("pair" in failing)
        assert lasting(view(graph)) == before
        assert (told_of, graph._home.last) == ([], 1)
        assert state(graph) == states
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert lasting(view(graph)) == before


@pytest.mark.parametrize(
    "text", ["INSERT { ?x", "SELECT * { ?s ?p ?o }", "DELETE DATA { ?x a :Dog }", "LOAD <http://e/a>"]
)
def test_a_text_that_is_no_update_changes_nothing(graph: KnowledgeGraph, text: str) -> None:
    before = view(graph)
    with pytest.raises(QueryError, match=r"<update>:\d+:\d+"):
        update(graph, f"INSERT DATA {{ :new a :Dog }} ; {text}")
    assert view(graph) == before


@settings(max_examples=6)
@given(edits=histories())
def test_data_that_comes_and_goes_by_updates(edits: list[Edit]) -> None:
    """As transactions do it, where no other spelling of a literal is asserted in the same place."""
    model = Model()
    with KnowledgeGraph.open() as graph:
        for edit in [Edit(plain_data(each.removed), plain_data(each.added)) for each in edits]:
            graph.update(f"DELETE DATA {{ {text_of(edit.removed)} }} ; INSERT DATA {{ {text_of(edit.added)} }}")
            model = model.after(edit)
            check(graph, model)


def state(graph: KnowledgeGraph) -> set[tuple[int, ...]]:
    """Every fact with its flags, stamp and support."""
    return set(map(tuple, graph._committer().materializer.save().records.tolist()))


def test_a_triple_that_is_asserted_and_absent_and_inferred_in_one_update_has_turned() -> None:
    with KnowledgeGraph.open() as graph:
        update(graph, "INSERT DATA { :p rdfs:subPropertyOf :q . :a :q :b }")
        done = update(
            graph,
            """DELETE { ?s :q ?o } INSERT { ?s :was ?o } WHERE { ?s :q ?o } ;
            INSERT { ?s :gone ?o } WHERE { ?s :was ?o FILTER NOT EXISTS { ?s :q ?o } } ;
            DELETE { ?s :was ?o . ?s :gone ?o } INSERT { ?s :p ?o } WHERE { ?s :was ?o ; :gone ?o }""",
        )
        assert done.delta.turned(asserted=False) == [("<http://e/a>", "<http://e/q>", "<http://e/b>")]
        assert done.delta.appeared() == [("<http://e/a>", "<http://e/p>", "<http://e/b>")]
        assert not done.delta.disappeared()


_QUESTIONS = (
    "INSERT { ?s :seen ?o } WHERE { ?s a ?o }",
    "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(?p = :seen) }",
    "INSERT { GRAPH :seen { ?s ?p ?o } } WHERE { GRAPH ?g { ?s ?p ?o } }",
    "WITH :seen DELETE { ?s ?p ?o } INSERT { ?o :back ?s } WHERE { ?s ?p ?o FILTER(isIRI(?o)) }",
    "INSERT { ?s :both ?o } USING :seen USING NAMED :g WHERE { ?s ?p ?x OPTIONAL { GRAPH ?g { ?x ?q ?o } } }",
    "COPY DEFAULT TO :seen",
    "CLEAR GRAPH :seen",
)


@pytest.mark.parametrize("copy", [0, 10, 20_000])
@pytest.mark.parametrize("on_disk", [False, True])
@settings(max_examples=5)
@given(edits=histories(), questions=st.lists(st.sampled_from(_QUESTIONS), min_size=5, max_size=5))
def test_a_request_does_what_its_operations_do_one_by_one(
    edits: list[Edit], questions: list[str], on_disk: bool, copy: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """And its delta is the difference; it is one commit, whether the store is copied for it or not."""
    operations = []
    for edit, question in zip(edits, questions, strict=False):
        removed, added = plain_data(edit.removed), plain_data(edit.added)
        operations += [f"DELETE DATA {{ {text_of(removed)} }}", f"INSERT DATA {{ {text_of(added)} }}", question]
    path = tmp_path_factory.mktemp("request") / "store" if on_disk else None
    with KnowledgeGraph.open() as singly, KnowledgeGraph.open(path) as graph:
        for each in (singly, graph):
            update(each, "INSERT DATA { :a :p :b . GRAPH :g { :b a :C } }")
        last = graph._home.last
        before, shown = lasting(view(graph)), lines(graph.dump(graphs=True))
        for operation in operations:
            update(singly, operation)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(uncommitted_store, "_COPY", copy)
            patch.setattr(editing, "UncommittedStore", lambda home, facts, _: UncommittedStore(home, min(facts, copy)))
            done = update(graph, " ; ".join(operations))
        assert lasting(view(graph)) == lasting(view(singly))
        assert agrees(graph)
        assert follow(shown, done.delta) == lines(graph.dump(graphs=True))
        assert (done.delta.commit, graph._home.last) in ((0, last), (last + 1, last + 1))
        assert before == lasting(view(graph)) or done.delta.commit


def plain_data(quads: tuple[tuple[str, str, str, str | None], ...]) -> tuple[tuple[str, str, str, str | None], ...]:
    """Those that DATA may name: without blank nodes, and without numbers, which have spellings."""
    return tuple(quad for quad in quads if not any("_:" in (term or "") or "^^" in (term or "") for term in quad))


def text_of(quads: tuple[tuple[str, str, str, str | None], ...]) -> str:
    return " ".join(f"GRAPH {g} {{ {s} {p} {o} }}" if g else f"{s} {p} {o} ." for s, p, o, g in quads)


def test_more_solutions_than_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgreason.sparql.evaluate._SOME", 7)
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.update("\n".join(["INSERT DATA {", *(f"<http://e/{n}> <http://e/p> {n} ." for n in range(50)), "}"]))
        done = graph.update(
            "PREFIX : <http://e/> DELETE { ?s :p ?o } INSERT { ?s :q _:b . _:b :r ?o } WHERE { ?s :p ?o }"
        )
        assert (len(done.delta.quads(added=True)), len(done.delta.quads(added=False))) == (100, 50)
        assert answers(graph, "SELECT DISTINCT ?b { ?s :q ?b . ?b :r ?o FILTER(STRENDS(STR(?s), STR(?o))) }", 50)


def test_a_where_behind_another_step_keeps_its_filters() -> None:
    """Oxigraph evaluates an outer FILTER ahead of an inner one, and so for rows that are no solutions."""
    with KnowledgeGraph.open(rules=["none"]) as graph:
        update(graph, 'INSERT DATA { :a :p "x" , :b } ; DELETE { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(isIRI(?o)) }')
        assert answers(graph, "SELECT ?o { ?s ?p ?o }", 1) == {'"x"'}


def test_a_variable_may_have_a_dollar_sign() -> None:
    with KnowledgeGraph.open(rules="none") as graph:
        graph.update(
            "INSERT DATA { <http://e/z> <http://e/p> 1 } ;"
            "INSERT { ?s <http://e/q> $called0 } WHERE { ?s <http://e/p> $called0 }"
        )
        assert ("http://e/z", "http://e/q", 1) in graph


def test_a_base_changes_no_iri_of_the_steps_before() -> None:
    """Behind a BASE, Oxigraph reads <http://e/x/../y> as <http://e/y>. A row of the graph may have either."""
    dotted, path = "http://e/x/../y", "urn:.."
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add((f"<{dotted}>", f"<{path}>", f"<{dotted}>"), ("<http://e/y>", "<http://e/p>", "<http://e/z/./z>"))
        graph.update(
            "PREFIX : <http://e/> DELETE DATA { :y :p <http://e/z/./z> } ; BASE <http://b/> "
            "INSERT { :saw :s ?s ; :p ?p ; :o ?o } WHERE { ?s ?p ?o }"
        )
        assert answers(graph, "SELECT ?o { :saw ?p ?o }", 3) == {f"<{dotted}>", f"<{path}>"}


def test_a_where_does_not_see_a_graph_that_the_step_before_has_emptied() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        update(graph, "INSERT DATA { :a :p :b . GRAPH :g { :a :p :b } GRAPH :h { :a :p :b , :c } }")
        emptied = "DELETE DATA { GRAPH :g { :a :p :b } GRAPH :h { :a :p :b } }"
        update(graph, f"{emptied} ; INSERT {{ :x :saw ?g }} WHERE {{ GRAPH ?g {{}} }}")
        assert answers(graph, "SELECT ?g { :x :saw ?g }", 1) == {"<http://e/h>"}


def test_a_where_behind_a_step_that_removes_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy that the WHEREs are asked of is empty then."""
    monkeypatch.setattr(uncommitted_store, "_COPY", 0)
    with KnowledgeGraph.open(rules=["none"]) as graph:
        update(graph, "INSERT DATA { :a :p :b , :c }")
        seen = "INSERT { :x :saw ?o } WHERE { ?s ?p ?o }"
        monkeypatch.setattr(editing, "UncommittedStore", lambda home, *_: UncommittedStore(home, 0))
        update(graph, f"DELETE WHERE {{ ?s ?p ?o }} ; {seen} ; {seen}")
        assert len(graph) == 0


@pytest.mark.parametrize("last", ["DROP ALL", "DELETE DATA { GRAPH :g { :a :p 1 , 2 } }", "MOVE GRAPH :g TO :h"])
def test_a_graph_without_quads_is_not_there(last: str) -> None:
    """However it lost them; Oxigraph keeps its name where they went one by one."""
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        update(graph, "INSERT DATA { GRAPH :g { :a :p 1 , 2 } }")
        assert answers(graph, "SELECT ?g { GRAPH ?g {} }", 1) == {"<http://e/g>"}
        update(graph, last)
        assert answers(graph, "SELECT ?g { GRAPH ?g {} }", last.count(":h")) <= {"<http://e/h>"}


def answers(graph: KnowledgeGraph, query: str, rows: int) -> set[str]:
    """The terms that a query of one variable finds, in so many rows."""
    found = [str(row[0]) for row in cast(QuerySolutions, graph.query(PREFIXES + query))]
    assert len(found) == rows
    return set(found)


def test_a_request_that_is_not_kept_has_the_delta_of_its_commit() -> None:
    from kgreason.sparql.parser import parse

    text = """PREFIX : <http://e/> INSERT DATA { :kit a :Cat } ;
        INSERT { ?x a :Seen } WHERE { ?x a :Animal } ; DELETE WHERE { :tom a ?c }"""
    with KnowledgeGraph.open() as graph:
        graph.add("@prefix : <http://e/> . :tom a :Cat .")
        graph.add("<http://e/Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Animal> .")
        before, commit = b"".join(graph.dump()), graph.commit
        tried = graph.carry_out(parse(text), keep=False).delta
        assert (b"".join(graph.dump()), graph.commit, tried.commit) == (before, commit, 0)
        made = graph.carry_out(parse(text)).delta
        assert (made.commit, graph.commit) == (commit + 1, commit + 1)
        for asserted in (True, False):
            assert sorted(tried.appeared(asserted=asserted)) == sorted(made.appeared(asserted=asserted))
            assert sorted(tried.disappeared(asserted=asserted)) == sorted(made.disappeared(asserted=asserted))


@pytest.mark.parametrize("is_past", [False, True])
def test_a_graph_for_reading_tries_operations_one_after_the_other(tmp_path: Path, is_past: bool) -> None:
    """A later operation sees the rows of the first one, and no file of the store is touched."""
    from kgreason.sparql.parser import parse

    text = """PREFIX : <http://e/> INSERT DATA { :tom :p :kim } ; INSERT { ?x :q ?x } WHERE { ?x :p ?y }"""
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"], history="all") as graph:
        graph.add("<http://e/mia> <http://e/p> <http://e/kim> .")
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("*")}
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as reader:
        graph = reader.as_of(1) if is_past else reader
        tried = graph.carry_out(parse(text), keep=False).delta
        assert len(tried.appeared()) == 3
        assert len(graph) == 1
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("*")} == files


def test_a_where_with_a_limit_runs_where_it_can_be_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it was fast at this commit, or is surely fast: then it has the same solutions in this process."""
    apart: list[str] = []
    answer = process.answer

    def noted(path: Path, sparql: str, *arguments: Any, **options: Any) -> Any:
        apart.append(sparql)
        return answer(path, sparql, *arguments, **options)

    monkeypatch.setattr(process, "answer", noted)
    first, short = "INSERT DATA { :new a :C }", "INSERT { [] :p ?o } WHERE { :new a ?o }"
    every = "INSERT { ?s :p :all } WHERE { ?s a :C }"
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph:
        update(graph, "INSERT DATA { :a a :C }")
        for request, fast_at, count in (
            (every, None, 1),
            (every, 0, 1),
            (every, 1, 0),
            (f"{first} ; {every}", 1, 1),
            (f"{first} ; {short}", 1, 0),
            (f"{first} ; {every} ; {short} ; {every}", 1, 2),
        ):
            apart.clear()
            known = graph.carry_out(parse(PREFIXES + request), keep=False).delta
            limited = graph.carry_out(parse(PREFIXES + request), keep=False, wheres=WhereLimits(60, fast_at)).delta
            assert limited.counts() == known.counts()
            assert "_:" in str(known.to_json()) or limited.to_json() == known.to_json()
            assert len(apart) == count, request
        assert graph.commit == 1
