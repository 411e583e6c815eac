"""`unknown_imports`: warn about documents that an owl:imports names but that are not in the data.

Spark does not follow owl:imports. The few triples of ontology headers are brought to the driver. The warnings are the
same as those of a graph that has no catalogue of documents.

Cost: one filter over the facts, and a join with the terms if the data has an owl:imports.
"""

from __future__ import annotations

import numpy as np

from kgreason.interrupts import undivided
from kgreason.materialize.edit import Edit
from kgreason.materialize.imports import Imports
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.schema.rows import IMPORTS, ONTOLOGY, TYPE, VERSION_IRI
from kgreason.materialize.selection import select
from kgreason.spark.encode.dictionary import rows_of, texts_of
from kgreason.spark.encode.encode import Encoded

_IS_HEADER = f"p IN ({IMPORTS}, {VERSION_IRI}) OR (p = {TYPE} AND o = {ONTOLOGY})"


def unknown_imports(encoded: Encoded) -> list[str]:
    """Return a warning for each document that an owl:imports names but that is not in the data."""
    headers = np.unique(rows_of(encoded.facts.where(_IS_HEADER)), axis=0)
    if IMPORTS not in headers[:, 1]:
        return []
    texts = texts_of(encoded.terms, np.unique(headers))
    materializer = Materializer(select(["none"]))
    rows = [materializer.dictionary.intern(texts[each] for each in header) for header in headers.tolist()]
    with undivided():
        materializer.change(Edit(added=np.column_stack([np.stack(rows), np.zeros(len(rows), dtype=np.int32)])))
        materializer.accept()
    return Imports(materializer, None).warnings()
