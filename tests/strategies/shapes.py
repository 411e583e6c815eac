"""Random shapes: rule bodies in which every atom meets every other, or none."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kgreason.engine.program.shapes import Pattern, Shape

VARIABLES = 4
CONSTANTS = 3


@st.composite
def shapes(draw: DrawFn, min_atoms: int = 1, max_atoms: int = 5) -> Shape:
    """A shape whose atoms have up to three columns; constants, repeated variables and separate parts among them."""
    slots = st.integers(1, VARIABLES + CONSTANTS)
    patterns = st.builds(Pattern, st.integers(0, 1), st.lists(slots, max_size=3).map(tuple))
    body = draw(st.lists(patterns, min_size=min_atoms, max_size=max_atoms))
    return Shape((Pattern(0, ()),), tuple(body), VARIABLES)
