"""Write triples of Spark as text to a folder: `decoded` turns ids into text, `write` writes the files.

    decoded     s, p, o int, other columns  +  terms (id, text)   ->   subject, predicate, object string, other columns
    write       N-Triples: part-*.nt, a triple on each line; or Parquet: part-*.parquet, with all columns

Generalised triples are left out, because they are only steps in the derivation of other triples (`Dictionary.are_rdf`).
Ids are looked up by joins with the terms; nothing is collected. Each predicate is looked up once. There are few
predicates, so the join that decodes them shuffles no triples. So a predicate that most triples share does not overload
one task.

A folder is written as a whole or does not exist (`folders`). Cost: three joins; two of them shuffle the triples.
"""

from __future__ import annotations

from os import PathLike
from typing import Literal

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from kgreason.spark.folders.folders import save

Form = Literal["nt", "parquet"]

_IRI = "startswith(text, '<') AND NOT startswith(text, '<<')"
_NODE = f"{_IRI} OR startswith(text, '_')"
_TERM = "substring(text, 1, 1) IN ('<', '_', '\"')"
_IDS = {"p": ("predicate", _IRI), "s": ("subject", _NODE), "o": ("object", _TERM)}


def decoded(triples: DataFrame, terms: DataFrame) -> DataFrame:
    """Replace ids by texts: the columns s, p, o become subject, predicate, object; other columns stay.

    `terms` has the columns id int, text string. Generalised triples are left out. `triples` is computed twice.
    """
    frame = triples
    for column, (name, kind) in _IDS.items():
        known = terms.where(kind).select(F.col("id").alias(column), F.col("text").alias(name))
        if column == "p":
            known = known.join(triples.select("p").distinct(), "p", "left_semi")
        frame = frame.join(known, column)
    return frame.select("subject", "predicate", "object", *(name for name in triples.columns if name not in _IDS))


def write(triples: DataFrame, folder: str | PathLike[str], *, form: Form = "nt", overwrite: bool = False) -> None:
    """Write triples to files in a folder. `triples` has the columns subject, predicate, object, and maybe others.

    N-Triples files have the triples alone, Parquet files have all columns. Raises InputError if the folder is not empty
    and `overwrite` is not set. Raises StoreError if the folder cannot be written; after an error no folder looks
    complete.
    """
    if form == "nt":
        line = F.concat_ws(" ", "subject", "predicate", "object", F.lit("."))
        save(triples.select(line.alias("value")), "text", folder, overwrite=overwrite, suffix="nt")
    else:
        save(triples, "parquet", folder, overwrite=overwrite, suffix="parquet")
