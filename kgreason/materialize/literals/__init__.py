"""Facts about literals that rules need (Table 8 of OWL 2 RL).

values            `LiteralValues`: finds literals with the same value, and ill-typed literals
datatypes_in_use  `DatatypesInUse`: the datatypes whose members rules ask for
long_numbers      `LongNumbers`: whether there is a number that Oxigraph cannot compute with
statements        `Literals`: asserts facts about literals when rules need them
"""
