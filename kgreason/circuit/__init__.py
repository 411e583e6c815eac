"""The executable specification: DBSP on dictionaries, and the three circuits of the DYRE paper built from it.

(DYRE: Carneiro de Lima et al., see docs/architecture.md.) Rules are data: they flow into a circuit of constant size, as
the facts do. Read the modules in this order; each starts with its equations.

    zset         Z-sets as dictionaries: plus, negative, distinct, join
    stream       streams of (nested) time; the circuit that holds them; z^-1
    operators    lift, integrate, differentiate; into a nested stream and out of it
    incremental  joins and distinct on changes instead of states
    rewriting    unification, substitutions, and immediate consequences by definition
    kit          what the circuit sees of a program: directions, grounding signals, join orders
    grounding    gatekeep, product, ground, index
    figures      the circuits below, wired
    reference    ReferenceCircuit: commit facts and rules, see the model level by level

D and I work along the commits. d0 leads into the levels of a commit, z^-1 delays by one level, and the integral S leads
out of the levels. All streams of Fig. 2 and 3 carry changes, not states.

Fig. 1, naive: each commit computes the fixpoint of T, the immediate-consequence operator, over all asserted facts.

    asserted -- I -- hold --> (+) -- distinct --+-------------------> S -- D --> change of the model
                               ^                |
                               +---- z^-1 ---- T <-- hold -- I -- rules

Fig. 2, incremental: no state is computed again. A second loop inside the level walks along the rule bodies, one body
atom in each step; its rows are the rewrites. z'^-1 delays by one step, and the integral S' leads out of the steps.

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
"""
