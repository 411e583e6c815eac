"""Parquet without Spark: materialize and dump write the columns that Spark writes, and all commands read them back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import InputError
from tests.cli.calling import error_of

pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed: pip install 'kgreason[frames]'")
from pyarrow import parquet  # noqa: E402

from tests.cli.calling import succeed  # noqa: E402

ROOT = Path(__file__).parents[2]
ROWS = [
    ("<http://e/tom>", "<http://e/says>", '"line\\nand \\"quote\\""@en'),
    ("<http://e/tom>", "<http://e/age>", '"07"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    ("_:a", "<http://e/knows>", "_:a"),
]


def lines(path: Path, *, asserted: bool | None = None) -> set[str]:
    rows = parquet.read_table(path).to_pylist()
    assert all([*row] == ["subject", "predicate", "object", "asserted"] for row in rows)
    wanted = [row for row in rows if asserted is None or row["asserted"] is asserted]
    found = {f"{row['subject']} {row['predicate']} {row['object']} ." for row in wanted}
    assert len(found) == len(wanted)
    return found


def table(path: Path, **columns: object) -> Path:
    names = ("subject", "predicate", "object")
    given = {**{name: [row[at] for row in ROWS] for at, name in enumerate(names)}, **columns}
    parquet.write_table(pa.table({name: column for name, column in given.items() if column is not None}), path)
    return path


def test_parquet_has_the_triples_of_a_dump_with_their_flags(tmp_path: Path) -> None:
    out, store, family = tmp_path / "out.parquet", tmp_path / "store", ROOT / "ontologies" / "family.ttl"
    with KnowledgeGraph.open(store, rules=["owl2rl"]) as graph:
        graph.load(family)
    succeed("materialize", family, "-o", out)
    asserted: bool | None
    for asserted, option in ((True, "--asserted"), (False, "--inferred")):
        assert lines(out, asserted=asserted) == set(succeed("dump", "-l", store, option).splitlines())
    succeed("materialize", family, "-o", out, "--inferred")
    assert lines(out) == lines(out, asserted=False) == set(succeed("dump", "-l", store, "--inferred").splitlines())
    with KnowledgeGraph.open(store, read_only=True) as graph:
        for asserted in (None, True, False):
            out.write_bytes(b"".join(graph.dump(asserted=asserted, format="parquet")))
            assert lines(out) == set(b"".join(graph.dump(asserted=asserted)).decode().splitlines())
    with KnowledgeGraph.open() as graph:
        out.write_bytes(b"".join(graph.dump(format="parquet")))
    assert lines(out) == set()


def test_a_file_is_read_as_the_n_quads_of_its_rows(tmp_path: Path) -> None:
    path = table(tmp_path / "a.parquet", graph=["", None, "<http://e/g>"], asserted=[True, False, True])
    (tmp_path / "a.nq").write_text(
        "".join(f"{' '.join(row)} {graph} .\n" for row, graph in zip(ROWS, ["", "", "<http://e/g>"], strict=True))
    )
    dumps = []
    for name in ("a.parquet", "a.nq"):
        with KnowledgeGraph.open() as graph:
            graph.load(tmp_path / name)
            dumps.append(b"".join(graph.dump(graphs=True)).decode())
    names = [{word for word in text.split() if word.startswith("_:")} for text in dumps]
    assert [len(each) for each in names] == [1, 1]  # a blank node belongs to its file
    assert names[0] != names[1]
    first, second = (sorted(text.replace(name, "_:x").splitlines()) for text, (name,) in zip(dumps, names, strict=True))
    assert first == second
    assert len(first) == 4  # the default graph has the triples of named graphs, too
    succeed("materialize", path, "-o", tmp_path / "again.parquet")
    assert lines(tmp_path / "again.parquet")


def test_a_file_that_is_no_table_of_terms_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"<http://e/a> <http://e/p> <http://e/b> .\n")

    def problem(path: Path) -> str:
        with KnowledgeGraph.open() as graph, pytest.raises(InputError) as raised:
            graph.load(path)
        assert str(raised.value).startswith((f"{path}: ", f"{path}:2:"))
        return str(raised.value)

    assert "not a Parquet file: " in problem(bad)
    assert "there is no column object; the columns are subject, predicate" in problem(table(bad, object=None))
    for value in (None, '"a\nb"'):
        told = problem(table(bad, object=["<http://e/a>", value, "<http://e/b>"]))
        assert told.endswith("row 2, column object: not a term of RDF in N-Triples syntax")
    assert f"{bad}:2:" in problem(table(bad, object=["<http://e/a>", "http://e/b", "<http://e/b>"]))
    assert error_of("materialize", bad, "-o", tmp_path / "out.nt").startswith(f"{bad}:2:")
    (tmp_path / "folder.parquet").mkdir()
    assert "is a folder" in error_of("materialize", table(bad), "-o", tmp_path / "folder.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    needed = "Parquet needs PyArrow: pip install 'kgreason[frames]'"
    with KnowledgeGraph.open() as graph:
        with pytest.raises(InputError) as raised:
            graph.load(bad)
        assert str(raised.value) == needed
        with pytest.raises(InputError) as raised:
            b"".join(graph.dump(format="parquet"))
        assert str(raised.value) == needed
    assert error_of("materialize", bad, "-o", tmp_path / "out.parquet") == needed
