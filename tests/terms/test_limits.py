"""Offsets past 2**31 and 2**32 bytes, and the last ids: in sparse arrays."""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.errors import LimitError
from kgreason.terms.dictionary import MAX_ID, Dictionary, Kind
from kgreason.terms.vocabulary import VOCABULARY
from tests.sparse import enlarged, needs_sparse

TEXTS = [*(f"<http://e/{number}>" for number in range(20)), "_:b", '"x"@en', '"1"^^<http://e/d>', "tc/2"]


@needs_sparse
@pytest.mark.parametrize("start", [2**31 - 50, 2**32 - 50])
def test_texts_beyond_an_int32_of_bytes(start: int) -> None:
    dictionary = Dictionary()
    known = len(dictionary)
    dictionary._arena = enlarged(dictionary._arena, start + (1 << 16))
    dictionary._offsets[known + 1] = start  # the last term has a very long text
    ids = dictionary.intern(TEXTS)
    assert ids.tolist() == list(range(known + 1, known + 1 + len(TEXTS)))
    assert dictionary.decode(ids) == TEXTS
    assert dictionary.find(TEXTS).tolist() == dictionary.intern(TEXTS).tolist() == ids.tolist()
    assert dictionary.kinds(ids[-4:]).tolist() == [Kind.BLANK, Kind.LITERAL, Kind.LITERAL, Kind.RELATION]
    assert dictionary.typed_literals(known).tolist() == [ids[-2]]
    rows = np.stack([ids[:18], ids[1:19], ids[2:20]])
    lines = [" ".join(triple) + " .\n" for triple in zip(TEXTS[:18], TEXTS[1:19], TEXTS[2:20], strict=True)]
    assert dictionary.lines(*rows) == "".join(lines).encode()
    assert dictionary.first_terms(ids, np.zeros(len(ids), np.int64)).tolist() == [ids[0]]
    dictionary.truncate(known)
    assert dictionary.find(TEXTS).tolist() == [0] * len(TEXTS)


@needs_sparse
def test_the_last_ids() -> None:
    dictionary = Dictionary()
    used = int(dictionary._offsets[len(dictionary) + 1])
    dictionary._offsets = enlarged(dictionary._offsets, MAX_ID + 2)
    dictionary._count = MAX_ID - 3
    dictionary._offsets[MAX_ID - 2] = used
    ids = dictionary.intern(TEXTS[:3])
    assert ids.tolist() == [MAX_ID - 2, MAX_ID - 1, MAX_ID]
    assert dictionary.decode(ids) == TEXTS[:3]
    with pytest.raises(LimitError, match="2,147,483,647 terms"):
        dictionary.intern([TEXTS[3]])
    assert dictionary.find([*TEXTS[:4], VOCABULARY[0]]).tolist() == [*ids.tolist(), 0, 1]
    assert dictionary.lines(*ids[:, None]) == f"{' '.join(TEXTS[:3])} .\n".encode()
