"""The memory block that the engine's kernels share: its words, its arrays, and how they are laid out.

A kernel is given one int64 array, the *memory block*: counters and positions first, then for each array its address,
its size (`memory.py`). So a call costs one argument, whatever the circuit holds.

One row store holds the facts of every table. A row is one record, so that a probe touches one cache line: its state,
its stamp, its support, then the columns of the fact, as many as the widest table has, padded with id 0. Relation ids
are never RDF term ids, so rows of two tables are never equal; the state tells which table a row belongs to, so that a
triple pattern whose subject is free never meets an n-ary fact.

A rewrite is a vector of *slots*: slot 0 is the constant 0 (the padding), then the rule's variables, then its
constants. Bodies, keys and heads are lists of slot numbers, so that rules of one shape share one plan and differ in
their constants alone (DESIGN.md 3: a circuit of constant size).

Hash tables are open-addressing arrays of uint32: an entry is `tag << bits | number + 1`, 0 is free, `bits` is the
base-2 logarithm of the table's size and `tag` the next bits of the hash, so that a miss seldom reads a row.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
UInt32 = NDArray[np.uint32]
UInt64 = NDArray[np.uint64]
Block = NDArray[np.int64]
Number: TypeAlias = Any
"""An integer inside a kernel: which of NumPy's it is decides how it is compiled, which Python's types cannot say."""
Flag: TypeAlias = Any
"""A truth value inside a kernel."""

# The words of a row: three of its own, then the fact's columns.
STATE, STAMP, SUPPORT, FIRST = range(4)

# The age of a row, the low three bits of its state.
# WAITING rows belong to the current level but to a later segment of it.
FREE, OLD, CURRENT, NEXT, WAITING = range(5)
AGE = 7
ASSERTED = 128  # a flag of the state
TABLE = 8  # the table's number is the state without its low eight bits

ONLY_OLD = 1 << OLD
OLD_AND_CURRENT = 1 << OLD | 1 << CURRENT

# Statuses of `advance`.
DONE, RUNNING, NEED_ROWS, NEED_POSTINGS, NEED_ARRANGEMENT = range(5)

# Phases of a level.
GATEKEEP, SCAN, PRODUCT, DISTINCT = range(4)

# The counters and positions of the memory block.
(
    N_ROWS,  # rows of the fact table in use, the free ones among them
    N_FREE,  # rows on the free list
    N_QUEUE,  # rows that this evaluation added, in order: the queue
    N_TOUCHED,  # rows written in the undo log
    LOGGING,  # 1: the undo log is kept
    RANKED,  # 1: ranks are read from stamps (Update); 0: every rank is the level (Bootstrap)
    LEVEL,  # rank of the current delta in Bootstrap
    LEVEL_END,  # end of the current level in the queue
    SEGMENT_LOW,  # start of the current segment in the queue
    SEGMENT_HIGH,  # end of it, once it is gatekept
    PHASE,
    FUEL,  # rewrites and rows that may still be met before control returns to Python
    REWRITES,  # rewrites extended
    DERIVATIONS,  # heads made
    BEFORE,  # ages that the body atoms before the changed one see, as a bit set
    AFTER,  # ages that the body atoms after it see
    N_HEADS,  # heads in the buffer
    N_HITS,  # (key, row) pairs of the segment
    N_GROUPS,  # distinct keys among them
    AT_GROUP,  # where product goes on: the group,
    AT_PLAN,  # the plan (-1: the first of the group),
    AT_ROW,  # the row of the group that comes next,
    AT_DEPTH,  # the depth of the rewrite that was interrupted (-1: none)
    BLOCK_LOW,  # the rows whose first probe is made already
    BLOCK_HIGH,
    N_SHAPES,  # shapes of trigger keys
    N_ARRANGED,  # groups of the arrangements
    N_POSTINGS,  # words of the posting arena in use
    WANTED,  # the arrangement that a plan asked for
    AT_RULE,  # the rule that is being evaluated
    LEVELS,  # levels run
    CALLS,  # kernel phases run: gatekeep, scan, product and distinct
    SCAN_AT,  # the next row that a scan looks at
    SCAN_END,  # where the scan ends; 0 when the delta is what drives the circuit
    QUIET,  # the id of a property whose reflexive triples are not derived (owl:sameAs), or 0
    COUNTERS,
) = range(36)

ARRAYS = (
    "rows",  # int32[n, 3 + w]: the fact table
    "entries",  # uint32[2**k]: its hash table
    "queue",  # int32[n]: rows in the order in which an evaluation added them
    "free",  # int32[n]: free rows
    "undo",  # int32[n, 4]: row, state, stamp and support before a write
    "shapes",  # int32[s, 2 + c]: table, number of constant columns, those columns
    "filters",  # int32[t, 1 + w]: bits of the shapes of a table, then of those that leave a column free
    "keys",  # int32[k, w]: the constants of a trigger key, in place
    "key_info",  # int32[k, 3]: shape, first plan, first ask
    "key_count",  # int32[k]: present facts that meet the key
    "key_entries",  # uint32[2**k]
    "asks",  # int32[a, 2]: arrangement, next ask of the key
    "asked",  # uint32[ids]: bits of the shapes of which some key has the id
    "plans",  # int32[p, 5]: rule, first step, next plan of the key, start and end of the other steps
    "steps",  # int32[s, 8 + 2 w]: see `STEP_*`
    "nodes",  # int32[n, 2]: start and end of the steps that may come next; none: the heads are due
    "templates",  # int32[h, 1 + w]: for a head after a last step its table, and where each column comes from
    "rules",  # int32[r, 7]: see `RULE_*`
    "constants",  # int32[c]: constants of the rules
    "rule_keys",  # int32[b]: trigger keys of the body atoms of the rules
    "arranged",  # int32[a, 4 + c]: table, number of columns, live, bits of the shapes that ask for it, those columns
    "groups",  # int32[g, 4]: arrangement, start, length, first row
    "group_entries",  # uint32[2**k]
    "postings",  # int32[n]: rows of the groups, each run in room for a power of two
    "heads",  # int32[h + 1, w]: the head buffer, and a line for keys
    "ranks",  # int32[h]
    "tables",  # int32[h]
    "hit_keys",  # int32[n]: the segment's hits
    "hit_rows",  # int32[n]
    "grouped",  # int32[n]: their rows, grouped by key
    "group_key",  # int32[n]
    "group_low",  # int32[n + 1]
    "key_fill",  # int32[k]: zero between segments
    "slots",  # int32[n]: the rewrite
    "frames",  # int32[depth, 5]: the stack of a search, see `STEP` and following
    "first_probes",  # int32[b + 1, 5]: first probes of a block of rewrites
    "hashes",  # uint64[b]
)
(
    ROWS,
    ENTRIES,
    QUEUE,
    FREE_ROWS,
    UNDO,
    SHAPES,
    FILTERS,
    KEYS,
    KEY_INFO,
    KEY_COUNT,
    KEY_ENTRIES,
    ASKS,
    ASKED,
    PLANS,
    STEPS,
    NODES,
    TEMPLATES,
    RULES,
    CONSTANTS,
    RULE_KEYS,
    ARRANGED,
    GROUPS,
    GROUP_ENTRIES,
    POSTINGS,
    HEADS,
    RANKS,
    TABLES,
    HIT_KEYS,
    HIT_ROWS,
    GROUPED,
    GROUP_KEY,
    GROUP_LOW,
    KEY_FILL,
    SLOTS,
    FRAMES,
    FIRST_PROBES,
    HASHES,
) = range(COUNTERS, COUNTERS + 3 * len(ARRAYS), 3)
WORDS = COUNTERS + 3 * len(ARRAYS)

# The bit of a shape in `filters` and `asked`: shapes from SHARED_BIT on share one. Shapes without a constant have none;
# an arrangement that such a shape asks for has EVERY_ROW in place of bits.
SHARED_BIT = 30
EVERY_ROW = -1

# The words of an arrangement before its columns.
ARRANGED_TABLE, ARRANGED_COUNT, ARRANGED_LIVE, ARRANGED_BITS, ARRANGED_COLUMNS = range(5)

# A step: header, then (column, slot) for each free column, for each column to compare and for each bound one.
# A last step has a template for each head: the column of the step's own row (as a word of it), or `~slot`.
(
    STEP_ATOM,
    STEP_ARRANGEMENT,
    STEP_NEXT,
    STEP_FREE,
    STEP_COMPARED,
    STEP_BOUND,
    STEP_LATER,
    STEP_TEMPLATES,
    STEP_HEADS,
    STEP_PAIRS,
) = range(10)

# A rule: its constants (start, count, slot of the first), its keys, the number of body atoms, active, first plan.
RULE_CONSTANTS, RULE_COUNT, RULE_SLOT, RULE_FIRST_KEY, RULE_ATOMS, RULE_ACTIVE, RULE_PLAN = range(7)

# A frame: the step taken, the position in its posting, where that ends, or the one row, and the rank so far.
STEP, POSITION, END, SINGLE, RANK, FRAME = range(6)
