"""Templates: what they give is an IRI, percent-encoded as R2RML says, or one clear error."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode

from kgreason.errors import InputError

pyarrow = pytest.importorskip("pyarrow", reason="the extra frames is not installed")

import numpy as np  # noqa: E402

from kgreason.mapping.lexical_forms import TEXT, ColumnValues  # noqa: E402
from kgreason.mapping.template import percent_encoded, template  # noqa: E402

SAFE = re.compile(
    "[A-Za-z0-9._~\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef-"
    + "".join(f"{chr(plane)}-{chr(plane + 0xFFFD)}" for plane in range(0x10000, 0xE0000, 0x10000))
    + f"{chr(0xE1000)}-{chr(0xEFFFD)}]"
)
"""`iunreserved` of RFC 3987."""
TEXTS = st.lists(st.one_of(st.none(), st.text(), st.text("aé /%{}#?\ue000\U000e0001")), max_size=5)


def filled(text: str, **columns: list[object]) -> list[str | None]:
    """The IRIs of a template for columns of these values, whose rows begin with 1."""
    made = template(text)
    count = len(next(iter(columns.values()), [None]))
    rows = np.arange(1, count + 1)
    values = [ColumnValues(name, pyarrow.array(columns[name]), rows) for name in made.columns]
    return list(made.fill(values, count).to_pylist())


@given(TEXTS)
def test_exactly_the_characters_of_iunreserved_stay(texts: list[str | None]) -> None:
    expected = [
        text if text is None else "".join(each if SAFE.fullmatch(each) else quote(each, "") for each in text)
        for text in texts
    ]
    found = percent_encoded(pyarrow.array(texts, TEXT)).to_pylist()
    assert found == expected
    assert [text and unquote(text) for text in found] == texts
    assert percent_encoded(pyarrow.array(["x", *texts], TEXT)[1:]).to_pylist() == expected, "a slice has an offset"


@given(TEXTS)
def test_a_template_with_a_path_always_gives_iris(texts: list[str | None]) -> None:
    for text in ("http://e/{x}/y#{x}", "urn:e:{x}", "http://e?q={x}"):
        for found in filled(text, x=list(texts)):
            assert found is None or str(NamedNode(found[1:-1])) == found


def test_values_that_are_no_text_are_put_in_by_their_lexical_form() -> None:
    assert filled("http://e/{a}-{b}", a=[1, 2, None], b=[1.0, None, 3.0]) == ["<http://e/1-1>", None, None]
    assert filled("http://e/{a}", a=[1.5, 2.0]) == ["<http://e/1.5>", "<http://e/2>"]
    assert filled("http://e/{a}", a=[True]) == ["<http://e/true>"]


def test_a_whole_value_stays_as_it_is_and_has_to_make_an_iri() -> None:
    iris = ["http://e/a%20b?c=d#e", "urn:x", "http://[::1]:80/é", None]
    assert filled("{+x}", x=list(iris)) == [iri and f"<{iri}>" for iri in iris]
    assert filled("http://e/{+x}", x=["a/b"]) == ["<http://e/a/b>"]
    for bad in ("a b", "no iri", "http://e/<", "http://e/%zz", "", "http://e:port/"):
        with pytest.raises(InputError, match=r"^row 2, column x, value '.*': <.*> is not an IRI"):
            filled("{+x}", x=["http://e/", bad])
    with pytest.raises(InputError, match=r"^row 1, column port, value 'x': "):
        filled("http://e:{port}/", port=["x"])


@pytest.mark.parametrize("text", ["http://e/{a", "http://e/a}", "http://e/{}"])
def test_a_brace_without_its_partner_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match=r"a [{}] alone"):
        template(text)
