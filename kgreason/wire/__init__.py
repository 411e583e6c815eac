"""Values of the library as JSON, so that a server and a client of it exchange them without loss.

    values     rules, proofs, contradictions and answers of why_not
    deltas     deltas
    reports    validation reports
    failures   errors

    server: value -> encoded -> JSON    ->    client: JSON -> decoded -> an equal value

Law: `decoded(encoded(value))` is an equal value of the same class. Only the classes of this package are decoded: a
message cannot name another class. People and other programs get the plain JSON of `to_json` instead.
"""

EXACT = "application/vnd.kgreason+json"
"""The media type of these values."""
