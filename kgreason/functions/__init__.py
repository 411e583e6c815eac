"""Python functions that rules call: `BIND(area(?w, ?h) AS ?a)`, `FILTER(is_big(?a))`.

    signature   the types of a function, from its annotations
    values      RDF terms as Python values, and back
    columns     the same for whole columns: NumPy and Arrow arrays
    function    a function with its signature: text in, text out
    builtins    functions for the built-ins of SWRL, and of SHACL: `shacl`
    registry    the functions that a graph knows: registered by users, or found among entry points

A function must be pure: the same inputs always give the same results. kgreason calls a function once for each input and
keeps the results for as long as the store lives.
"""

from kgreason.functions.function import function
from kgreason.functions.signature import Term

__all__ = ["Term", "function"]
