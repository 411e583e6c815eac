"""The engine: facts and rules as numbers (ids). After each commit, the facts are the closure under the rules.

The engine is the circuit of DYRE on integer columns.

memory/, facts/, program/, index/, level/   the parts of a circuit
circuit                     Circuit: the arrays, and the loop that calls the kernels
crew, keepers               the workers of a circuit: threads that divide the work of large levels
standby                     the thread of a worker, which stands by for the next call
elastic                     the choice between Update and Bootstrap
rebuild                     the facts that a Bootstrap starts from, and the changes that a Bootstrap made
engine                      Engine: commits
"""
