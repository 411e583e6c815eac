"""Messages that say what to do: the right method, how a graph is opened, transactions that nobody can end."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import QuerySolution, Variable

from kgreason.errors import GraphBusyError, InputError, InputTypeError, QueryError, RuleError, StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph

EX = {"ex": "http://e/"}


@pytest.fixture
def graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open() as graph:
        yield graph


@pytest.mark.parametrize(
    "text",
    [
        "INSERT DATA { <http://e/a> <http://e/p> 1 }",
        "# a comment\nPREFIX insert: <http://e/> BASE <http://e/> delete where { ?s ?p ?o }",
        "CLEAR ALL",
    ],
)
def test_a_query_that_is_an_update_names_update(graph: KnowledgeGraph, text: str) -> None:
    for ask in (graph.query, graph.select, graph.ask, graph.construct):
        with pytest.raises(QueryError, match=r"^this is a SPARQL Update, not a query: use `update` for it$"):
            ask(text)


@pytest.mark.parametrize("text", ["SELECT * { ?s ?p ?o }", "PREFIX select: <http://e/> ask { ?s select:p ?o }"])
def test_an_update_that_is_a_query_names_query(graph: KnowledgeGraph, text: str) -> None:
    with pytest.raises(QueryError, match=r"^<update>:1:\d+: this is a SPARQL query, not an update: use `query`"):
        graph.update(text)


def test_an_empty_text_is_said_to_be_empty(graph: KnowledgeGraph) -> None:
    with pytest.raises(QueryError, match=r"^the query is empty$"):
        graph.query(" \n")
    with pytest.raises(QueryError, match=r"^<update>: the update is empty$"):
        graph.update("")
    assert not graph.update("# nothing to do").delta


@pytest.mark.parametrize("name", ["query", "select", "ask", "construct", "update"])
def test_a_wrong_type_names_the_method_that_was_called(graph: KnowledgeGraph, name: str) -> None:
    wrong: Any = 5
    with pytest.raises(TypeError, match=rf"^{name}\(\) takes an? .* as text; got 5 \(int\)"):
        getattr(graph, name)(wrong)


def test_an_update_takes_prefixes_and_a_base(graph: KnowledgeGraph) -> None:
    graph.update("INSERT DATA { ex:a ex:p <b> }", prefixes=EX, base="http://e/")
    graph.update("INSERT { ?s ex:q ?o } WHERE { ?s ex:p ?o }", prefixes=EX)
    graph.update("PREFIX ex: <http://f/> DELETE WHERE { ?s ex:p ?o }", prefixes=EX)
    assert {str(triple.predicate) for triple in graph} == {"<http://e/p>", "<http://e/q>"}
    with pytest.raises(QueryError, match="ex:"):
        graph.update("INSERT DATA { ex:a ex:p 1 }")
    with pytest.raises(InputError, match="not a prefix"):
        graph.update("INSERT DATA { ex:a ex:p 1 }", prefixes={"ex:": "http://e/"})


def test_the_constructor_names_open() -> None:
    wrong: list[tuple[Any, ...]] = [(), ("store",)]
    for arguments in wrong:
        with pytest.raises(InputTypeError, match=r"use KnowledgeGraph\.open\(path\)"):
            KnowledgeGraph(*arguments)


def test_a_transaction_that_no_variable_holds_does_not_keep_its_thread_from_writing(graph: KnowledgeGraph) -> None:
    with pytest.warns(ResourceWarning, match="its edits are lost"):
        graph.transaction().add("<http://e/lost> <http://e/p> 1 .")
    gc.collect()
    graph.add(("http://e/a", "http://e/p", 2))
    assert len(graph) == 1
    assert "lost" not in b"".join(graph.dump()).decode()
    written = threading.Thread(target=lambda: graph.add(("http://e/a", "http://e/p", 3), timeout=5))
    written.start()
    written.join()
    assert len(graph) == 2


def test_a_lost_transaction_inside_of_a_turn_gives_the_lock_back(graph: KnowledgeGraph) -> None:
    with graph.turn():
        graph.transaction()
        gc.collect()
        graph.add(("http://e/a", "http://e/p", 1))
        with pytest.raises(GraphBusyError):
            in_thread(lambda: graph.add(("http://e/a", "http://e/p", 2), timeout=0.01))
    in_thread(lambda: graph.add(("http://e/a", "http://e/p", 2), timeout=5))
    assert len(graph) == 2


def test_a_transaction_that_a_variable_holds_says_how_it_is_ended(graph: KnowledgeGraph) -> None:
    kept = graph.transaction()
    with pytest.raises(StoreError, match=r"call `end\(True\)` on it to commit them, or `end\(False\)` to drop them"):
        graph.transaction()
    kept.end(False)
    assert graph.add(("http://e/a", "http://e/p", 2))


WRONG: list[tuple[Callable[[Any], object], type[Exception], str]] = [
    (
        lambda graph: graph.add("pets.ttl"),
        InputError,
        "<text>:1:1: 'pets.ttl' is the name of a file; to load the file, call load('pets.ttl')",
    ),
    (
        lambda graph: graph.add("a/family.dl"),
        InputError,
        "<text>:1:1: 'a/family.dl' is the name of a file; to add its rules, call load_rules('a/family.dl') in a"
        " transaction",
    ),
    (
        lambda graph: graph.add(":C[?x] :- :D[?x] ."),
        InputError,
        "<text>:1:1: this text looks like rules, not like triples; add rules with add_rules(text) in a transaction",
    ),
    (
        lambda graph: graph.add("INSERT DATA { ex:a a ex:C }"),
        InputError,
        "<text>:1:1: this is a SPARQL Update, not Turtle text: use `update` for it",
    ),
    (
        lambda graph: graph.add("ex:a a ex:C"),
        InputError,
        "<text>:1:1: the prefix ex: is not declared; begin the text with @prefix ex: <http://example.org/> . or pass"
        " prefixes={'ex': 'http://example.org/'}",
    ),
    (
        lambda graph: graph.add("ex:a a ex:C", prefixes=EX),
        InputError,
        "<text>:1:12: the text ends inside its last triple: a full stop (.) is missing at the end",
    ),
    (
        lambda graph: graph.add("ex:a a ex:C ex:b a ex:C .", prefixes=EX),
        InputError,
        "<text>:1:13: a full stop (.) is missing before this: each triple ends with one",
    ),
    (
        lambda graph: graph.add("ex:a is ex:C .", prefixes=EX),
        InputError,
        "<text>:1:6: 'is' is not a term: write an IRI as <http://example.org/is>, a name as ex:is",
    ),
    (
        lambda graph: graph.load("family.dl"),
        InputError,
        "family.dl: is a file of rules, not of RDF; add its rules with load_rules in a transaction",
    ),
    (
        lambda graph: graph.load("http://e/data.ttl"),
        InputError,
        "http://e/data.ttl: is a web address; kgreason loads files, so download it first",
    ),
    (
        lambda graph: graph.load("<http://e/a> a <http://e/C> ."),
        InputError,
        "<http:/e/a> a <http:/e/C> .: this looks like Turtle text, not like the name of a file; add text with"
        " add(text)",
    ),
    (
        lambda graph: graph.explain("ex:a", "a", "ex:C", "ex:g"),
        InputTypeError,
        "explain() takes one triple: pass its terms as one tuple, explain(('ex:a', 'a', 'ex:C')). A triple has no graph"
        " name.",
    ),
    (
        lambda graph: graph.explain("<http://e/a> a <http://e/C> <http://e/g>"),
        InputError,
        "<http://e/a> a <http://e/C> <http://e/g>: four terms; leave out the name of the graph: a triple has three"
        " terms",
    ),
    (
        lambda graph: graph.explain("ex:a a ex:C", prefixes=EX),
        QueryError,
        "ex:a a ex:C: the graph does not have this triple",
    ),
    (
        lambda graph: graph.transaction(headers=5),
        InputTypeError,
        "headers has to be a mapping of names to texts, like {'stream': 'orders'}; got 5 (int)",
    ),
    (
        lambda graph: type(graph).open(rules=5),
        InputTypeError,
        "rules has to be a rule set such as 'owl2rl', the path of a rule file, or a list of them; got 5 (int)",
    ),
    (
        lambda graph: type(graph).open(catalogue=5),
        InputTypeError,
        "catalogue has to be a Catalogue, the path of a folder, an XML catalog or a map, or a dict of files by IRI; got"
        " 5 (int)",
    ),
    (
        lambda graph: type(graph).open(aliases="5"),
        InputTypeError,
        "aliases '5': it must be a whole number, at least 0",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG)
def test_a_message_says_what_to_write(graph: KnowledgeGraph, call: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        call(graph)
    assert str(caught.value) == message


def test_a_transaction_names_the_method_of_the_graph(graph: KnowledgeGraph) -> None:
    with graph.transaction() as tx:
        names: Any = tx
        with pytest.raises(AttributeError, match=r"call graph\.update\(\.\.\.\) outside of the transaction$"):
            names.update("CLEAR ALL")
        with pytest.raises(
            AttributeError,
            match=r"; graph\.query\(\.\.\.\) shows the last commit, without",
        ):
            names.query("ASK {}")
        with pytest.raises(AttributeError, match=r"^a transaction has no attribute 'nothing'$"):
            _ = names.nothing


def test_a_result_says_what_it_changed(graph: KnowledgeGraph, tmp_path: Path) -> None:
    path = tmp_path / "pets.ttl"
    path.write_text("<http://e/tom> a <http://e/Cat> .")
    loaded = graph.load(path)
    assert repr(loaded).startswith("<Loaded: Delta of commit 1: 1 (1 asserted) appeared, 0 disappeared, 0 turned; ")
    assert "triples in the graph now: 1 (1 asserted)" in repr(loaded)
    assert len(loaded.delta) == loaded["facts"] == 1
    assert repr(graph.add(("http://e/tom", "a", "http://e/Cat"))) == "<Delta: nothing has changed>"
    with graph.transaction() as tx:
        tx.add_rules("p(?x) :- q(?x) .")
    assert repr(tx.delta) == "<Delta of commit 2: no triple>"
    named = graph.add(("http://e/tom", "a", "http://e/Cat", "http://e/g"))
    assert repr(named).endswith("0 turned; quads of named graphs that came or went: 1>")
    updated = graph.update("DELETE DATA { <http://e/a> a <http://e/b> }")
    assert repr(updated) == "<Updated: Delta: nothing has changed; rows to delete that were not asserted: 1>"
    graph.add(
        "<http://e/c> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/d> ."
        " <http://e/x> a <http://e/c>, <http://e/d> ."
    )
    updated = graph.update("DELETE DATA { <http://e/x> a <http://e/d> }")
    assert repr(updated).endswith("; rows to delete that stay because rules derive them: 1>")


def in_thread(work: Any) -> None:
    """Do some work in another thread; what it raises is raised here."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


SYMMETRIC = "[?x, <http://e/knows>, ?y] :- [?y, <http://e/knows>, ?x] ."


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The path of a new store, and a rule file."""
    file = tmp_path / "own.dl"
    file.write_text(SYMMETRIC)
    return tmp_path / "store", file


@pytest.mark.parametrize("read_only", [True, False])
def test_other_rules_for_a_store_say_how_rule_files_are_added(files: tuple[Path, Path], read_only: bool) -> None:
    store, file = files
    with KnowledgeGraph.open(store, rules="rdfs") as graph:
        graph.add(("http://e/a", "http://e/knows", "http://e/b"))
        graph._committer().checkpoint()
    made = f"{store}: the store was made with rules rdfs, and opening it does not change its rules"
    made += "; leave rules= out"
    with pytest.raises(StoreError) as caught:
        KnowledgeGraph.open(store, rules="owl2rl", read_only=read_only)
    assert str(caught.value) == made
    with pytest.raises(StoreError) as caught:
        KnowledgeGraph.open(store, rules=["rdfs", file], read_only=read_only)
    added = f"; to add the rules of {file}, call tx.load_rules({str(file)!r}) in a transaction tx"
    assert str(caught.value) == made + added


@pytest.mark.parametrize("is_whole", [True, False])
def test_rules_of_a_file_that_were_removed_are_not_taken_for_there(files: tuple[Path, Path], is_whole: bool) -> None:
    store, file = files
    with KnowledgeGraph.open(store, rules=["rdfs", file]) as graph:
        graph.add(("http://e/a", "http://e/knows", "http://e/b"))
        if is_whole:
            graph._committer().checkpoint()
    KnowledgeGraph.open(store, rules=["rdfs", file]).close()
    with KnowledgeGraph.open(store) as graph, graph.transaction() as tx:
        tx.remove_rules(file=file)
    for read_only in (True, False):
        with pytest.raises(
            StoreError,
            match=r"the rules of .*own\.dl were removed from the store; leave rules= out; to",
        ):
            KnowledgeGraph.open(store, rules=["rdfs", file], read_only=read_only)
    with KnowledgeGraph.open(store) as graph, graph.transaction() as tx:
        tx.add_rules(SYMMETRIC)
    KnowledgeGraph.open(store, rules=["rdfs", file]).close()


def test_a_file_of_rules_to_remove_is_named_as_one(graph: KnowledgeGraph) -> None:
    with graph.transaction() as tx, pytest.raises(RuleError) as caught:
        tx.remove_rules("own.dl")
    assert str(caught.value) == "'own.dl' is the name of a file; to remove its rules, call remove_rules(file='own.dl')"


def test_only_a_rule_set_of_the_graph_is_named(graph: KnowledgeGraph) -> None:
    with graph.transaction() as tx, pytest.raises(RuleError, match="it is a rule of the rule set owl2rl"):
        tx.remove_rules("prp-trp")
    with KnowledgeGraph.open(rules="rdfs") as other, other.transaction() as tx:
        with pytest.raises(RuleError, match=r"^prp-trp: no rule of this name was added$"):
            tx.remove_rules("prp-trp")
        with pytest.raises(RuleError, match="it is a rule of the rule set rdfs"):
            tx.remove_rules("rdfs2")


def test_a_column_that_a_solution_does_not_have_is_an_error(graph: KnowledgeGraph) -> None:
    graph.add(("http://e/a", "http://e/p", 1))
    [row] = graph.select("SELECT ?s ?none { ?s ?p 1 }")
    wrong: Any = row
    assert isinstance(row, QuerySolution)
    assert (row["s"], row[Variable("s")], row["none"], row[1]) == (row[0], row[0], None, None)
    assert len(row) == len(list(row)) == 2
    for key, kind in (("x", KeyError), (Variable("x"), KeyError), (2, IndexError), (-1, IndexError)):
        with pytest.raises(kind, match=r"there is no column .*; the columns are 0 s, 1 none"):
            _ = wrong[key]


def test_asserted_is_a_boolean(graph: KnowledgeGraph) -> None:
    delta: Any = graph.add(("http://e/a", "http://e/p", 1))
    wrong: Any = "yes"
    for ask in (delta.appeared, delta.disappeared, delta.turned, graph.dump):
        with pytest.raises(InputTypeError, match=r"^asserted has to be True, False or None; got 'yes' \(str\)$"):
            ask(asserted=wrong)


def test_the_prefixes_of_a_proof_are_a_mapping(graph: KnowledgeGraph) -> None:
    graph.add(("http://e/a", "http://e/p", 1))
    proof: Any = graph.explain(("http://e/a", "http://e/p", 1))
    for show in (proof.to_text, proof.to_mermaid):
        with pytest.raises(InputTypeError, match="prefixes have to be a mapping"):
            show("x")


def test_damaged_rules_of_a_store_are_no_mistake_of_the_user(files: tuple[Path, Path]) -> None:
    store, _ = files
    with KnowledgeGraph.open(store) as graph:
        with graph.transaction() as tx:
            tx.add_rules(SYMMETRIC)
        graph._committer().checkpoint()
    [saved] = store.glob("snapshot-*/own.dl")
    saved.write_text("[?x, a")
    with KnowledgeGraph.open(store, read_only=True) as graph, pytest.raises(StoreError, match="the store is damaged"):
        graph.own_rules()
