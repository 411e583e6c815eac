"""owlready2: a World or an Ontology as the source of a materialized graph, and the home of what it infers.

    follow.py    `follow` and the `FollowedWorld` that it gives: sync, write_back, close
    log.py       what changed in the quadstore since the last sync, kept by SQLite itself
    lines.py     rows of the quadstore <-> N-Quads
    at_once.py   a sync after each edit, for those who ask for it
    inferred.py  what the world should be told: direct types, superclasses, property values
    objects.py   the Python objects that show them

No Java is started: `FollowedWorld.write_back` stands where `sync_reasoner` would.
"""

from kgreason.bridges.owlready2.follow import FollowedWorld, Written, follow

__all__ = ["FollowedWorld", "Written", "follow"]
