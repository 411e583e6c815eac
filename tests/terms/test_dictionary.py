"""The laws of the dictionary: a bijection that keeps its ids, on disk too, and needs no Numba to be read."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import DefaultGraph, Quad, Triple

from kgreason.errors import LimitError, StoreError
from kgreason.terms import dictionary as dictionary_module
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.terms.vocabulary import VOCABULARY
from tests.tables import table
from tests.terms.unusual_terms import lines_of, objects, quads


def _text(term: object) -> str:
    return "" if term == DefaultGraph() else f"<<( {term} )>>" if isinstance(term, Triple) else str(term)


_texts = st.lists(st.one_of(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), objects.map(_text)))


def test_vocabulary_has_the_first_ids() -> None:
    dictionary = Dictionary()
    assert len(dictionary) == len(VOCABULARY)
    assert dictionary.find(VOCABULARY).tolist() == list(range(1, len(VOCABULARY) + 1))


@given(_texts, _texts)
def test_ids_and_texts_are_a_bijection(first: list[str], second: list[str]) -> None:
    dictionary = Dictionary(())
    ids = np.concatenate([dictionary.intern(first), dictionary.intern(second)])
    assert ids.dtype == np.int32
    assert dictionary.decode(ids) == first + second
    assert len(set(ids.tolist())) == len(dictionary) == len({*first, *second})
    assert dictionary.find(first + second).tolist() == ids.tolist()
    assert sorted(set(ids.tolist())) == list(range(1, len(dictionary) + 1))


@given(_texts, _texts, _texts)
def test_truncate_forgets_the_newest_terms_alone(first: list[str], second: list[str], third: list[str]) -> None:
    dictionary, fresh = Dictionary(()), Dictionary(())
    kept = dictionary.intern(first)
    dictionary.intern(second)
    dictionary.truncate(len(set(first)))
    fresh.intern(first)
    assert dictionary.decode(kept) == first
    assert dictionary.find(second).tolist() == fresh.find(second).tolist()
    assert dictionary.intern(third).tolist() == fresh.intern(third).tolist()


def test_truncate_gives_memory_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgreason.terms.dictionary._LARGE", 1 << 11)
    dictionary = Dictionary()
    kept = [f"<http://e/{number}>" for number in range(3000)]
    ids, size = dictionary.intern(kept), dictionary.nbytes
    known = len(dictionary)
    dictionary.intern([f"<http://e/more/{number}>" for number in range(100_000)])
    assert dictionary.nbytes > 10 * size
    dictionary.truncate(known)
    assert dictionary.nbytes < 5 * size
    assert dictionary.decode(ids) == kept
    assert dictionary.find(kept).tolist() == ids.tolist()
    assert dictionary.intern(["<http://e/next>"]).tolist() == [known + 1]


def test_growing_keeps_every_term() -> None:
    dictionary = Dictionary()
    texts = [f"<http://e/{'x' * (i % 97)}/{i}>" for i in range(20_000)]
    ids = dictionary.intern(texts)
    long = dictionary.intern(['"' + "y" * 1_000_000 + '"'])
    assert dictionary.decode(ids) == texts
    assert dictionary.intern(texts).tolist() == ids.tolist()
    assert len(dictionary.decode(long)[0]) == 1_000_002


def test_a_term_costs_little_more_than_its_text() -> None:
    dictionary = Dictionary()
    dictionary.intern(f"<http://www.department{i % 25}.university{i}.example.org/student>" for i in range(50_000))
    assert dictionary.nbytes / len(dictionary) < 160


def test_unknown_terms_and_no_terms() -> None:
    dictionary = Dictionary()
    assert dictionary.find(["<http://e/nobody>"]).tolist() == [0]
    assert dictionary.intern([]).tolist() == dictionary.find([]).tolist() == dictionary.decode([]) == []
    assert dictionary.decode([0]) == [""]


@table(
    ("text", "kind"),
    [
        ("<http://e/a>", Kind.IRI),
        ("_:b", Kind.BLANK),
        ('"x"@en', Kind.LITERAL),
        ("<<( <http://e/a> <http://e/b> _:c )>>", Kind.TRIPLE),
        ("tc/2", Kind.RELATION),
        ("p", Kind.RELATION),
    ],
)
def test_the_first_bytes_tell_the_kind(text: str, kind: Kind) -> None:
    dictionary = Dictionary(())
    assert dictionary.kinds(dictionary.intern([text])).tolist() == [kind]
    assert dictionary.kinds([0]).tolist() == [Kind.NONE]


@given(st.lists(quads, max_size=5))
def test_lines_are_canonical_n_quads(rows: list[Quad]) -> None:
    dictionary = Dictionary()
    ids = [dictionary.intern(_text(row[i]) for row in rows) for i in range(4)]
    ids[3][[row.graph_name == DefaultGraph() for row in rows]] = 0
    assert dictionary.lines(*ids) == lines_of(rows)


@pytest.mark.parametrize("is_kernel", [True, False])
@given(st.lists(quads, min_size=1, max_size=5))
def test_many_lines_are_those_of_few(is_kernel: bool, rows: list[Quad]) -> None:
    dictionary = Dictionary()
    ids = [np.tile(dictionary.intern(_text(row[i]) for row in rows), 20) for i in range(4)]
    ids[3][[row.graph_name == DefaultGraph() for row in rows] * 20] = 0
    with patch("kgreason.compiled.are_kernels_ready", lambda: is_kernel):
        assert dictionary.lines(*ids) == lines_of(rows) * 20
        assert dictionary.lines(*ids[:3]) == lines_of([Quad(*row.triple) for row in rows]) * 20


def test_many_lines_keep_their_order() -> None:
    dictionary = Dictionary()
    ids = dictionary.intern(f"<http://e/{i}>" for i in range(25_000))
    expected = b"".join(b"<http://e/%d> <http://e/0> <http://e/%d> .\n" % (i, 24_999 - i) for i in range(25_000))
    assert dictionary.lines(ids, np.full_like(ids, ids[0]), ids[::-1]) == expected


@given(_texts, _texts)
def test_a_saved_dictionary_is_the_same_and_goes_on(first: list[str], second: list[str]) -> None:
    dictionary = Dictionary()
    dictionary.intern(first)
    with tempfile.TemporaryDirectory() as name:
        dictionary.save(Path(name))
        loaded = Dictionary.load(Path(name))
        assert loaded.find(first).tolist() == dictionary.find(first).tolist()
        assert loaded.kinds(range(len(loaded) + 1)).tolist() == dictionary.kinds(range(len(loaded) + 1)).tolist()
        assert loaded.intern(second).tolist() == dictionary.intern(second).tolist()
        assert loaded.decode(range(len(loaded) + 1)) == dictionary.decode(range(len(loaded) + 1))
        loaded.save(Path(name))
        assert len(Dictionary.load(Path(name))) == len(loaded)
        assert loaded.decode(loaded.find(first)) == first


def test_reading_a_saved_dictionary_needs_no_numba(tmp_path: Path) -> None:
    Dictionary().save(tmp_path)
    program = f"""
import sys
from pathlib import Path
from unittest.mock import patch
from kgreason.rdf.reader import read
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.terms.dictionary import Dictionary
dictionary = Dictionary.load(Path({str(tmp_path)!r}))
ids = dictionary.decode([1]), dictionary.kinds([1]), len(dictionary)
column = [1, 2]
dictionary.lines(column, column, column)
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])


def test_ids_run_out_with_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary()
    monkeypatch.setattr(dictionary_module, "MAX_ID", len(dictionary))
    with pytest.raises(LimitError, match=f"the dictionary is full: it cannot hold more than {len(dictionary)} terms"):
        dictionary.intern(f"<http://e/{i}>" for i in range(5000))


def test_a_folder_without_a_dictionary_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="the dictionary cannot be read"):
        Dictionary.load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="the dictionary cannot be written"):
        Dictionary().save(tmp_path / "file" / "folder")


def test_the_first_terms_of_groups_are_the_same_without_kernels() -> None:
    dictionary = Dictionary()
    texts = ["<e:b>", "<e:a>", "_:a", '"1"', '"01"', "<<( <e:a> <e:b> <e:c> )>>", "reach/2", '"é"', '"e"@en-GB']
    ids = dictionary.intern(texts)
    groups = np.array([0, 0, 1, 1, 2, 2, 3, 3, 3], dtype=np.int64)
    by_kernel = dictionary.first_terms(ids, groups)
    assert dictionary._first_terms_without_kernel(ids, groups, np.zeros(4, np.int32)).tolist() == by_kernel.tolist()
