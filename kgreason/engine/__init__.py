"""The engine: facts and rules as numbers (ids). After each commit, the facts are the closure under the rules.

The engine is the circuit of DYRE on integer columns. Other packages enter by these doors alone, as a
contract of the linter says:

engine, reader        Engine: commits of facts and rules; Reader: what may be asked of the engine
changes, limits       the result of a commit, and what ends an evaluation
facts.facts           Facts: a reader of the facts
facts.matching                   what NOT and other operators ask of the facts that a commit changed
program.encoding, program.shapes rules as numbers
records               facts at rest
costs, support        the work of each rule, and the facts that need it

Behind the doors:

memory/, facts/, program/, index/, level/  the parts of a circuit
circuit               Circuit: the arrays, and the loop that calls the kernels
scratch               the scratch arrays of a circuit
crew/                 the workers of a circuit: threads that divide the work of large levels
update                Update: Retract, Rederive, Assert; Forecasts: the choice between Update and Bootstrap
rebuild               the facts that a Bootstrap starts from, and the changes that a Bootstrap made
"""
