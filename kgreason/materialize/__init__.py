"""Quads and rules in, changes out; no store is known here. See docs/architecture.md.

options           the options of a graph: its rules, how it reads its schema, how it shows equal terms
selection         the rules that these options select
edit              the edit that a commit gets, and the change that it returns
imports           the documents of owl:imports
quads/            which graph holds which asserted triple
schema_rows       which triples are schema triples
schema_closure    the schema triples, closed by rules
twins             restrictions that say the same
program           which rules run, and why
literals/         facts about literals that rules need
same_as/          equal terms
relations/        facts of the user's relations
expressions/      expressions of rules that Oxigraph does not evaluate
operators/        negations, aggregates and expressions of rules
materializer      `Materializer`: `change`, then `accept` or `rollback`
state             the state as arrays
precomputed       a closure that was computed elsewhere
"""
