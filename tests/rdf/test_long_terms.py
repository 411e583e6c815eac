"""Terms that are too long: one clear error with file and line, and the longest that are taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import KgreasonError, LimitError, QueryError
from kgreason.rdf.counting_stream import BUFFER
from kgreason.terms.dictionary import LONGEST

TOO_LONG = "x" * 17_000_000
AT_MOST = "x" * (LONGEST - 2)
SHOWN = "SELECT (STRLEN(?o) AS ?n) ?o { ?s <http://e/q> ?o }"
BEFORE = "".join(f"<http://e/{n}> <http://e/p> <http://e/o> .\n" for n in range(5))


def rdf_xml(text: str) -> str:
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    return f'<rdf:RDF xmlns:rdf="{rdf}" xmlns="http://e/"><rdf:Description><p>{text}</p></rdf:Description></rdf:RDF>'


@pytest.mark.parametrize("suffix", ["nt", "ttl", "nq"])
def test_the_error_names_file_and_line(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"long.{suffix}"
    path.write_text(f'{BEFORE}<http://e/a> <http://e/p> "{TOO_LONG}" .\n{BEFORE}')
    with KnowledgeGraph.open() as graph, pytest.raises(LimitError) as raised:
        graph.load(path)
    assert str(raised.value).startswith(f"{path}:6: a literal, or another token, has more than {BUFFER:,} bytes")


def test_a_format_whose_parser_has_no_limit_names_the_term(tmp_path: Path) -> None:
    path = tmp_path / "long.rdf"
    path.write_text(rdf_xml(TOO_LONG))
    with KnowledgeGraph.open() as graph:
        with pytest.raises(LimitError, match=f"^{path}: .* bytes in N-Quads; the limit is {LONGEST:,}"):
            graph.load(path)
        assert graph.stats()["facts"] == 0


@pytest.mark.parametrize(
    "edit",
    [
        lambda graph: graph.transaction().add(f'<http://e/a> <http://e/p> "{TOO_LONG}" .'),
        lambda graph: graph.transaction().add(("<http://e/a>", "<http://e/p>", f'"{TOO_LONG}"')),
        lambda graph: graph.transaction().remove(f'<http://e/a> <http://e/p> "{TOO_LONG}" .'),
        lambda graph: graph.update(f'INSERT DATA {{ <http://e/a> <http://e/p> "{TOO_LONG}" }}'),
        lambda graph: graph.match(None, None, f'"{TOO_LONG}"'),
    ],
    ids=["text", "row", "removal", "update", "match"],
)
def test_no_edit_runs_out_of_memory(edit: Callable[[KnowledgeGraph], object]) -> None:
    with (
        KnowledgeGraph.open() as graph,
        pytest.raises(KgreasonError, match=r"more than 16,777,216 bytes|the limit is 16,000,000"),
    ):
        edit(graph)


def test_the_longest_term_is_kept_and_shown(tmp_path: Path) -> None:
    text = f'<http://e/a> <http://e/p> "{AT_MOST}" .\n_:b <http://e/p> "{AT_MOST}" .\n'
    (tmp_path / "longest.nt").write_text(text)
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.load(tmp_path / "longest.nt")
        graph.update("DELETE { ?s <http://e/p> ?o } INSERT { ?s <http://e/q> ?o } WHERE { ?s <http://e/p> ?o }")
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert [row["o"].value for row in graph.select(SHOWN)] == [AT_MOST, AT_MOST]
        with pytest.raises(QueryError, match="run the query without a timeout"):
            list(graph.select(SHOWN, timeout=60))
