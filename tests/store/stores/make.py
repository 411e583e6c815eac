"""Makes stores of the format that the present code writes, and what each of them shows: an archive.

    python -m tests.store.stores.make format-3.tar.xz

The archive of a format is made once, by the last commit that writes that format, and never again: it stands for the
stores that users have. Each store is a folder of the archive; `expected.json` has what it showed before it was closed.

    aliases            a snapshot and a journal; named graphs, a clique, blank nodes, a contradiction
    representatives    the journal interns other terms than the process did that wrote it, and has a clique
    rules              rules and facts of the user, the plain rules for owl:sameAs, streams, two spellings of a literal
    imports            an imported document, and nothing in the journal
    killed             a copy of a store that is open: Oxigraph is behind the journal
    filling            a copy from the middle of a load: Oxigraph holds nobody knows what
    empty              a store without a commit
    builtins           a SWRL rule with a built-in, which versions up to format 4 did not run (not in format-3.tar.xz)
"""

from __future__ import annotations

import json
import shutil
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kgreason import KnowledgeGraph

PREFIX = """@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
SCHEMA = """:A rdfs:subClassOf :B . :B owl:disjointWith :C . :p rdfs:domain :A . :t a owl:TransitiveProperty .
:a :p :b . :b :t :c . _:n :p :a ; a :C . :c :t :d ."""


def _add(graph: KnowledgeGraph, text: str, rules: str = "", headers: dict[str, str] | None = None) -> None:
    with graph.transaction(headers) as tx:
        tx.add(PREFIX + text).add_rules(PREFIX + rules)


def _remove(graph: KnowledgeGraph, text: str, added: str = "") -> None:
    with graph.transaction() as tx:
        tx.remove(PREFIX + text).add(PREFIX + added)


def _aliases(graph: KnowledgeGraph) -> None:
    _add(graph, SCHEMA)
    _add(graph, ":g { :a :p :e . :e a :C . _:n :p :f }")
    _remove(graph, ":b :t :c .", ":e owl:sameAs :f . :f :t :b .")


def _representatives(graph: KnowledgeGraph) -> None:
    _add(graph, ":x :p :y .")
    _remove(graph, ":a :p :zz .", ":c :q :c .")
    _add(graph, ":c owl:sameAs :a .")
    _remove(graph, ":z1 :p :z2 .", ":z1 owl:sameAs :c . :z2 owl:sameAs :z1 . :z2 :q :z3 .")
    _remove(graph, ":z1 owl:sameAs :c .")


def _rules(graph: KnowledgeGraph) -> None:
    own = "@rule conv [?y, :q, ?x] :- [?x, :p, ?y] . @rule hub hub(:a) . @rule spoke [?x, :r, :d] :- hub(?x) ."
    _add(graph, SCHEMA, own, {"stream": "sensors", "batch": "1"})
    _add(graph, ':a :n 1, "01"^^xsd:integer . :a owl:sameAs :a2 .', headers={"stream": "sensors", "batch": "2"})
    with graph.transaction() as tx:
        tx.remove(PREFIX + ':a :n "01"^^xsd:integer .').remove_rules("conv")
        tx.add_rules(PREFIX + "@rule near near(?x, ?y) :- [?x, :p, ?y] . @rule n2 [?y, :near, ?x] :- near(?x, ?y) .")


def _imports(graph: KnowledgeGraph) -> None:
    _add(graph, "<http://e/data> owl:imports <http://e/schema> . :a :p :b .")


def _builtins(graph: KnowledgeGraph) -> None:
    rule = """@prefix swrl: <http://www.w3.org/2003/11/swrl#> . @prefix swrlb: <http://www.w3.org/2003/11/swrlb#> .
    :x a swrl:Variable . :n a swrl:Variable . :r a swrl:Imp ; swrl:head ( _:adult ) ; swrl:body ( _:age _:old ) .
    _:age a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :age ; swrl:argument1 :x ; swrl:argument2 :n .
    _:old a swrl:BuiltinAtom ; swrl:builtin swrlb:greaterThan ; swrl:arguments ( :n 17 ) .
    _:adult a swrl:ClassAtom ; swrl:classPredicate :Adult ; swrl:argument1 :x . """
    _add(graph, rule + ":tom :age 30 .")
    _add(graph, ":eve :age 7 .")


def _content(graph: KnowledgeGraph) -> dict[str, Any]:
    """What a store has to show whoever opens it."""
    return {
        "closure": _lines(graph.dump()),
        "asserted": _lines(graph.dump(asserted=True, graphs=True)),
        "quads": _lines(graph.dump(graphs=True)),
        "contradictions": sorted({each.rule for each in graph.contradictions()}),
        "own": sorted(rule.name for rule in graph.own_rules()),
        "streams": graph.streams(),
    }


def _lines(chunks: Any) -> list[str]:
    return sorted(b"".join(chunks).decode().splitlines())


def _made(path: Path, commit: Callable[[KnowledgeGraph], None], **options: Any) -> dict[str, Any]:
    with KnowledgeGraph.open(path, **options) as graph:
        commit(graph)
        return _content(graph)


def _copy(path: Path, copy: Path) -> None:
    """Copy a store that is open, once Oxigraph does not remove files meanwhile."""
    while True:
        try:
            shutil.copytree(path, copy)
        except shutil.Error:
            shutil.rmtree(copy)
        else:
            return


def make(folder: Path) -> None:
    """Make the stores in a folder."""
    document = folder.parent / "schema.ttl"
    document.write_text(PREFIX + "<http://e/schema> a owl:Ontology . :p rdfs:range :B .")
    expected = {
        "aliases": _made(folder / "aliases", _aliases),
        "representatives": _made(folder / "representatives", _representatives, same_as="representatives"),
        "rules": _made(folder / "rules", _rules, same_as="rules"),
        "imports": _made(folder / "imports", _imports, catalogue={"http://e/schema": document}),
    }
    with KnowledgeGraph.open(folder / "open") as graph:
        _aliases(graph)
        _copy(folder / "open", folder / "killed")
        expected["killed"] = _content(graph)
    shutil.rmtree(folder / "open")
    shutil.copytree(folder / "aliases", folder / "filling")
    manifest = json.loads((folder / "filling" / "kgreason.json").read_text())
    (folder / "filling" / "kgreason.json").write_text(json.dumps(manifest | {"stored": -1, "journal": 0}))
    shutil.rmtree(folder / "filling" / manifest["oxigraph"])
    expected["filling"] = expected["aliases"]
    expected["empty"] = _made(folder / "empty", lambda graph: None)
    expected["builtins"] = _made(folder / "builtins", _builtins)
    (folder / "expected.json").write_text(json.dumps(expected, indent=1))
    for log in folder.glob("*/oxigraph*/LOG*"):  # what RocksDB tells its developers: large, and read by nobody
        log.unlink()


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        folder = Path(made) / "stores"
        folder.mkdir()
        make(folder)
        with tarfile.open(sys.argv[1], "w:xz") as archive:
            for path in sorted(folder.iterdir()):
                archive.add(path, path.name)
