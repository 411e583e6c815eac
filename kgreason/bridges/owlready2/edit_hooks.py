"""`EditHooks`: calls a function after each edit of an owlready2 world, so that every edit reaches the graph at once.

owlready2 edits its quadstore through methods that it binds to the instances of World and Ontology, and to their graphs.
Each of these methods is replaced by a method that calls the original method, and then the function. A change that the
user makes with SQL does not call the function. Such a change is in the change log, and reaches the graph with the next
edit. `release` restores the methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_EDITS = (
    "_add_obj_triple_raw_spo",
    "_set_obj_triple_raw_spo",
    "_del_obj_triple_raw_spo",
    "_add_data_triple_raw_spod",
    "_set_data_triple_raw_spod",
    "_del_data_triple_raw_spod",
)
_OF_WORLD = ("_del_obj_triple_raw_spo", "_del_data_triple_raw_spod", "_refactor", "_refactor_onto")


class EditHooks:
    """Calls `edited` after each edit of an ontology of a world, until `release`. Includes ontologies added later."""

    def __init__(self, world: Any, edited: Callable[[], object]) -> None:
        self._edited = edited
        self._replaced: list[tuple[Any, str, object, object]] = []
        self._hook(world, *_OF_WORLD)
        self._hook(world.graph, "destroy_entity")
        register = world._register_ontology

        def registering(ontology: Any) -> None:
            register(ontology)
            self._hook_ontology(ontology)

        self._replace(world, "_register_ontology", registering)
        for ontology in list(world.ontologies.values()):
            self._hook_ontology(ontology)

    def _hook_ontology(self, ontology: Any) -> None:
        """Replace the methods of an ontology that edit it, and those of its graph.

        The methods of the graph are replaced, too, because owlready2's `observe` calls them.
        """
        self._hook(ontology, *_EDITS)
        self._hook(ontology.graph, *_EDITS, "parse", "destroy")

    def _hook(self, owner: Any, *names: str) -> None:
        for name in names:
            self._replace(owner, name, self._method_with_hook(getattr(owner, name)))

    def _method_with_hook(self, method: Callable[..., object]) -> Callable[..., object]:
        def edit(*args: Any, **options: Any) -> object:
            result = method(*args, **options)
            if self._replaced:
                self._edited()
            return result

        return edit

    def _replace(self, owner: Any, name: str, method: object) -> None:
        self._replaced.append((owner, name, vars(owner).get(name), method))
        setattr(owner, name, method)

    def release(self) -> None:
        """Put the original methods back. A method that somebody else has replaced meanwhile stays.

        Afterwards no method calls `edited` any more.
        """
        for owner, name, before, method in reversed(self._replaced):
            if vars(owner).get(name) is not method:
                continue
            if before is None:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
        self._replaced.clear()
