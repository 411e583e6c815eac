"""`resource`: the files that are shipped beside the code (`rulesets/`, `ontologies/`). `prepared_value`: made of them.

In an installed package the folders lie inside `kgreason/`; in a checkout they lie beside it. `resource` finds them in
both cases, and no other module knows where they lie.

A wheel that `scripts/wheel` builds has the parsed rule sets and the tables of a parser as pickles. The name of such a
file has a hash of all that the value depends on. So a value that no longer fits is not found, and the caller makes it.

Cost: one or two calls of the file system; `resource` reads no file.
"""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path
from typing import Any

from kgreason.errors import InputError

_PACKAGE = Path(__file__).parent


def resource(folder: str, name: str) -> Path:
    """Return the path of the shipped file `folder/name`.

    Raises InputError if there is no such file. The message lists the files of the folder.
    """
    found = [place / folder for place in (_PACKAGE, _PACKAGE.parent) if (place / folder).is_dir()]
    for place in found:
        if (place / name).is_file():
            return place / name
    there = sorted({path.name for place in found for path in place.iterdir() if path.is_file()})
    raise InputError(f"{folder}/{name} is not shipped with kgreason; there are: {', '.join(there) or 'none'}")


def prepared_value(name: str, *key: str) -> Any:
    """Return the value that was prepared for `name` and `key` when the wheel was built, or None."""
    try:
        return pickle.loads((_PACKAGE / "prepared" / _file_name(name, key)).read_bytes())
    except FileNotFoundError:
        return None


def prepare(folder: Path, value: object, name: str, *key: str) -> None:
    """Write to `folder` what `prepared_value` returns for `name` and `key`. `key`: all texts that it depends on."""
    (folder / _file_name(name, key)).write_bytes(pickle.dumps(value, protocol=5))


def _file_name(name: str, key: tuple[str, ...]) -> str:
    return f"{name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.pickle"
