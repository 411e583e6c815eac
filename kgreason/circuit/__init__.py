"""The executable specification: DBSP on dictionaries, and on it the three circuits of DYRE.

Rules are data: they flow into a circuit of constant size, as the facts do. Read the modules in this order; each starts
with its equations.

    zset         Z-sets as dictionaries: plus, negative, distinct, join
    stream       streams of (nested) time; the circuit that holds them; z^-1
    operators    lift, integrate, differentiate; into a nested stream and out of it
    incremental  joins and distinct on changes instead of states
    rewriting    unification, substitutions, and immediate consequences by definition
    kit          what the circuit sees of a program: directions, grounding signals, join orders
    grounding    gatekeep, product, ground, index
    figures      the circuits below, wired
    reference    ReferenceCircuit: commit facts and rules, see the model level by level

D and I are along the commits; d0 leads into the levels of a commit, z^-1 delays by one level, and the integral S leads
out. Everything between two changes is a change.

Fig. 1, naive: at each commit the fixpoint of T, the immediate-consequence operator, over what holds then.

    asserted -- I -- hold --> (+) -- distinct --+-------------------> S -- D --> change of the model
                               ^                |
                               +---- z^-1 ---- T <-- hold -- I -- rules

Fig. 2, incremental: no state is computed again. Walks along the bodies (rewrites) have a loop of their own inside the
level, a step for each body atom; z'^-1 delays by one step, and the integral S' leads out of the steps.

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

Fig. 3, indexed: as Fig. 2, but the facts pass through an index, which the join orders feed, and meet the walks by key.

    facts --> index --> probe (in place of product)
                ^
    rules -- jorder -- distinct -- d0
"""
