"""The hierarchy of datatypes: which of them contain others, and which have no value in common.

Containment compares values, not derivations in XSD: every xsd:language is an xsd:NCName, every xsd:unsignedByte is an
xsd:short. Two datatypes are disjoint if they share no value space, or if they are ranges of integers that do not
overlap. All other datatypes with a common value space have a common value.

Law: `is_subtype(d, e)` exactly if each value of d is a value of e; `are_disjoint(d, e)` exactly if no value of d is a
value of e. A datatype that is not in `DATATYPES` is only known to contain itself.
Cost: a look-up.
"""

from __future__ import annotations

from functools import cache

from kgreason.datatypes.datatype_map import DATATYPE_MAP, DATATYPES
from kgreason.datatypes.spaces.numeric import WHOLE
from kgreason.terms import vocabulary as v

_ABOVE = {
    v.OWL_RATIONAL: (v.OWL_REAL,),
    v.XSD_DECIMAL: (v.OWL_RATIONAL,),
    v.XSD_INTEGER: (v.XSD_DECIMAL,),
    v.XSD_NON_NEGATIVE_INTEGER: (v.XSD_INTEGER,),
    v.XSD_NON_POSITIVE_INTEGER: (v.XSD_INTEGER,),
    v.XSD_POSITIVE_INTEGER: (v.XSD_NON_NEGATIVE_INTEGER,),
    v.XSD_NEGATIVE_INTEGER: (v.XSD_NON_POSITIVE_INTEGER,),
    v.XSD_LONG: (v.XSD_INTEGER,),
    v.XSD_INT: (v.XSD_LONG,),
    v.XSD_SHORT: (v.XSD_INT,),
    v.XSD_BYTE: (v.XSD_SHORT,),
    v.XSD_UNSIGNED_LONG: (v.XSD_NON_NEGATIVE_INTEGER,),
    v.XSD_UNSIGNED_INT: (v.XSD_UNSIGNED_LONG, v.XSD_LONG),
    v.XSD_UNSIGNED_SHORT: (v.XSD_UNSIGNED_INT, v.XSD_INT),
    v.XSD_UNSIGNED_BYTE: (v.XSD_UNSIGNED_SHORT, v.XSD_SHORT),
    v.RDF_LANG_STRING: (v.RDF_PLAIN_LITERAL,),
    v.XSD_STRING: (v.RDF_PLAIN_LITERAL,),
    v.XSD_NORMALIZED_STRING: (v.XSD_STRING,),
    v.XSD_TOKEN: (v.XSD_NORMALIZED_STRING,),
    v.XSD_NMTOKEN: (v.XSD_TOKEN,),
    v.XSD_NAME: (v.XSD_NMTOKEN,),
    v.XSD_NCNAME: (v.XSD_NAME,),
    v.XSD_LANGUAGE: (v.XSD_NCNAME,),
    v.XSD_DATE_TIME_STAMP: (v.XSD_DATE_TIME,),
    v.XSD_DAY_TIME_DURATION: (v.XSD_DURATION,),
    v.XSD_YEAR_MONTH_DURATION: (v.XSD_DURATION,),
}
"""For each datatype, the smallest other datatypes that contain it. Only rdfs:Literal contains a datatype not listed."""


def is_subtype(datatype: str, other: str) -> bool:
    """Whether all values of `datatype` are known to be values of `other`. True if both are the same datatype."""
    return datatype == other or other in supertypes(datatype)


@cache
def supertypes(datatype: str) -> tuple[str, ...]:
    """Return all other datatypes that contain `datatype`, in the order of `DATATYPES`; () for an unknown datatype."""
    if datatype not in DATATYPE_MAP or datatype == v.RDFS_LITERAL:
        return ()
    found = {v.RDFS_LITERAL}
    for above in _ABOVE.get(datatype, ()):
        found.update((above, *supertypes(above)))
    return tuple(name for name in DATATYPES if name in found)


def are_disjoint(datatype: str, other: str) -> bool:
    """Whether two datatypes are known to have no value in common."""
    if datatype not in DATATYPE_MAP or other not in DATATYPE_MAP:
        return False
    if DATATYPE_MAP[datatype].spaces.isdisjoint(DATATYPE_MAP[other].spaces):
        return True
    return datatype in WHOLE and other in WHOLE and (_is_above(datatype, other) or _is_above(other, datatype))


def _is_above(datatype: str, other: str) -> bool:
    low, high = WHOLE[datatype][0], WHOLE[other][1]
    return low is not None and high is not None and low > high
