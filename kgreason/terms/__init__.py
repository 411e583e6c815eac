"""Terms of RDF as integers.

vocabulary  the terms with fixed ids
prefixes    messages about a prefix that is not declared
skolem      blank nodes that rules make from other terms
quoting     constants as text: strings with quotation marks and escapes, IRIs, numbers
tags        language tags keep their letters on the way through a parser
compared    the strings that an expression compares with LANG(...)
interning   the kernels that find the ids of many texts at once
dictionary  Dictionary: from a term to its id and back; only the dictionary has the texts of terms
"""
