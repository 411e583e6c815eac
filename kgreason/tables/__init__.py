"""Plain Datalog on tables: relations are read from files and written to files.

    fields      a field of a table <-> a constant of the rules
    signature   the relations of a program and their arities
    layout      delimiters, headers and quotation marks of files
    reading     R.facts -> id columns
    columns     the types and keys that `@relation` declares
    writing     id columns -> R.csv
    program     `TableProgram`: read, evaluate, write

The files are those of Soufflé: tab separated, one fact a line, named after the relation. RDF plays no part here.
"""

from kgreason.tables.program import TableProgram

__all__ = ["TableProgram"]
