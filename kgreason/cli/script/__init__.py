"""Scripts of `kgreason run --script`: transactions of facts, and questions, as text.

syntax     lines -> commands, as soon as their semicolon is read (grammar.lark)
tables     R.facts -> facts of a graph, and derived relations -> R.csv
session    carries out commands on a graph, and answers
answers    facts, changes and proofs as the text of answers

The words are those of DDlog's command language; atoms and terms are those of rules.
"""
