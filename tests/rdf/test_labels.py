"""Blank nodes keep their names from one reading to the next, and different sources do not share any."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Quad

from tests.rdf.reading import isomorphic, lines_read
from tests.rdf.test_reader import BASE, DOCUMENTS
from tests.terms.unusual_terms import lines_of, quads

INVENTED = "e6c09528a7cdb0371226a1b8a833a0c4"


def _labels(lines: bytes) -> list[str]:
    return re.findall(r"_:(\S+)", lines.decode())


@pytest.mark.parametrize("syntax", DOCUMENTS)
def test_a_document_read_twice_has_the_same_nodes(syntax: str) -> None:
    document = DOCUMENTS[syntax].encode()
    assert lines_read(document, syntax, base=BASE) == lines_read(document, syntax, base=BASE)


@given(st.lists(quads, min_size=1, max_size=6))
def test_sources_share_no_node_and_lose_none(rows: list[Quad]) -> None:
    document = lines_of(rows)
    here, there = lines_read(document, "nq", "here"), lines_read(document, "nq", "there")
    assert isomorphic(here, there)
    assert isomorphic(here, document)
    assert here == lines_read(document, "nq", "here")


def test_written_labels_are_kept_after_a_prefix() -> None:
    lines = lines_read(b"_:a.b-c <http://e/p> _:7 .\n", "nt")
    first, second = _labels(lines)
    assert re.fullmatch(r"b[0-9a-f]{10}xa\.b-c", first)
    assert second == first.replace("xa.b-c", "x7")
    assert _labels(lines_read(b"_:a.b-c <http://e/p> _:7 .\n", "nt", "other"))[0] != first


def test_invented_labels_are_numbered_in_order_of_appearance() -> None:
    labels = _labels(lines_read(b"[] <http://e/p> [], _:a . _:a <http://e/p> [] .", "ttl"))
    assert [re.sub("^b.{10}", "", label) for label in labels] == ["1", "2", "1", "xa", "xa", "3"]


def test_twelve_thousand_invented_nodes() -> None:
    labels = _labels(lines_read(b"[] <http://e/p> 1 .\n" * 12_000, "ttl"))
    assert [label[11:] for label in labels] == [str(i) for i in range(1, 12_001)]


def test_a_label_that_looks_invented_is_numbered_except_in_line_formats() -> None:
    line = f"_:{INVENTED} <http://e/p> _:bad, _:{'a' * 19}, _:1{INVENTED[1:]}, _:{INVENTED}x .".encode()
    looks = [label[11:] for label in _labels(lines_read(line, "ttl"))[1::2]]
    assert looks == ["xbad", f"x{'a' * 19}", f"x1{INVENTED[1:]}", f"x{INVENTED}x"]
    assert _labels(lines_read(line, "ttl"))[0][11:] == "1"
    assert _labels(lines_read(f"_:{INVENTED} <http://e/p> 'x' .".replace("'", '"').encode(), "nt"))[0][11:] == (
        f"x{INVENTED}"
    )


def test_only_blank_nodes_are_renamed() -> None:
    line = b'<http://e/_:a> <http://e/p> "_:a \\" _:b"^^<http://e/_:c> <http://e/_:g> .\n'
    assert lines_read(line + b"_:a <http://e/p> <http://e/_:a> .\n", "nq").startswith(line)
    nested = b'<http://e/a> <http://e/p> <<( _:a <http://e/_:p> <<( _:b <http://e/p> "_:c )>> "@en )>> )>> _:g .\n'
    assert [label[11:] for label in _labels(lines_read(nested, "nq")) if label[0] == "b"] == ["xa", "xb", "xg"]
