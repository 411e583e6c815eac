"""Read N-Triples and N-Quads in blocks, with few calls of a parser; and what becomes such lines.

skipped   the malformed lines that were left out
plain     cuts the text at line ends; tells canonical lines, and has pyoxigraph parse the others
parquet   Parquet files of triples, which are read as such lines
functional  plain axioms of OWL functional syntax, which become such lines
"""
