"""The types of columns of ids, and the kinds of a fact.

A fact of a commit's delta, of a saved graph and of the engine has one of three kinds: it is absent, inferred, or
asserted. A fact that is asserted and also derived counts as asserted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int32s = np.ndarray[tuple[int, int], np.dtype[np.int32]]
"""An int32 array of two dimensions. The library of kernels needs to know the dimensions of a kernel's arguments."""
Int64 = NDArray[np.int64]
UInt32 = NDArray[np.uint32]
UInt64 = NDArray[np.uint64]

ABSENT, INFERRED, IS_ASSERTED = range(3)
"""The kinds of a fact."""
