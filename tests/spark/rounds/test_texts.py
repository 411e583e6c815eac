"""The texts of a part: what is known gives what a dictionary with all terms gives, under the same ids."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from kgreason.spark.rounds.texts import UNKNOWN, PartTexts
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.numbers import read_numbers
from kgreason.terms.vocabulary import VOCABULARY, XSD_INTEGER

TERMS = [*(f"<http://e/{n}>" for n in range(9)), "_:b", '"x"@en', *(f'"{n}"^^{XSD_INTEGER}' for n in (7, 1 << 70))]


@pytest.mark.parametrize("seed", range(3))
def test_known_terms_are_those_of_a_dictionary(seed: int) -> None:
    random, every = Random(seed), Dictionary()
    known = random.sample(TERMS, 8)
    every.intern(f"<http://e/many{n}>" for n in range(2_000))  # more than a small dictionary has room for
    ids = every.intern(random.sample(TERMS, len(TERMS)))
    at_hand, later = every.find(known[:3]), every.find(known[3:])
    part = PartTexts(dict(zip(at_hand.tolist(), known, strict=False)))
    wanted = part.unknown(np.concatenate([ids, [0, 1, VOCABULARY.index(XSD_INTEGER) + 1]]).astype(np.int32))
    assert sorted(wanted.tolist()) == sorted(set(ids.tolist()) - set(at_hand.tolist()))
    made, other = part.intern([known[-1], "<http://e/new>"])[0], part.intern(["<http://e/new>"])[0]
    part.learn(later.tolist(), known[3:])
    found = every.find(known)
    assert part.intern(known).tolist() == part.find(known).tolist() == found.tolist()
    assert part.decode(found) == known
    assert part.kinds(found).tolist() == every.kinds(found).tolist()
    assert part.typed_lengths(found).tolist() == every.typed_lengths(found).tolist()
    mine, theirs = read_numbers(part, found), read_numbers(every, found)
    assert mine.kinds.tolist() == theirs.kinds.tolist()
    assert mine.values.tolist() == theirs.values.tolist()
    groups = np.array([random.randrange(2) for _ in found])
    groups[:2] = 0, 1
    assert part.first_terms(found, groups).tolist() == every.first_terms(found, groups).tolist()
    assert part.new(np.array([made, other, *found])).tolist() == [True, True] + [False] * len(found)
    assert part.decode([other, ids[TERMS.index("_:b")] if "_:b" in known else 0, 0])[0] == "<http://e/new>"
    strange = [number for number in ids.tolist() if number not in found]
    assert part.decode(strange[:1]) == [f"{UNKNOWN}{strange[0]}"]
