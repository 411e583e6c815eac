"""`fingerprint`: which computation tables on disk belong to."""

from __future__ import annotations

import hashlib

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it


def fingerprint(program: object, *frames: DataFrame) -> str:
    """Return a digest of a program and of the rows of DataFrames. The digest does not depend on the order of rows.

    Cost: one pass over the rows.
    """
    digest = hashlib.sha256(repr(program).encode())
    for frame in frames:
        value = F.xxhash64(*sorted(frame.columns))
        parts = (F.count("*"), F.bit_xor(value), F.sum(F.shiftright(value, 24)))  # a sum of so few bits stays a bigint
        digest.update(repr(tuple(frame.agg(*parts).collect()[0])).encode())
    return digest.hexdigest()
