"""The memory block that the engine's kernels share: its words, its arrays, and how they are laid out.

A kernel is given one int64 array, the *memory block*: counters and positions first, then for each array its address,
its size (`memory.py`). So a call costs one argument, whatever the circuit holds.

One row store holds the facts of every table. A row is one record, so that a probe touches one cache line: its state,
its stamp, its support, then the columns of the fact, as many as the widest table has, padded with id 0. Relation ids
are never RDF term ids, so rows of two tables are never equal; the state tells which table a row belongs to, so that a
triple pattern whose subject is free never meets an n-ary fact.

A rewrite is a vector of *slots*: slot 0 is the constant 0 (the padding), then the rule's variables, then its
constants. Bodies, keys and heads are lists of slot numbers, so that rules of one shape share one plan and differ in
their constants alone (DYRE: a circuit of constant size).

Hash tables are open-addressing arrays of uint32: an entry is `tag << bits | number + 1`, 0 is free, `bits` is the
base-2 logarithm of the table's size and `tag` the next bits of the hash, so that a miss seldom reads a row.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Int8 = NDArray[np.int8]
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
# WAITING rows belong to the current level but to a later segment of it. While facts leave (Retract) the rows of the
# delta are those that leave; they are GONE once their derivations are taken back, and stay in the hash table until the
# commit is settled. A DEAD row is out of the hash table, but some posting still names it.
FREE, OLD, CURRENT, NEXT, WAITING, GONE, DEAD = range(7)
AGE = 7
LOGGED = 32  # a flag of the state: the undo log has the row as it was
MET = 64  # a flag: the row is counted for the keys that it meets, and stands where their live asks want it
ASSERTED = 128  # a flag
TABLE = 8  # the table's number is the state without its low eight bits

# What body atoms may see, as bit sets of ages.
ONLY_OLD = 1 << OLD
OLD_AND_CURRENT = 1 << OLD | 1 << CURRENT
NOT_LEFT = 1 << OLD | 1 << NEXT
NOT_GONE = NOT_LEFT | 1 << WAITING
NOT_GONE_AND_CURRENT = NOT_GONE | 1 << CURRENT

# What the circuit does with the heads it makes: phases of a commit (docs/architecture.md), or noting substitutions.
ASSERT, RETRACT, REDERIVE, EXPLAIN = range(4)

# Statuses of `advance`.
DONE, RUNNING, NEED_ROWS, NEED_POSTINGS, NEED_ARRANGEMENT, NEED_READER = range(6)

# Phases of a level.
GATEKEEP, SCAN, PRODUCT, DISTINCT = range(4)

# What a commit makes of a fact.
ABSENT, INFERRED, IS_ASSERTED = range(3)

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
    WANTED,  # the ask of a plan that is not live
    AT_RULE,  # the rule that is being evaluated
    LEVELS,  # levels run
    CALLS,  # kernel phases run: gatekeep, scan, product and distinct
    SCAN_AT,  # the next of the scanned rows
    SCAN_END,  # where the scan ends; 0 when the delta is what drives the circuit
    SCAN_KEY,  # the key and the plan that the scanned rows are for,
    SCAN_PLAN,  # or -1: they are heads, for which backward plans are run
    QUIET,  # the id of a property whose reflexive triples are not derived (owl:sameAs), or 0
    MODE,  # ASSERT, RETRACT, REDERIVE or EXPLAIN
    PARTIAL,  # 1: a row may stand in some of the arrangements it belongs to, and not be counted
    N_DEAD,  # rows that are DEAD
    N_BACK_SHAPES,  # shapes of head keys
    N_UNMET,  # rows taken out of arrangements, ever
    FREE_GROUP,  # the first free group + 1
    N_SIGNED,  # groups that have set a bit in the filter of their hashes
    COUNTERS,
) = range(45)

ARRAYS = (
    "rows",  # int32[n, 3 + w]: the fact table
    "entries",  # uint32[2**k]: its hash table
    "queue",  # int32[n]: rows in the order in which an evaluation added them
    "free",  # int32[n]: free rows
    "undo",  # int32[n, 4]: row, state, stamp and support before a write
    "changed",  # int32[n, 3 + w]: what a fact was and is (see `ABSENT`), its table, then its columns, as in a row
    "shapes",  # int32[s, 2 + c]: table, number of constant columns, those columns
    "back_shapes",  # int32[s, 2 + c]: the same for head atoms
    "filters",  # int32[t, 1 + w]: bits of the shapes of a table, then of those that leave a column free
    "keys",  # int32[k, w]: the constants of a trigger key, in place
    "key_info",  # int32[k, 3]: shape (of heads: `BACK` + shape), first plan, first ask
    "key_count",  # int32[k]: present facts that meet the key
    "key_entries",  # uint32[2**k]
    "asks",  # int32[a, 3]: arrangement, next ask of the key, the key
    "asked",  # uint32[ids]: bits of the shapes of which some key has the id
    "plans",  # int32[p, 5]: rule, first step, next plan of the key, start and end of the other steps
    "steps",  # int32[s, 8 + 2 w]: see `STEP_*`
    "nodes",  # int32[n, 2]: start and end of the steps that may come next; none: the heads are due
    "templates",  # int32[h, 1 + w]: for a head after a last step its table, and where each column comes from
    "rules",  # int32[r, 7]: see `RULE_*`
    "constants",  # int32[c]: constants of the rules
    "rule_keys",  # int32[b]: trigger keys of the body atoms of the rules
    "arranged",  # int32[a, 4 + c]: see `ARRANGED_*`, then the columns
    "live",  # int32[a, 2]: whether the arrangement holds any rows; the last row that was taken out of it, as N_UNMET
    "live_asks",  # int32[a]: whether the ask's arrangement holds the rows of its key
    "groups",  # int32[g, 5]: see `GROUP_*`
    "group_entries",  # uint32[2**k]
    "signs",  # uint32[2**k / 4]: eight bits for each entry, a filter of the hashes of the groups
    "postings",  # int32[n]: rows of the groups, each run in room for a power of two
    "values",  # int32[n]: beside each posting, what its row has in the first column that the arrangement leaves free
    "free_runs",  # int32[32]: first free run + 1 of each power of two; a free run starts with the next one
    "scanned",  # int32[n]: the rows that a scan looks at
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
    "traced",  # int32[h, 1 + slots]: rule and slots of a derivation
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
    CHANGED,
    SHAPES,
    BACK_SHAPES,
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
    LIVE,
    LIVE_ASKS,
    GROUPS,
    GROUP_ENTRIES,
    SIGNS,
    POSTINGS,
    VALUES,
    FREE_RUNS,
    SCANNED,
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
    TRACED,
    FRAMES,
    FIRST_PROBES,
    HASHES,
) = range(COUNTERS, COUNTERS + 3 * len(ARRAYS), 3)
WORDS = COUNTERS + 3 * len(ARRAYS)

# The bit of a shape in `filters` and `asked`: shapes from SHARED_BIT on share one. Shapes without a constant have none;
# an arrangement that such a shape asks for has EVERY_ROW in place of bits.
SHARED_BIT = 30
EVERY_ROW = -1

# The words of an arrangement before its columns: its table, how many columns, bits of the shapes that ask for it, the
# word of a row that holds the first column left free.
ARRANGED_TABLE, ARRANGED_COUNT, ARRANGED_BITS, ARRANGED_VALUE, ARRANGED_COLUMNS = range(5)

# A group: a row with the key's columns stands for it. START is the row itself when LENGTH is 1; 0 rows: a free group.
# DEAD is the number of its dead rows, times 32, plus the base-2 logarithm of its run's room.
GROUP_ARRANGEMENT, GROUP_START, GROUP_LENGTH, GROUP_FIRST, GROUP_DEAD, GROUP = range(6)
ONE_DEAD = 32

BACK = 1 << 20
"""Shapes of head keys are numbered from here on."""

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
