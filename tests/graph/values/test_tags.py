"""Language tags keep the letters in which they were written, in a graph and in all that edits and asks it."""

from __future__ import annotations

import shutil
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from pyoxigraph import Literal

from kgreason import KnowledgeGraph
from kgreason.errors import QueryError
from kgreason.graph.standing.standing_query import RowChange
from kgreason.store.spellings import Spellings
from kgreason.terms.dictionary import Dictionary
from tests.volume import many_seeds

_S, _P, _Q = "<http://e/s>", "<http://e/p>", "<http://e/q>"


def _lines(graph: KnowledgeGraph, asserted: bool | None = True) -> set[str]:
    return set(b"".join(graph.dump(asserted=asserted)).decode().splitlines())


def _objects(graph: KnowledgeGraph, subject: str = _S, predicate: str | None = _P) -> list[str]:
    return sorted(str(quad.object) for quad in graph.match(subject, predicate))


def test_a_tag_stays_through_edits_the_journal_and_a_backup(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "s", rules=["none"]) as graph:
        delta = graph.add(f'{_S} {_P} "colour"@en-GB, "b"@en-us, "x"@ar-EG--rtl .', (_S, _P, '"a"@EN'))
        assert (_S, _P, '"colour"@en-GB') in delta.appeared()
        graph.update(f'INSERT DATA {{ {_S} {_P} "d"@DE }}')
        wanted = ['"a"@EN', '"b"@en-us', '"colour"@en-GB', '"d"@DE', '"x"@ar-EG--rtl']
        assert _objects(graph) == wanted
    with KnowledgeGraph.open(tmp_path / "s") as graph:
        assert _objects(graph) == wanted
        (tmp_path / "dump.nq").write_bytes(b"".join(graph.dump(asserted=True, graphs=True)))
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.load(tmp_path / "dump.nq")
        assert _objects(graph) == wanted


def test_match_compares_tags_as_it_compares_numbers() -> None:
    number, normal = (f'"{text}"^^<http://www.w3.org/2001/XMLSchema#integer>' for text in ("01", "1"))
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(f'{_S} {_P} "colour"@en-GB, {number} .')
        assert [str(quad.object) for quad in graph.match(_S, _P, '"colour"@en-GB')] == ['"colour"@en-GB']
        assert not list(graph.match(_S, _P, '"colour"@en-gb'))
        assert not list(graph.match(_S, _P, normal))
        for spelled in ('"colour"@en-gb', '"colour"@en-GB', number, normal):
            assert (_S, _P, spelled) in graph
        (quad,) = graph.match(_S, _P, '"colour"@en-GB', asserted=True)
        assert isinstance(quad.object, Literal)
        assert quad.object.language == "en-GB"
        graph.remove(quad)
        assert _objects(graph) == [number]


def test_a_row_stays_until_its_last_spelling_goes() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(f'{_S} {_P} "x"@EN, "x"@en, "x"@En .')
        for tag in ("en", "EN"):
            graph.remove((_S, _P, f'"x"@{tag}'))
            assert graph.ask(f'ASK {{ {_S} {_P} "x"@EN }}')
        assert _objects(graph) == ['"x"@En']
        graph.remove((_S, _P, '"x"@En'))
        assert not graph.ask(f'ASK {{ {_S} {_P} "x"@EN }}')


def test_updates_meet_a_tag_in_any_case_and_move_it_as_it_is() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(f'{_S} {_P} "x"@en-GB, "y"@FR .')
        graph.update(f'INSERT {{ ?s {_Q} ?o, "z"@DE, ?v }} WHERE {{ ?s {_P} ?o BIND("v"@zh-Hant AS ?v) }}')
        assert _objects(graph, predicate=_Q) == ['"v"@zh-Hant', '"x"@en-GB', '"y"@FR', '"z"@DE']
        graph.update(f'DELETE DATA {{ {_S} {_Q} "x"@en-gb, "z"@de }}')
        assert _objects(graph, predicate=_Q) == ['"v"@zh-Hant', '"y"@FR']
        graph.update(f'DELETE {{ ?s ?p "y"@fr }} INSERT {{ ?s {_Q} "w"@Fr }} WHERE {{ ?s ?p "y"@fR }}')
        assert _lines(graph) == {f'{_S} {_Q} "v"@zh-Hant .', f'{_S} {_Q} "w"@Fr .', f'{_S} {_P} "x"@en-GB .'}


@pytest.mark.parametrize(
    "test",
    [
        'LANG(?o) = "en-GB"',
        'lang(?o)="EN-gb"',
        '"en-GB" = LANG(?o)',
        'LANG(?o) IN ("de", "en-GB")',
        '(LANG(?o)) = "en-GB"',
        'STR(LANG(?o)) = "en-GB" # LANG',
        '! (LANG(?o) != "en-GB")',
        'LANG(?o) NOT IN ("en", "FR", "")',
        'langMatches(LANG(?o), "EN-GB")',
        'LCASE("EN-GB") = LANG(?o)',
        'LANG(?o) = "en-GB"^^<http://www.w3.org/2001/XMLSchema#string>',
        '"en-GB" ^^ <http://www.w3.org/2001/XMLSchema#string> = LANG(?o)',
        'LANG(?o) IN ("de"^^<http://www.w3.org/2001/XMLSchema#string>, "EN-gb")',
    ],
)
def test_lang_is_compared_without_case(test: str) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(f'{_S} {_P} "x"@en-GB, "y"@FR, "z"@en, "plain" .')
        found = [str(row["o"].value) for row in graph.select(f"SELECT ?o {{ ?s {_P} ?o FILTER({test}\n) }}")]
        assert found == ["x"]
        told = list[RowChange]()
        standing = graph.standing(f"SELECT ?o {{ ?s {_P} ?o FILTER({test}\n) }}", told.append)
        graph.add(("<http://e/t>", _P, '"new"@EN-GB'))
        assert len(standing.rows) == 2
        standing.close()
        graph.remove(("<http://e/t>", _P, '"new"@EN-GB'))
        graph.update(f"INSERT {{ ?s {_Q} ?o }} WHERE {{ ?s {_P} ?o FILTER({test}\n) }}")
        assert _objects(graph, predicate=_Q) == ['"x"@en-GB']


def test_lang_in_a_rule_is_compared_as_in_a_query() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(f'{_S} {_P} "x"@en-GB, "y"@FR .')
        with graph.transaction() as tx:
            tx.add_rules(f'[?s, {_Q}, ?o] :- [?s, {_P}, ?o], FILTER(LANG(?o) = "en-GB") .')
            tx.add_rules(f"[?s, <http://e/l>, ?l] :- [?s, {_P}, ?o], BIND(LANG(?o) AS ?l) .")
            tx.add_rules(f'[?s, <http://e/c>, "C"@De-at] :- [?s, {_P}, "y"@FR] .')
        assert _objects(graph, predicate=_Q) == ['"x"@en-GB']
        assert _objects(graph, predicate="<http://e/l>") == ['"en-gb"', '"fr"']
        assert _objects(graph, predicate="<http://e/c>") == ['"C"@De-at']
        proof = graph.explain((_S, _Q, '"x"@en-GB'))
        assert '"x"@en-GB' in str(proof)


def test_tags_in_any_case_are_one_value() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(f"{_P} a <http://www.w3.org/2002/07/owl#FunctionalProperty> .")
        graph.add(f'{_S} {_P} "x"@en-GB, "x"@en-gb . <http://e/t> <http://e/r> "x"@EN-GB .')
        assert not graph.contradictions()
        assert _objects(graph) == ['"x"@en-GB', '"x"@en-gb']
        graph.add(f"<http://e/r> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> {_P} .")
        assert _objects(graph, "<http://e/t>") == ['"x"@EN-GB']
        graph.remove((_S, _P, '"x"@en-GB'), (_S, _P, '"x"@en-gb'))
        assert _objects(graph, "<http://e/t>") == ['"x"@EN-GB']


def test_a_spelling_forgets_tags_with_their_terms() -> None:
    dictionary = Dictionary()
    spellings, before = Spellings(dictionary), len(dictionary)
    ids = dictionary.intern(['"x"@en', '"x"@EN', '<<( <e:a> <e:b> "x"@EN )>>']).tolist()
    assert spellings.of_forms(['"x"@en', '<<( <e:a> <e:b> "x"@en )>>']) == [ids[:2], ids[2:]]
    assert spellings.of_term(ids[0]) == ids[:2]
    assert spellings.have_other_spellings(['"x"@en', '"y"@en']) == [True, False]
    dictionary.truncate(before + 1)
    assert spellings.of_forms(['"x"@en']) == [ids[:1]]
    assert spellings.have_other_spellings(['"x"@en']) == [False]


def test_random_edits_keep_the_texts_of_literals() -> None:
    for seed in many_seeds(0, 6):
        random, wanted = Random(seed), set[str]()
        with KnowledgeGraph.open(rules=["none"]) as graph:
            for _ in range(8):
                tags = [random.choice(["en-gb", "en-GB", "EN-GB", "fr"]) for _ in range(3)]
                texts = [f'"{random.choice("xy")}"@{tag}' for tag in tags]
                way = random.randrange(5)
                if way == 0:
                    graph.add(*[(_S, _P, text) for text in texts])
                    wanted.update(texts)
                elif way == 1:
                    graph.remove(*[(_S, _P, text) for text in texts])
                    wanted.difference_update(texts)
                elif way == 2:
                    graph.update(f"INSERT DATA {{ {_S} {_P} {', '.join(texts)} }}")
                    wanted.update(texts)
                elif way == 3:
                    graph.update(f"DELETE DATA {{ {_S} {_P} {texts[0]} }}")
                    wanted = {text for text in wanted if text.lower() != texts[0].lower()}
                else:
                    with graph.what_if() as tx:
                        tx.add(
                            *[(_S, _P, f'"{uuid.uuid4()}"@{tag}') for tag in tags],
                            (_S, _P, texts[0].upper()[:4] + "EN"),
                        )
                assert _objects(graph) == sorted(wanted), seed
                for text in ("x", "y"):
                    is_there = any(text in each[:3] for each in wanted if "en" in each.lower())
                    assert graph.ask(f'ASK {{ {_S} {_P} "{text}"@en-gb }}') == is_there, seed


def test_relations_and_python_functions_get_tags_as_they_are_written() -> None:
    def same(term: Literal) -> Literal:
        return term

    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.function(same)
        graph.add((_S, _P, '"x"@en-GB'))
        with graph.transaction() as tx:
            tx.add_rules(f"told(?y) :- [?s, {_P}, ?x], BIND(same(?x) AS ?y) .")
        graph.relation("told", 1).insert([('"y"@DE',)])
        assert sorted(str(term) for (term,) in graph.relation("told")) == ['"x"@en-GB', '"y"@DE']
        assert ('"x"@en-GB',) in graph.relation("told")


def test_an_error_of_an_update_is_where_it_was_written() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        for tag in ("en-gb", "EN-GB"):
            with pytest.raises(QueryError, match=":1:42: A subtag may be eight characters"):
                graph.update(f'INSERT DATA {{ <e:a> <e:b> "x"@{tag}, "y"@toolonglang1 }}')


def test_literals_with_small_tags_are_matched_without_the_engine_and_its_lock(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "s", rules=["none"]) as graph:
        graph.add((_S, _P, '"x"@en'), (_S, _P, '"y"@en-gb'))
        graph.add((_S, _P, '"z"@fr'))  # in the journal, not in the snapshot
        with graph.what_if() as tx:
            tx.add((_S, _P, '"w"@en'))
        assert _matched_while_held(graph) == ['"x"@en', '"y"@en-gb', '"z"@fr']
    for is_read_only in (True, False):
        with KnowledgeGraph.open(tmp_path / "s", read_only=is_read_only) as graph:
            assert _matched_while_held(graph) == ['"x"@en', '"y"@en-gb', '"z"@fr']
            assert not graph._state.is_running


def _matched_while_held(graph: KnowledgeGraph) -> list[str]:
    """What another thread matches while this thread has the graph."""
    with ThreadPoolExecutor(1) as worker, graph.turn():
        return worker.submit(_objects, graph).result(timeout=20)


@pytest.mark.parametrize("ending", ["another commit", "the commit alone", "a kill"])
def test_the_first_tag_with_a_capital_letter_is_seen_at_once(tmp_path: Path, ending: str) -> None:
    """By the same graph, by a reader beside it, and after it was opened again."""
    with KnowledgeGraph.open(tmp_path / "s", rules=["none"]) as graph:
        graph.add((_S, _P, '"x"@en'))
    with KnowledgeGraph.open(tmp_path / "s") as graph:
        early = KnowledgeGraph.open(tmp_path / "s", read_only=True)
        rows = graph.match(_S, _P)  # of this moment
        graph.add((_S, _P, '"y"@EN'))
        graph.remove((_S, _P, '"y"@EN'))
        graph.add((_S, _P, '"x"@EN'))
        assert _objects(graph) == ['"x"@EN', '"x"@en']
        assert _objects(early) == ['"x"@EN', '"x"@en']
        assert {str(quad.object) for quad in rows} >= {'"x"@en'}
        early.close()
        if ending == "another commit":
            graph.add((_S, _P, '"z"@en'))
            graph.remove((_S, _P, '"z"@en'))
        if ending == "a kill":
            shutil.copytree(tmp_path / "s", tmp_path / "killed")
    for is_read_only in (True, False):
        path = tmp_path / ("killed" if ending == "a kill" else "s")
        with KnowledgeGraph.open(path, read_only=is_read_only) as graph:
            assert _objects(graph) == ['"x"@EN', '"x"@en']
