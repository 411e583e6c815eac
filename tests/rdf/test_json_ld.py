"""JSON-LD finds its contexts in files, never on the network; type maps are read; JSON literals are left alone."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import RdfFormat, parse, serialize

from kgreason import KnowledgeGraph, entails
from kgreason.errors import InputError, RdfSyntaxError
from kgreason.rdf.catalogue import Catalogue
from kgreason.rdf.json_ld import contexts, document, nesting
from kgreason.rdf.json_ld.type_maps import HAS_TYPE_MAP
from kgreason.rdf.reader import read, read_stream
from kgreason.terms.dictionary import Dictionary
from tests.cli.calling import error_of, succeed
from tests.rdf.reading import isomorphic

NAME = {"name": "http://e/name"}
X = '<http://e/s> <http://e/name> "x" .\n'


def _write(folder: Path, **documents: Any) -> None:
    for name, content in documents.items():
        (folder / f"{name}.jsonld").write_text(content if isinstance(content, str) else json.dumps(content, indent=1))


def _lines(folder: Path, name: str = "a", **how: Any) -> str:
    dictionary = Dictionary()
    batches = read(folder / f"{name}.jsonld", dictionary, base="http://b/d/a", **how)
    return b"".join(dictionary.lines(*batch) for batch in batches).decode()


def _doc(context: Any, **more: Any) -> dict[str, Any]:
    return {"@context": context, "@id": "http://e/s", "name": "x"} | more


SAME: dict[str, tuple[Any, dict[str, Any]]] = {
    "a file beside": ("c.jsonld", {"c": {"@context": NAME}}),
    "a list": ([{"name": "http://e/other"}, "c.jsonld"], {"c": {"@context": [None, NAME]}}),
    "nested": ("c.jsonld", {"c": {"@context": ["d.jsonld", {"z": "http://e/z"}]}, "d": {"@context": NAME}}),
    "@import": (
        {"@import": "c.jsonld", "name": "http://e/name"},
        {"c": {"@context": {"name": "http://e/other", "@vocab": "http://e/"}}},
    ),
    "an imported one imports": (
        {"@import": "c.jsonld"},
        {"c": {"@context": "d.jsonld"}, "d": {"@context": NAME}},
    ),
    "@base of it does not count": ("c.jsonld", {"c": {"@context": {"@base": "http://no/", **NAME}}}),
    "@propagate": ({"@import": "c.jsonld", "@propagate": True}, {"c": {"@context": NAME}}),
}


@pytest.mark.parametrize("case", SAME)
def test_a_named_context_is_read_as_if_it_were_in_the_document(tmp_path: Path, case: str) -> None:
    context, files = SAME[case]
    _write(tmp_path, a=_doc(context), **files)
    assert _lines(tmp_path) == X


def test_contexts_of_terms_and_of_inner_nodes(tmp_path: Path) -> None:
    inner = {"knows": {"@id": "http://e/knows", "@context": "c.jsonld"}}
    node = {"@context": inner, "@id": "http://e/s", "knows": {"@id": "http://e/t", "name": "x"}}
    _write(tmp_path, c={"@context": NAME}, a=node)
    assert '<http://e/t> <http://e/name> "x"' in _lines(tmp_path)
    _write(tmp_path, a={"@graph": [_doc("c.jsonld"), _doc("c.jsonld", name="y")]})
    assert _lines(tmp_path) == X + X.replace('"x"', '"y"')


def test_the_catalogue_names_contexts_by_their_iris(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    _write(home, c={"@context": "more.jsonld"}, more={"@context": NAME})
    _write(tmp_path, a=_doc("https://schema.org/"), b=_doc("rel.jsonld"))
    for iri, name in (("https://schema.org/", "a"), ("http://b/d/rel.jsonld", "b")):
        find = Catalogue.of({iri: home / "c.jsonld"}).find
        assert _lines(tmp_path, name, find=find) == X  # more.jsonld lies beside the file that the catalogue names
    find = Catalogue.of({"http://c/": home / "c.jsonld", "http://c/more.jsonld": home / "more.jsonld"}).find
    _write(tmp_path, a=_doc("http://c/"))
    assert _lines(tmp_path, find=find, beside=False) == X


WRONG = {
    "unknown": ("http://e/c", "<http://e/c> is neither in a catalogue nor in the folder"),
    "above": ("../up.jsonld", "neither in a catalogue"),
    "absolute": ("file:///etc/passwd", "neither in a catalogue"),
    "a loop": ("loop.jsonld", "loop.jsonld> names itself: http://b/d/loop.jsonld -> .*other.jsonld"),
    "no context": ("none.jsonld", "none.jsonld: is no JSON-LD context"),
    "no JSON": ("bad.jsonld", "bad.jsonld:2:1: "),
    "@import of a list": ({"@import": "list.jsonld"}, "list.jsonld: @import needs a context that is one JSON object"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_context_that_cannot_be_used_is_an_error_with_the_line(tmp_path: Path, case: str) -> None:
    context, problem = WRONG[case]
    home = tmp_path / "home"
    home.mkdir()
    _write(tmp_path, up={"@context": NAME})
    loop = {"loop": {"@context": [NAME, "other.jsonld"]}, "other": {"@context": {"t": {"@context": "loop.jsonld"}}}}
    _write(home, none=[], bad='{"@context":\n', list={"@context": [NAME, NAME]}, **loop)
    _write(home, a=f'{{\n"@id": "http://e/s",\n"@context": {json.dumps(context)}}}')
    with pytest.raises(RdfSyntaxError, match=rf"a\.jsonld:3: .*{problem}"):
        _lines(home)


def test_a_context_of_contexts_must_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "LONGEST", 10_000)
    links = {f"c{n}": {"@context": [f"c{n + 1}.jsonld"] * 10} for n in range(9)}
    _write(tmp_path, a=_doc("c0.jsonld"), c9={"@context": NAME}, **links)
    with pytest.raises(RdfSyntaxError, match="has more than 10,000 bytes"):
        _lines(tmp_path)


def test_contexts_must_not_make_a_document_far_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "LONGEST", 10_000)
    long = NAME | {f"name{n}": f"http://e/name{n}" for n in range(100)}
    _write(tmp_path, c={"@context": long}, a=_doc("c.jsonld"), b=_doc(["c.jsonld"] * 100))
    _write(tmp_path, d=json.dumps([_doc("c.jsonld")] * 100, indent=1))
    assert _lines(tmp_path) == X
    for name, line in (("b", 2), ("d", r"\d+")):
        with pytest.raises(
            RdfSyntaxError, match=rf"{name}\.jsonld:{line}: the contexts .* have more than [\d,]+ bytes"
        ):
            _lines(tmp_path, name)


@pytest.mark.parametrize("small", [document.SMALL, 7])
def test_blank_lines_after_the_key_of_a_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    class Key:
        searched = 0

        @staticmethod
        def search(text: bytes, key: re.Pattern[bytes] = document._KEY) -> re.Match[bytes] | None:
            Key.searched += len(text)
            return key.search(text)

    monkeypatch.setattr(document, "SMALL", small)
    monkeypatch.setattr(document, "_KEY", Key)
    blank = "\n" * 1_000
    _write(tmp_path, c={"@context": NAME})
    _write(tmp_path, a='{"@context"' + blank + ":" + blank + '"c.jsonld", "@id": "http://e/s", "name": "x"}')
    assert _lines(tmp_path) == X
    for end, line in ((": 1}", 1_001), (": [}", 1_001), ("", "[0-9]+")):
        _write(tmp_path, a='{"@context"' + blank + end)
        with pytest.raises(RdfSyntaxError, match=rf"a\.jsonld:{line}:"):
            _lines(tmp_path)
    assert Key.searched < 50_000  # not once from each blank line


def test_deep_json_is_an_error(tmp_path: Path) -> None:
    deep = 100_000
    for text in ('{"@context": ' + "[" * deep, '{"@context": "c.jsonld"}'):
        _write(tmp_path, a=text, c='{"@context": ' + "[" * deep + "]" * deep + "}")
        with pytest.raises(InputError):
            _lines(tmp_path)


@pytest.mark.parametrize("piece", [1, 7, nesting.PIECE])
def test_brackets_outside_strings_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(nesting, "PIECE", piece)
    monkeypatch.setattr(nesting, "DEEPEST", 4)
    shallow = _doc("c.jsonld", name=["[[[[[", '"{{{{{\\', '\\"[[[[['])
    _write(tmp_path, c={"@context": NAME}, a=shallow, b={"@graph": [shallow, {"http://e/p": [{"http://e/p": 1}]}]})
    assert _lines(tmp_path).count("\n") == 3
    line = 1 + (tmp_path / "b.jsonld").read_text().splitlines().index('   "http://e/p": [')
    with pytest.raises(RdfSyntaxError, match=rf"b\.jsonld:{line + 1}: brackets are nested deeper than 4"):
        _lines(tmp_path, "b")


def test_allowed_depths_are_read_with_a_small_stack() -> None:
    """The server's threads have no smaller stack than that of its check (server/queries/nesting.py)."""
    depth = nesting.DEEPEST // 2
    text = b'[{"http://e/p":' * depth + b"1" + b"}]" * depth
    found: list[int] = []
    before = threading.stack_size(1 << 20)
    try:
        thread = threading.Thread(target=lambda: found.append(len(list(parse(text, RdfFormat.JSON_LD)))))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert found == [depth]


def test_a_document_that_was_sent_reads_no_file(tmp_path: Path) -> None:
    _write(tmp_path, c={"@context": NAME}, a=_doc((tmp_path / "c.jsonld").as_uri()), b=_doc("c.jsonld"))
    for name in "ab":
        with pytest.raises(RdfSyntaxError, match="neither in a catalogue"):
            _lines(tmp_path, name, beside=False)
        with (tmp_path / f"{name}.jsonld").open("rb") as stream, pytest.raises(RdfSyntaxError, match="neither in"):
            list(read_stream(stream, Dictionary(), syntax="jsonld", source="s", base=f"{tmp_path.as_uri()}/x"))


def test_a_document_that_was_sent_learns_no_path(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    rule = '<rewriteURI uriStartString="http://e/" rewritePrefix="lib/"/>'
    xml = f'<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">{rule}</catalog>'
    (tmp_path / "catalog-v001.xml").write_text(xml)
    _write(tmp_path, c={"@context": NAME})
    _write(tmp_path / "lib", bad="{", c={"@context": NAME})
    find = Catalogue.open(tmp_path / "catalog-v001.xml").find
    _write(tmp_path, a=_doc("http://e/c.jsonld"))
    assert _lines(tmp_path, find=find, beside=False) == X
    problems = {
        "../c.jsonld": "is neither in a catalogue",
        "gone.jsonld": "No such file",
        "bad.jsonld": "Expecting property",
        "": "is no file",
    }
    for name, problem in problems.items():
        _write(tmp_path, a={"@context": f"http://e/{name.replace('..', '%2e%2e')}"})
        with pytest.raises(RdfSyntaxError, match=problem) as caught:
            _lines(tmp_path, find=find, beside=False)
        assert str(tmp_path / "lib") not in str(caught.value)


def test_graphs_and_commands_use_their_catalogue(tmp_path: Path) -> None:
    _write(tmp_path, c={"@context": NAME}, a=_doc("https://schema.org/"))
    (tmp_path / "map.json").write_text('{"https://schema.org/": "c.jsonld"}')
    with KnowledgeGraph.open(rules="none", catalogue=tmp_path / "map.json") as graph:
        graph.load(tmp_path / "a.jsonld")
        assert b"".join(graph.dump()).decode() == X
        graph.update(f"CLEAR ALL ; LOAD <{(tmp_path / 'a.jsonld').as_uri()}>")
        assert b"".join(graph.dump()).decode() == X
        graph.unload(tmp_path / "a.jsonld")
        assert len(graph) == 0
    assert entails(tmp_path / "a.jsonld", tmp_path / "a.jsonld", rules="none", catalogue=tmp_path / "map.json")
    command = ("materialize", tmp_path / "a.jsonld", "--rules", "none", "-o", "-")
    assert succeed(*command, "--catalogue", tmp_path / "map.json") == X
    assert "a.jsonld:2: the context <https://schema.org/> is neither" in error_of(*command)


MAPS = {
    '{"http://e/T": {"@id": "http://e/x"}}': "<http://e/s> <http://e/p> <http://e/x> . <http://e/x> a <http://e/T> .",
    '{"http://e/T": [{"http://e/q": 1, "@id": "http://e/x"}, {"@type": "http://e/U", "http://e/q": 2}]}': (
        "<http://e/s> <http://e/p> <http://e/x>, _:b . <http://e/x> a <http://e/T> ; <http://e/q> 1 ."
        "_:b a <http://e/T>, <http://e/U> ; <http://e/q> 2 ."
    ),
    '{"none": {"id": "http://e/x"}, "http://e/T": "http://e/y"}': (
        "<http://e/s> <http://e/p> <http://e/x>, <http://e/y> . <http://e/y> a <http://e/T> ."
    ),
    '{"http://e/T": {"id": "http://e/x", "type": ["http://e/U"], "p": {"http://e/V": {"id": "http://e/z"}}}}': (
        "<http://e/s> <http://e/p> <http://e/x> . <http://e/x> a <http://e/T>, <http://e/U> ;"
        "<http://e/p> <http://e/z> . <http://e/z> a <http://e/V> ."
    ),
}


@pytest.mark.parametrize("container", ['"@type"', '["@type"]', '["@type", "@set"]', '["@set", "@type"]'])
@pytest.mark.parametrize("value", MAPS)
def test_type_maps(tmp_path: Path, container: str, value: str) -> None:
    terms = f'"id": "@id", "type": "@type", "none": "@none", "p": {{"@id": "http://e/p", "@container": {container}}}'
    _write(
        tmp_path, c=f'{{"@context": {{{terms}}}}}', a=f'{{"@context": "c.jsonld", "@id": "http://e/s", "p": {value}}}'
    )
    expected = serialize(parse(MAPS[value], RdfFormat.TURTLE), format=RdfFormat.N_QUADS)
    assert isomorphic(_lines(tmp_path).encode(), expected or b"")


def test_numbers_beside_type_maps_are_not_changed(tmp_path: Path) -> None:
    numbers = '"http://e/v": [1E400, -1e400, 1e5, 1.0, 0.10, 100000000000000000000000, 12345678901234567890.5]'
    context = '"@context": {"@version": 1.1, "p": {"@id": "http://e/p", "@container": "@type"}}'
    _write(tmp_path, a=f'{{{context}, "@id": "http://e/s", {numbers}}}', b=f'{{"@id": "http://e/s", {numbers}}}')
    assert _lines(tmp_path, "a") == _lines(tmp_path, "b")


@pytest.mark.parametrize("value", ["1", "true", "[[]]", "NaN", '{"@id": [1]}'])
def test_a_type_map_without_a_node_is_an_error_without_a_place(tmp_path: Path, value: str) -> None:
    context = '"@context": {"p": {"@id": "http://e/p", "@container": "@type"}}'
    _write(tmp_path, a=f'{{{context}, "@id": "http://e/s", "p": {{"http://e/T": {value}}}}}')
    with pytest.raises(RdfSyntaxError, match=r"a\.jsonld: ") as caught:
        _lines(tmp_path)
    assert (caught.value.line, caught.value.column) == (None, None)


def test_the_search_for_type_maps_stops_at_the_next_bracket() -> None:
    opened = b'"@container":['
    found = HAS_TYPE_MAP.search(opened * 3 + b'"@set", "@type"]')
    assert found is not None
    assert found.start() == 2 * len(opened)
    assert not HAS_TYPE_MAP.search(opened + b'{}, "@type"]')


def test_json_literals_are_left_alone(tmp_path: Path) -> None:
    term = {"p": {"@id": "http://e/p", "@type": "@json"}}
    _write(tmp_path, c={"@context": term}, a={"@context": "c.jsonld", "@id": "http://e/s", "p": {"@type": "x"}})
    assert r'"{\"@type\":\"x\"}"' in _lines(tmp_path)
    _write(tmp_path, a={"@context": "c.jsonld", "@id": "http://e/s", "p": {"@context": "c.jsonld"}})
    value = {"http://e/p": {"@value": {"@context": "c.jsonld"}, "@type": "@json"}}
    _write(tmp_path, b={"@id": "http://e/s"} | value, d={"@graph": [{"@context": "c.jsonld"}, value]})
    for name in "abd":
        with pytest.raises(RdfSyntaxError, match="with @json only its outer @context may name a context"):
            _lines(tmp_path, name)


@pytest.mark.parametrize("small", [0, document.SMALL])
def test_only_contexts_change_wherever_pieces_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(document, "SMALL", small or 7)
    texts = ['"@context"', 'a\\"@context\\": \\"c.jsonld\\"', "x" * 200, "]{", '}"'[:1], "\\\\"]
    nodes = [{"@id": f"http://e/{n}", "name": text} for n, text in enumerate(texts)]
    for indent, line in ((None, 16), (1, 16), (None, 1 << 16)):
        monkeypatch.setattr(document, "_LINE", line)
        _write(tmp_path, c={"@context": NAME}, b=json.dumps({"@context": NAME, "@graph": nodes}))
        _write(tmp_path, a=json.dumps({"@context": "c.jsonld", "@graph": nodes}, indent=indent))
        assert _lines(tmp_path, "a") == _lines(tmp_path, "b")
        assert _lines(tmp_path, "a").count("\n") == len(texts)
    _write(tmp_path, a='{"@context": "c.jsonld')
    with pytest.raises(InputError):
        _lines(tmp_path)
