"""Which terms Oxigraph cannot tell apart, and that it is asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.spellings import Spellings, normal_forms
from kgreason.terms.dictionary import Dictionary

_TYPES = ["integer", "decimal", "double", "boolean", "duration", "byte", "dateTime", "string", "gYear"]
_FORMS = [
    "1",
    "01",
    "+1",
    "1.0",
    "1.50",
    "1.5",
    "true",
    "PT24H",
    "P1D",
    "300",
    "2020-01-01T00:00:00Z",
    "1E0",
    "x",
    "2020",
]


def _typed(form: str, name: str) -> str:
    return f'"{form}"^^<http://www.w3.org/2001/XMLSchema#{name}>'


_terms = st.builds(_typed, st.sampled_from(_FORMS), st.sampled_from(_TYPES)) | st.sampled_from(
    ['"1"', '"1"@en', "<http://e/1>", "_:b1", f"<<( _:b1 <http://e/p> {_typed('01', 'integer')} )>>"]
)


def _row(text: str) -> bytes:
    return f"<http://e/s> <http://e/p> {text} .\n".encode()


@given(_terms, _terms)
def test_terms_are_alike_exactly_if_their_rows_are_one(first: str, second: str) -> None:
    store = OxigraphStore()
    store.load([_row(first), _row(second)])
    left, right = normal_forms([first, second])
    assert (len(store) == 1) == (left == right)
    assert b"".join(store.lines()).count(_row(left)) == 1


@given(st.lists(st.tuples(st.lists(_terms, max_size=6), st.integers(0, 6)), max_size=4))
def test_spellings_in_a_dictionary_that_grows_and_shrinks(batches: list[tuple[list[str], int]]) -> None:
    dictionary = Dictionary()
    spellings, known = Spellings(dictionary), len(dictionary)
    texts: list[str] = []
    for batch, left in batches:
        dictionary.truncate(known + left)
        texts = list(dict.fromkeys(texts[:left] + batch))
        ids = dictionary.intern(texts)
        shared = spellings.are_shared(ids).tolist()
        for text, term, form, several in zip(texts, ids.tolist(), normal_forms(texts), shared, strict=True):
            alike = {other for other, seen in zip(texts, normal_forms(texts), strict=True) if seen == form}
            assert {text, *dictionary.decode(spellings.of_term(term))} == alike
            assert several == (len(alike) > 1)
            assert set(dictionary.decode(spellings.of_forms([form])[0])) == alike


def test_nothing_is_stored_as_nothing() -> None:
    assert normal_forms([]) == []
    assert Spellings(Dictionary()).of_term(1) == [1]
