"""The executable specification: DBSP on dictionaries, the three circuits of the DYRE paper built from it, and strata.

(DYRE: Carneiro de Lima et al., see docs/architecture/commit.md.) Rules are data: they flow into a circuit of constant
size, as the facts do. Read the modules in this order; each starts with its equations.

    zset         Z-sets as dictionaries: plus, negative, distinct, join, antijoin, group
    stream       streams of (nested) time; the circuit that holds them; z^-1
    operators    lift, integrate, differentiate; into a nested stream and out of it
    incremental  joins, distinct, antijoin and group on changes instead of states
    rewriting    unification and substitutions
    kit          what the circuit sees of a program: directions, grounding signals, queries, join orders
    functions    what expressions and aggregates mean; the caller of a circuit passes this meaning
    consequences the immediate consequences by definition
    grounding    gatekeep, product, ground, index; the steps of FILTER, BIND, AGGREGATE and NOT
    figures      the circuits below, wired
    strata       the order in which rules are evaluated
    reference    ReferenceCircuit: commit facts and rules, see the model level by level

D and I work along the commits. d0 leads into the levels of a commit, z^-1 delays by one level, and the integral S leads
out of the levels. All streams of Fig. 2 and 3 carry changes, not states.

Fig. 1, naive: each commit computes the fixpoint of T, the immediate-consequence operator, over all asserted facts.

    asserted -- I -- hold --> (+) -- distinct --+-------------------> S -- D --> change of the model
                               ^                |
                               +---- z^-1 ---- T <-- hold -- I -- rules

Fig. 2, incremental: no state is computed again. A second loop inside the level goes along the rule bodies, one body
atom in each step. The rows of this loop are the rewrites: partial matches of a body, also called *walks* along the
body. z'^-1 delays by one step, and the integral S' leads out of the steps.

    asserted -- d0 --> (+) -- distinct --+-------------------------------> S --> change of the model
                        ^                |
                        |                +----- facts -----------+
                       z^-1                                      v
                        |      start --> (+) --+-- gatekeep --> product --+
                        |                 ^    |      ^                   |
                        |                 |    |  directions              |
                        |                 |    |                          |
                        |                 +----|------- z'^-1 <-----------+
                        |                      |
                        +------ ground <-- S' -+
                                  ^
                               signals

    rules --+-- dir -- distinct -- d0 --> directions
            +-- sig -- distinct -- d0 --> signals

Fig. 3, indexed: as Fig. 2, but an index holds the facts under the keys that the join orders name, and a walk meets only
the facts under its key.

    facts --> index --> probe (in place of product)
                ^
    rules -- jorder -- distinct -- d0

Strata: NOT and AGGREGATE read only final facts. So each stratum has a circuit as above, and the circuit of the next
stratum starts from the model of this one. FILTER, BIND, AGGREGATE and NOT are steps of the walk, as an atom is. A
separate walk goes along the atoms inside a NOT or AGGREGATE. It reads only the facts from the strata below (*from
below* in the drawing), so it has no levels.

    from below --+---------------------------------> d0 --> (+) --> levels, as in Fig. 2 --> change of the model
                 |
                 +--> walk inside NOT --- matches --> meet --> excluded --+
                 |                                     ^                  v
                 |          rewrites before a NOT -----+------------> antijoin --> rewrites behind it
                 |
                 +--> walk inside AGGREGATE --- matches --- group --+
                                                                    v
                            rewrites before an AGGREGATE ------> look_up --> rewrites behind it

                            rewrites before a FILTER or BIND --> compute --> rewrites behind it
"""

from kgreason.circuit.reference import ReferenceCircuit

__all__ = ["ReferenceCircuit"]
