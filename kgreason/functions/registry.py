"""`Registry`: the Python functions that the rules of a graph may call.

Users register functions. If a rule calls a function that nobody registered, the entry points of installed packages are
searched (group `kgreason.functions`). An entry point is a function, or a module with functions. Invariant: a name keeps
its signature for as long as the registry lives.

Threads: registering needs the graph's lock. Cost: entry points are read once, when the first unknown name is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeAlias

from kgreason.errors import InputError, InputTypeError
from kgreason.functions.builtins import PREFIXES, builtins
from kgreason.functions.function import PythonFunction, is_marked, python_function
from kgreason.functions.signature import Signature

HOW_TO_PASS = "pass functions=[...] to KnowledgeGraph.open, or --functions MODULE"
GROUP = "kgreason.functions"
"""The group of entry points."""
Find: TypeAlias = Callable[[str], Signature | None]
"""Finds the signature of a function by its name."""


def no_function(_name: str) -> None:
    """Return None for every name. Use this where a look-up of functions is needed and there are none."""


class Registry:
    """Python functions by name. No function may be called like a word of SPARQL, in capital or small letters.

    `taken` are these words, in capital letters.
    """

    def __init__(self, functions: Iterable[Callable[..., Any]] = (), taken: frozenset[str] = frozenset()) -> None:
        self._taken = taken
        self._functions: dict[str, PythonFunction] = {}
        self._installed: dict[str, PythonFunction] | None = None
        self._changed: frozenset[str] = frozenset()
        for each in [functions] if callable(functions) or not isinstance(functions, Iterable) else functions:
            self.register(each)

    def register(self, call: Callable[..., Any], *, batch: bool = False) -> PythonFunction:
        """Add a function. The new function replaces a function with the same name and the same signature.

        Raises InputTypeError for a function without the right annotations, and InputError for a name that is taken.
        """
        if not callable(call):
            raise InputTypeError(
                f"a function for rules must be a Python function; got {call!r} ({type(call).__name__})"
            )
        found = python_function(call, batch=batch)
        name, before = found.signature.name, self._functions.get(found.signature.name)
        if name.startswith(PREFIXES):
            raise InputError(f"function {name}: names that begin with {' or '.join(PREFIXES)} are for built-ins")
        if name.upper() in self._taken:
            raise InputError(f"function {name}: SPARQL has a function or a keyword of this name; take another name")
        if before is not None and before.signature != found.signature:
            raise InputError(
                f"function {name}: {before.signature} is registered already; take another name for {found.signature}"
            )
        self._functions[name] = found
        return found

    def get(self, name: str) -> PythonFunction | None:
        """Return the function called `name`, or None if there is none.

        Returns None also if `problems` has found that the function had another signature in a store.
        """
        if name in self._changed:
            return None
        if name.startswith(PREFIXES):
            return builtins().get(name)
        return self._functions.get(name) or self._package_functions().get(name)

    @property
    def calls(self) -> list[Callable[..., Any]]:
        """The functions that users have registered."""
        return [each.call for each in self._functions.values()]

    def find(self, name: str) -> Signature | None:
        """Return the signature of the function that `get` returns for `name`; None if `get` returns None."""
        found = self.get(name)
        return found.signature if found else None

    def _package_functions(self) -> Mapping[str, PythonFunction]:
        if self._installed is None:
            from importlib.metadata import entry_points  # it takes 15 ms to import

            self._installed = {}
            for entry in entry_points(group=GROUP):
                try:
                    loaded = entry.load()
                except Exception as error:
                    raise InputError(f"the entry point {GROUP}: {entry.value} cannot be loaded: {error}") from error
                for call in functions_of(loaded) if isinstance(loaded, ModuleType) else [loaded]:
                    found = python_function(call)
                    self._installed.setdefault(found.signature.name, found)
        return self._installed

    def problems(self, kept: Mapping[str, str]) -> list[str]:
        """Return a line of text for each function of a store that this registry lacks or has with another signature.

        `kept` maps the names of the store's functions to the texts of their signatures. From now on, `get` returns None
        for a function whose signature differs.
        """
        lines, changed = [], []
        for name, text in kept.items():
            found = self.get(name)
            if found is None:
                lines.append(f"the function {text} is missing")
            elif str(found.signature) != text:
                lines.append(f"the function {text} is now {found.signature}")
                changed.append(name)
        self._changed |= frozenset(changed)
        return lines


def functions_of(module: ModuleType) -> list[Callable[..., Any]]:
    """Return the functions of a module that rules may call.

    These are the functions marked with `function`. If there are none, these are all public functions of the module.
    """
    public = [each for name, each in vars(module).items() if not name.startswith("_")]
    return [each for each in public if callable(each) and is_marked(each)] or [
        each for each in public if isinstance(each, FunctionType) and each.__module__ == module.__name__
    ]


def load(name: str) -> Iterator[Callable[..., Any]]:
    """Import a module, given by its name or by the path of its file, and yield the functions that rules may call.

    Raises InputError.
    """
    path = Path(name)
    folder = str(path.parent.absolute()) if path.suffix == ".py" else str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        module = import_module(path.stem if path.suffix == ".py" else name)
    except Exception as error:
        raise InputError(f"--functions {name}: the module cannot be imported: {error}") from error
    finally:
        sys.path.remove(folder)
    found = functions_of(module)
    if not found:
        raise InputError(f"--functions {name}: the module defines no function")
    yield from found
