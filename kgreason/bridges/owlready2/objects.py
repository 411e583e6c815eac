"""Write inferred rows into an owlready2 world: into its quadstore, and into the Python objects that are loaded.

owlready2 caches parts of the quadstore in Python objects: `is_a` and `__class__`, equivalent entities, property values.
Rows are written to the quadstore first. Then `is_a` is set to the parents that the quadstore has. This happens inside
`with LOADING`, so that owlready2 writes no triples itself. The other caches are dropped; owlready2 reads the quadstore
again when they are used.

Invariant: `is_a` has the same parents as the quadstore. If the user edits `is_a`, owlready2 writes only the difference
to the last value. So the edit does not assert a parent that is only inferred. Cost: proportional to the changes since
the last call, and to the number of inferred rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from owlready2 import base
from owlready2.base import LOADING

from kgreason.bridges.owlready2.inferences import INFERENCES
from kgreason.bridges.owlready2.log import Row, rows

_PARENTS = (base.rdf_type, base.rdfs_subclassof, base.rdfs_subpropertyof)
_EQUIVALENTS = (base.owl_equivalentclass, base.owl_equivalentproperty)


def replace_inferences(world: Any, wanted: set[Row]) -> tuple[int, int]:
    """Make the rows `wanted` the only inferences of the world. Returns how many rows were added and how many removed.

    The ontology numbers in `wanted` are ignored.
    """
    ontology = _inferences(world)
    number, header = ontology.graph.c, ontology.storid
    stored = (row for objs in (True, False) for row in rows(world.graph.db, f"c = {number}", objs=objs))
    now = {row for row in stored if row.s != header}
    wanted = {row._replace(c=number) for row in wanted}
    gone, come = now - wanted, wanted - now
    for row in gone:
        _delete(ontology, row)
    for row in come:
        _add(ontology, row)
    _refresh(world, come, gone)
    return len(come), len(gone)


def _inferences(world: Any) -> Any:
    """Return the ontology that holds the inferences. Make it if the world has none.

    The ontology is made inside `with LOADING`, because the caller may be inside `with ontology`.
    """
    with LOADING:
        return world.get_ontology(INFERENCES)


def _delete(ontology: Any, row: Row) -> None:
    if row.d is None:
        ontology._del_obj_triple_raw_spo(row.s, row.p, row.o)
    else:
        ontology._del_data_triple_raw_spod(row.s, row.p, row.o, row.d)


def _add(ontology: Any, row: Row) -> None:
    if row.d is None:
        ontology._add_obj_triple_raw_spo(row.s, row.p, row.o)
    else:
        ontology._add_data_triple_raw_spod(row.s, row.p, row.o, row.d)


def _refresh(world: Any, come: Iterable[Row], gone: Iterable[Row]) -> None:
    """Bring the loaded Python objects up to date after rows were added (`come`) and removed (`gone`)."""
    changed = [*come, *gone]
    _reparent(world, gone, _parents_without)  # removals first: a former parent may become a child
    _reparent(world, come, _parents_with)
    if any(row.p in _EQUIVALENTS for row in changed):
        _forget_equivalents(world)
    for row in changed:
        if row.p not in (*_PARENTS, *_EQUIVALENTS):
            _forget_value(world, row)


def _reparent(world: Any, changed: Iterable[Row], edited: Callable[[Any, Any, list[int]], list[Any]]) -> None:
    """Set `is_a` anew for each loaded entity that gets or loses a parent by the rows `changed`.

    `edited` is `_parents_with` or `_parents_without`. It takes the world, the entity, and the numbers of the parents
    that the entity gets or loses. It returns the new parents.
    """
    parents: dict[int, list[int]] = defaultdict(list)
    for row in changed:
        if row.p in _PARENTS:
            parents[row.s].append(int(row.o))
    for storid in sorted(parents):
        if (entity := world._entities.get(storid)) is not None:
            with LOADING:
                # owlready2 refuses a class as its own parent, but keeps it in `is_a`, which then cannot be set again
                parents_now = edited(world, entity, sorted(parents[storid]))
                entity.is_a.reinit([parent for parent in parents_now if parent is not entity])


def _parents_without(world: Any, entity: Any, gone: list[int]) -> list[Any]:
    """Return the parents of an entity without those in `gone`. A parent that an ontology still asserts stays."""
    asserted = {o for relation in _PARENTS for o in world._get_obj_triples_sp_o(entity.storid, relation)}
    lost = [world._get_by_storid(storid) for storid in gone if storid not in asserted]
    return [parent for parent in entity.is_a if not any(parent is each for each in lost)]


def _parents_with(world: Any, entity: Any, come: list[int]) -> list[Any]:
    """Return the parents of an entity, and after them the new ones from `come`."""
    new = [world._get_by_storid(storid) for storid in come]
    before = list(entity.is_a)
    return before + [parent for parent in new if not any(parent is each for each in before)]


def _forget_equivalents(world: Any) -> None:
    for entity in list(world._entities.values()):
        if entity.namespace.world is world and getattr(entity, "_equivalent_to", None) is not None:
            entity._equivalent_to = None


def _forget_value(world: Any, row: Row) -> None:
    """Drop the cached values of a row's property for its subject, and of the inverse property for its object."""
    property_ = world._get_by_storid(row.p)
    if property_ is None:
        return
    inverse = property_.inverse_property if row.d is None else None
    reverse = inverse.python_name if inverse else f"INVERSE_{property_.python_name}"
    ends = [(row.s, property_.python_name), *([(int(row.o), reverse)] if row.d is None else [])]
    for storid, name in ends:
        if (entity := world._entities.get(storid)) is not None:
            vars(entity).pop(name, None)
