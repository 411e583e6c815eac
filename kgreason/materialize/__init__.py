"""Quads and rules in, changes out; no store is known here. See docs/architecture.md.

options, selection which rules a graph runs; how it reads its schema and shows equal terms edit, imports the edit and
the result of a commit; the documents of owl:imports quads/ which graph holds which asserted triple schema_rows,
schema_closure which triples are schema; the schema closed twins, program restrictions that say the same; which rules
run, and why literals/, same_as/ facts about literals that rules need; equal terms materializer Materializer: change,
then accept or rollback state, precomputed the state as arrays; a closure that was computed elsewhere specification
ReferenceEngine: the slow circuit in the engine's place
"""
