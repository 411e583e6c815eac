"""Whether a term fits the type of a column of a relation.

    a datatype        the literals whose value is in the datatype: for xsd:integer also "5"^^xsd:byte
    rdfs:Literal      every literal
    rdfs:Resource     IRIs and blank nodes
    no type           every term

If kgreason does not know a datatype, exactly the literals with this datatype fit. Cost: reading the literal.
"""

from __future__ import annotations

from kgreason.datatypes.datatype_map import DATATYPE_MAP, is_member, values
from kgreason.datatypes.literals import parts_of_literal
from kgreason.datatypes.value import IllTyped
from kgreason.terms.vocabulary import RDFS_LITERAL, RDFS_RESOURCE


def misfit(term: str, type_: str | None) -> str | None:
    """Return, in words, why a term does not fit the type of a column, or None if it fits.

    `term` is N-Triples text; `type_` is the IRI of the type, or None if the column has no type.
    """
    if type_ is None:
        return None
    if type_ == RDFS_RESOURCE:
        return "expected an IRI or a blank node" if term.startswith(('"', "<<(")) else None
    if not term.startswith('"'):
        return f"expected a literal of {type_}"
    (found,) = values([term])
    if isinstance(found, IllTyped):
        return f"not a value of its datatype: {found.problem}"
    if type_ == RDFS_LITERAL:
        return None
    if found is None or type_ not in DATATYPE_MAP:
        return None if parts_of_literal(term).datatype == type_ else f"expected a literal of {type_}"
    return None if is_member(found, type_) else f"expected a literal of {type_}"
