"""owlready2: materialize the triples of a World or an Ontology, and write the inferences back into the World.

    follow.py      `follow`, which returns a `FollowedWorld` with the methods sync, write_back and close
    log.py         the changes of the quadstore since the last sync, noted by triggers of SQLite
    lines.py       turns rows of the quadstore into lines of N-Quads
    edit_hooks.py  calls `sync` after each edit (option `at_once`)
    inferences.py  selects the inferences for the world: direct types, superclasses, property values
    objects.py     writes inferences into the quadstore and into the loaded Python objects

No Java is started: call `FollowedWorld.write_back` instead of `sync_reasoner`.
"""

from kgreason.bridges.owlready2.follow import FollowedWorld, Written, follow

__all__ = ["FollowedWorld", "Written", "follow"]
