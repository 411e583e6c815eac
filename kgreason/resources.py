"""`resource`: the files that are shipped beside the code (`rulesets/`, `ontologies/`).

In an installed package the folders lie inside `kgreason/`; in a checkout they lie beside it. `resource` finds them in
both cases, and no other module knows where they lie.

Cost: one or two calls of the file system; no file is read.
"""

from __future__ import annotations

from pathlib import Path

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
