"""`triples_as_written`: the triples of a CONSTRUCT or DESCRIBE, with literals as they are written in the graph.

    Oxigraph's triple    :b :n 7                  `spell` looks up how the graph writes :b :n 7
    spelled              :b :n "07"^^xsd:int

Only triples that `has_spellings` are looked up, in batches that grow from one triple to `_MOST`, so that an answer
that is found slowly is also told slowly. The order stays. An error comes after the triples that were found before it.

Cost: a microsecond for each triple that has a literal as its object; for the others a look at their type. The lookups
are those of `spell`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from pyoxigraph import Literal, Triple

from kgreason.store.spellings import may_have_spellings

Spell: TypeAlias = Callable[[Sequence[Triple]], Sequence[Sequence[Triple]]]
"""Takes triples that `has_spellings`, and returns for each of them the triples that the graph has in its place."""
_MOST = 4096


def has_spellings(triple: Triple) -> bool:
    """Whether the object of a triple may be written in another way than Oxigraph shows it."""
    return isinstance(triple.object, (Literal, Triple)) and may_have_spellings(str(triple.object))


def triples_as_written(triples: Iterator[Triple], spell: Spell) -> Iterator[Triple]:
    """Yield the triples of an answer as the graph writes them. Raises the errors of `triples`."""
    for batch in _batches(triples):
        places = [place for place, triple in enumerate(batch) if has_spellings(triple)]
        if not places:
            yield from batch
            continue
        written = dict(zip(places, spell([batch[place] for place in places]), strict=True))
        for place, triple in enumerate(batch):
            yield from written.get(place, (triple,))


def _batches(triples: Iterator[Triple]) -> Iterator[list[Triple]]:
    size = 1
    while True:
        batch = list[Triple]()
        try:
            batch.extend(islice(triples, size))
        except Exception:
            yield batch
            raise
        if not batch:
            return
        yield batch
        size = min(2 * size, _MOST)
