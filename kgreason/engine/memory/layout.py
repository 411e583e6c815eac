"""The memory block that the engine's kernels share: its words, and the layout of its arrays.

A kernel gets one int64 array, the *memory block*: first the counters and positions, then for each array its address and
its size (`blocks.py`). So a call passes one argument, whatever the circuit holds.

One array, `rows`, holds the facts of all tables. A row is one record, so that a probe touches one cache line. It has
the state, the stamp and the support, then the columns of the fact. Every row has as many columns as the widest table;
unused columns hold id 0, the padding. The id of a relation is never the id of an RDF term, so rows of two tables are
never equal. The state of a row says which table the row belongs to. So a triple pattern with a free subject never
matches an n-ary fact.

A rewrite is a vector of *slots*: slot 0 is the constant 0 (the padding), then come the variables of the rule, then its
constants. Bodies, keys and heads are lists of slot numbers. So rules of one shape share one plan and differ only in
their constants: the circuit has constant size.

Hash tables are open-addressing arrays of uint32. A used entry is `tag << bits | number + 1`, a free one is 0. `bits` is
the base-2 logarithm of the table's size, and `tag` the next bits of the hash, so that a miss seldom reads a row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Block = NDArray[np.int64]

# The words of a row: three of its own, then the fact's columns.
STATE, STAMP, SUPPORT, FIRST = range(4)

# A stamp is `level * ONE_LEVEL + frailty`. The level is 1 + the largest level in the bodies of the derivations with
# which the fact appeared. The *frailty* is MOST_FRAIL minus their number, at least 0. So of two facts of one level, the
# one that appeared with more derivations has the smaller stamp, and it may support the other one. A fact that was
# asserted when it appeared has stamp 0. While the derivations are counted with which a fact appears, the frailty in its
# stamp is 0. Earlier versions wrote snapshots whose stamps are levels. Nothing but the order of stamps matters, so such
# facts are used as they are.
LEVEL_BITS = 7
ONE_LEVEL = 1 << LEVEL_BITS
MOST_FRAIL = ONE_LEVEL - 1
LAST_LEVEL = (1 << (31 - LEVEL_BITS)) - 1  # no fact may have this level: a stamp is an int32

# The age of a row, the low three bits of its state.
# A WAITING row belongs to a later segment of the current level. In the phase RETRACT the rows of a level are the rows
# that leave. A row is GONE once its derivations are taken back; it stays in the hash table until `settle`. A DEAD row
# has left the hash table, but some posting still names it.
FREE, OLD, CURRENT, NEXT, WAITING, GONE, DEAD = range(7)
AGE = 7
LOGGED = 32  # a flag of the state: the undo log has a copy of the row from before the commit
MET = 64  # a flag: the row is counted for the keys that it meets, and is in the arrangements of their live asks
ASSERTED = 128  # a flag: the fact is asserted
TABLE = 8  # `state >> TABLE & LAST_TABLE` is the number of the table
LAST_TABLE = (1 << 12) - 1

# The spare derivations of a present fact are those that its support does not count: the body has a stamp that is not
# smaller than the stamp of the fact. The state has their number, or UNKNOWN if there were ever more than MOST_SPARE, or
# if the fact was evaluated elsewhere. UNKNOWN is the bit that counting sets when it goes past MOST_SPARE.
ONE_SPARE = 1 << 20
MOST_SPARE = (1 << 10) - 1
UNKNOWN = 1 << 30
SPARE = UNKNOWN | MOST_SPARE * ONE_SPARE  # the bits of the state that say how many derivations are spare

# The ages of rows that body atoms may see, as bit sets.
ONLY_OLD = 1 << OLD
OLD_AND_CURRENT = 1 << OLD | 1 << CURRENT
NOT_LEFT = 1 << OLD | 1 << NEXT
NOT_GONE = NOT_LEFT | 1 << WAITING
NOT_GONE_AND_CURRENT = NOT_GONE | 1 << CURRENT

# The phases of a commit, which use heads in different ways, and EXPLAIN, which writes substitutions instead of heads.
ASSERT, RETRACT, REDERIVE, EXPLAIN = range(4)

# Statuses of `advance`.
(
    DONE,
    RUNNING,
    NEED_ROWS,
    NEED_POSTINGS,
    NEED_HITS,
    NEED_ARRANGEMENT,
    NEED_READER,
    NEED_MEETING,
    NEED_CREW,
    NEED_LIMIT,
) = range(10)

# Phases of a level, and the phase of a worker, which runs chunks of a product (`level/shares.py`).
GATEKEEP, SCAN, PRODUCT, DISTINCT, SHARE = range(5)

# The counters and positions of the memory block.
(
    N_ROWS,  # rows of the fact table in use, including free rows
    N_FREE,  # rows on the free list
    N_QUEUE,  # rows that this evaluation added, in order: the queue
    N_TOUCHED,  # rows written in the undo log
    LOGGING,  # 1: the undo log is kept
    IS_UPDATE,  # 1: facts may be present, have left or return (Update); 0: facts only arrive (Bootstrap)
    LEVEL,  # the level of the current delta in Bootstrap
    LATEST,  # the largest stamp of a fact that this evaluation has added
    LEVEL_END,  # end of the current level in the queue
    SEGMENT_LOW,  # start of the current segment in the queue
    SEGMENT_HIGH,  # end of the current segment, once it is gatekept
    PHASE,
    FUEL,  # rewrites and rows that may still be met before control returns to Python
    REWRITES,  # rewrites extended
    DERIVATIONS,  # heads made
    BEFORE,  # ages that the body atoms before the changed one see, as a bit set
    AFTER,  # ages that the body atoms after the changed one see, as a bit set
    N_HEADS,  # heads in the buffer
    N_HITS,  # (key, row) pairs of the segment
    N_GROUPS,  # distinct keys of the hits
    AT_GROUP,  # where product goes on: the group
    AT_PLAN,  # where product goes on: the plan (-1: the first plan of the group)
    AT_ROW,  # where product goes on: the next row of the group
    AT_DEPTH,  # the depth of the interrupted rewrite (-1: no rewrite was interrupted)
    BLOCK_LOW,  # start of the rows that have made their first probe
    BLOCK_HIGH,  # end of these rows
    N_SHAPES,  # shapes of trigger keys
    N_ARRANGED,  # groups of the arrangements
    N_POSTINGS,  # words of the array `postings` in use
    WANTED,  # an ask that a plan needs and that is not live yet
    AT_RULE,  # the rule that is being evaluated
    LEVELS,  # levels run
    CALLS,  # kernel phases run: gatekeep, scan, product and distinct
    SCAN_AT,  # the next of the scanned rows
    SCAN_END,  # where the scan ends; 0: there is no scan, the delta drives the circuit
    SCAN_KEY,  # the key that the scanned rows must meet; -1: the rows are heads
    SCAN_PLAN,  # the plan that the scanned rows start; -1: the rows are heads and start backward plans
    QUIET,  # the id of a property whose reflexive triples are not derived (owl:sameAs), or 0
    MODE,  # ASSERT, RETRACT, REDERIVE or EXPLAIN
    PARTIAL,  # 1: counts and arrangements may lack rows
    N_DEAD,  # rows that are DEAD
    N_BACK_SHAPES,  # shapes of head keys
    N_UNCOUNTED,  # rows that were uncounted so far; starts at 1 again after 2,000,000,000
    FREE_GROUP,  # the first free group + 1; 0: there is none
    N_SIGNED,  # how often a new group has set a bit in the filter of hashes
    COMMIT,  # the number of the open commit, for the costs of rules
    SEGMENT,  # the most rows of a segment
    FEWEST_FACTS,  # a segment with at least so many rows meets its keys in all workers
    FEWEST_HITS,  # the product of a segment with at least so many hits is divided into chunks
    CHUNK_ROWS,  # the rows of a chunk, unless there are very many hits
    N_CHUNKS,  # chunks that wait for the crew, or whose heads are not all taken in; 0: the product is not divided
    CHUNK,  # of a worker: the chunk that it has begun and not finished, or -1
    N_EXTENTS,  # of a worker: extents in use
    AT_EXTENT,  # of a worker: the first extent whose heads are not all taken in
    SIFTS,  # of a worker: 1 if it drops heads that it can count itself; 0 if at least three quarters were kept
    UNTIL_SIFT,  # of a worker: chunks until it looks again whether to drop heads
    PART,  # of a worker: its number
    N_NOTED,  # notes in `noted`
    AT_WORK,  # the first note to enter; of a worker: where it goes on in its part, or in the notes of AT_FINDER
    AT_FINDER,  # of a worker: the worker whose found rows it enters
    N_PUT_OFF,  # of a worker: heads or found rows that one thread must enter
    N_COMMON,  # rows of the segment, or of a worker's part of it, that meet the key without constants
    N_RUNS,  # runs of heads that are taken in together
    N_NEW,  # new facts among these heads
    PART_BITS,  # the base-2 logarithm of the room of `parted`, rounded up
    ASSERTING,  # 1: the heads that are taken in are asserted facts
    CHECK_AT,  # at the end of a segment with more rewrites than this, Python looks at the limit again
    COUNTERS,
) = range(68)

_ARRAYS: list[str] = []


def _array(name: str) -> int:
    """Return the word that has the address of the next array. Its size is in the two words behind it."""
    _ARRAYS.append(name)
    return COUNTERS + 3 * (len(_ARRAYS) - 1)


ROWS = _array("rows")  # int32[n, 3 + w]: the fact table
ENTRIES = _array("entries")  # uint32[2**k]: the hash table of the fact table
QUEUE = _array("queue")  # int32[n]: rows in the order in which an evaluation added them
FREE_ROWS = _array("free")  # int32[n]: free rows
UNDO = _array("undo")  # int32[n, 4]: row, state, stamp and support before a write
SHAPES = _array("shapes")  # int32[s, 2 + c]: table, number of constant columns, those columns
BACK_SHAPES = _array("back_shapes")  # int32[s, 2 + c]: the same for head atoms
# int32[t, 1 + w]: bits of a table's shapes, then for each column bits of the shapes that leave it free
FILTERS = _array("filters")
KEYS = _array("keys")  # int32[k, w]: the constants of a key, each in its column
KEY_INFO = _array("key_info")  # int32[k, 3]: shape (for a head key: `BACK` + shape), first plan, first ask
KEY_COUNT = _array("key_count")  # int32[k]: present facts that meet the key
KEY_ENTRIES = _array("key_entries")  # uint32[2**k]: the hash table of the keys
ASKS = _array("asks")  # int32[a, 3]: arrangement, next ask of the key, the key
ASKED = _array("asked")  # uint32[2**k]: bits of the shapes that have a key with an id of this place
PLANS = _array("plans")  # int32[p, 5]: rule, first step, next plan of the key, start and end of the other steps
STEPS = _array("steps")  # int32[s, 9 + 2 w]: see `STEP_*`
# int32[n, 2]: start and end of the steps that may come next; an empty range: the body is complete
NODES = _array("nodes")
# int32[h, 1 + w]: for a head after a last step: its table, then the source of each column
TEMPLATES = _array("templates")
RULES = _array("rules")  # int32[r, 7]: see `RULE_*`
CONSTANTS = _array("constants")  # int32[c]: constants of the rules
RULE_KEYS = _array("rule_keys")  # int32[b]: trigger keys of the body atoms of the rules
ARRANGED = _array("arranged")  # int32[a, 4 + c]: see `ARRANGED_*`, then the columns
# int32[a, 2]: 1 if the arrangement is filled; N_UNCOUNTED as of the last row that was noted for it
LIVE = _array("live")
LIVE_ASKS = _array("live_asks")  # int32[a]: 1 if the arrangement of the ask holds the rows of the ask's key
GROUPS = _array("groups")  # int32[g, 6]: see `GROUP_*`
GROUP_ENTRIES = _array("group_entries")  # uint32[2**k]: the hash table of the groups
SIGNS = _array("signs")  # uint32[2**k / 4]: eight bits for each entry, a filter of the hashes of the groups
POSTINGS = _array("postings")  # int32[n]: rows of the groups; the room of each run is a power of two
# int32[n]: for each posting, the value of its row in the first column that the arrangement leaves free
VALUES = _array("values")
# int32[64]: for each power of two, its first free run + 1; a free run starts with the next one + 1, the last one with
# 0; then for each power of two, its last free run + 1, if there is a first one
FREE_RUNS = _array("free_runs")
SCANNED = _array("scanned")  # int32[n]: the rows that a scan looks at
HEADS = _array("heads")  # int32[h + 1, w]: the head buffer, and a last line for keys
RANKS = _array("ranks")  # int32[h]: the rank of each head
TABLES = _array("tables")  # int32[h]: the table of each head
HIT_KEYS = _array("hit_keys")  # int32[n]: the keys of the segment's hits
HIT_ROWS = _array("hit_rows")  # int32[n]: the rows of the segment's hits
GROUPED = _array("grouped")  # int32[n]: the rows of the hits, grouped by key
GROUP_KEY = _array("group_key")  # int32[n]: the key of each group of hits
GROUP_LOW = _array("group_low")  # int32[n + 1]: where each group of hits starts in `grouped`
KEY_FILL = _array("key_fill")  # int32[k]: counts of the grouping by key; zero between segments
SLOTS = _array("slots")  # int32[n]: the values of the current rewrite
TRACED = _array("traced")  # int32[h, 1 + slots]: rule and slots of a derivation
FRAMES = _array("frames")  # int32[depth, 5]: the stack of a search, see `STEP` and following
FIRST_PROBES = _array("first_probes")  # int32[b + 1, 5]: first probes of a block of rewrites
HASHES = _array("hashes")  # uint64[b]: the hashes of a block
COSTS = _array("costs")  # int64[r, 8]: the work of each rule, see `COST_*`
CHUNKS = _array("chunks")  # int32[c, 3]: plan, first row and end of each chunk of a product
# int64[1, 2]: the number of the next chunk; then 1 if the buffer of a worker is half full, else 0
TURN = _array("turn")
CREW = _array("crew")  # int64[t, words]: the memory blocks of the workers
EXTENTS = _array("extents")  # int64[e, 5]: see `EXTENT_*`
HASHED = _array("hashed")  # uint64[h]: the hashes of the heads in the buffer
PART_ENDS = _array("part_ends")  # int64[e, t]: for each extent, where its heads end in each part of `parted`
FILLED = _array("filled")  # int64[1, t]: where the next head of each part goes
# int32[h]: lines of heads, for each extent by part; the positions here are the places of heads
PARTED = _array("parted")
# int64[h]: for each place, the position of its entry in the hash table; see `level/entering.py`
ENTRY_AT = _array("entry_at")
COUNTED = _array("counted")  # int32[h]: for each place, the derivations of its fact
# int32[n]: zeros between two calls: the places of new facts of an extent, in the order of their heads
ORDERED = _array("ordered")
# int64[e, 3 + t]: worker and extent of heads that are taken in together, the new facts before them, and the new facts
# among them in each part
RUNS = _array("runs")
NOTED = _array("noted")  # int32[n, 2]: notes: an arrangement, and a row that it must hold, or that leaves it
NOTED_HASHES = _array("noted_hashes")  # uint64[n]: the hash of each of these rows in its arrangement

ARRAYS = tuple(_ARRAYS)
WORDS = COUNTERS + 3 * len(ARRAYS)

LENGTHS = 32
"""The number of lengths that a run may have: 2**0 to 2**31."""
# The bit of a shape in `filters` and `asked`. Shapes from number SHARED_BIT on share one bit. A shape without constants
# has no bit; an arrangement that such a shape asks for has EVERY_ROW in place of bits.
SHARED_BIT = 30
EVERY_ROW = -1
EVERY_SHAPE = -1  # all bits

# The words of an arrangement before its columns: its table, the number of columns, bits of the shapes that ask for it,
# and the word of a row that holds the first free column.
ARRANGED_TABLE, ARRANGED_COUNT, ARRANGED_BITS, ARRANGED_VALUE, ARRANGED_COLUMNS = range(5)

# A group. FIRST is a row that has the group's key. START is the start of its run; for LENGTH 1 it is the row itself.
# LENGTH 0: the group is free. DEAD is 32 times the number of dead rows, plus the base-2 logarithm of the run's room.
# HASH is the upper half of the hash of the group's key.
GROUP_ARRANGEMENT, GROUP_START, GROUP_LENGTH, GROUP_FIRST, GROUP_DEAD, GROUP_HASH, GROUP = range(7)
ONE_DEAD = 32

BACK = 1 << 20
"""The number of the first shape of head keys."""

# A step: a header, then pairs (column, slot): first the free columns, then the columns to compare, then the bound ones.
# A last step has a template for each head. A template has for each column a word of the step's own row, or `~slot`.
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

# A rule: its constants (start, count, slot of the first), its first key, the number of body atoms, 1 if it is active,
# and its first plan.
RULE_CONSTANTS, RULE_COUNT, RULE_SLOT, RULE_FIRST_KEY, RULE_ATOMS, RULE_ACTIVE, RULE_PLAN = range(7)

# The work of a rule: rewrites and derivations since the circuit was made; the number of the last commit that ran the
# rule, with its rewrites and derivations; the same three words for the commit that ran it before.
(
    COST_REWRITES,
    COST_DERIVATIONS,
    COST_COMMIT,
    COST_LAST_REWRITES,
    COST_LAST_DERIVATIONS,
    COST_BEFORE,
    COST_BEFORE_REWRITES,
    COST_BEFORE_DERIVATIONS,
    COST_WORDS,
) = range(9)

# A frame: the step, the position in its posting, the end of the posting, the single row (-1: there is a posting), and
# the rank so far.
STEP, POSITION, END, SINGLE, RANK, FRAME = range(6)

# An extent: heads START to END - 1 of a worker are heads of chunk CHUNK; then its rewrites and derivations, until they
# are counted.
EXTENT_CHUNK, EXTENT_START, EXTENT_END, EXTENT_REWRITES, EXTENT_DERIVATIONS, EXTENT = range(6)
