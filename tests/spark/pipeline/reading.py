"""What the tests of reading and encoding share: the bag of quads that the reader of one process gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kgreason.rdf.reader import read
from kgreason.terms.dictionary import Dictionary, Ids

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason.spark.encode.encode import Encoded

Bag = Counter[tuple[str, ...]]


def in_process(files: Iterable[Path]) -> Bag:
    """The quads of files as texts."""
    dictionary, bag = Dictionary(), Bag()
    for file in files:
        for batch in read(file, dictionary):
            bag.update(texts_of(np.stack(batch, axis=1), dictionary))
    return bag


def on_spark(quads: DataFrame) -> Bag:
    """The rows of a DataFrame."""
    return Bag(map(tuple, quads.collect()))


def decoded(encoded: Encoded) -> Bag:
    """The triples of ids as texts."""
    texts = {row.id: row.text for row in encoded.terms.collect()}
    return Bag(tuple(texts[number] for number in row) for row in encoded.facts.collect())


def of_driver(groups: DataFrame) -> Bag:
    """The quads of the table `grouped`, with the ids that the driver gives, as texts."""
    import pyarrow.dataset as ds

    from kgreason.spark.encode.dictionary import quads_of_groups
    from kgreason.spark.input.paths import files_of_table

    dictionary = Dictionary()
    return texts_of(quads_of_groups(ds.dataset(files_of_table(groups)), dictionary), dictionary)


def texts_of(quads: Ids, dictionary: Dictionary) -> Bag:
    """Quads int32[n, 4] as texts."""
    return Bag(zip(*[iter(dictionary.decode(quads.ravel()))] * 4, strict=True))
