"""Quads and rules in, changes out; no store is known here. See docs/architecture.md.

selection         the rules that these options select
edit              the edit that a commit gets, and the change that it returns
imports           the documents of owl:imports
quads/            which graph holds which asserted triple
schema/           schema triples: their closure, twins, and what no rule reads
program           which rules run, and why
flags             which generic rules the data calls for
interest          which facts the operators read
literals/         facts about literals that rules need
same_as/          equal terms
relations/        facts of the user's relations
expressions/      expressions of rules that Oxigraph does not evaluate
operators/        negations, aggregates and expressions of rules
materialized      `MaterializedGraph`: the parts, the graph as users see it, and what a commit has changed in it
materializer      `Materializer`: `change`, then `accept` or `rollback`
state             the state as arrays
"""
