"""Check the shape of the house: folders, files, doors, private parts, and names that stand twice.

    python scripts/rooms.py            refuses what breaks a rule, and names it
    python scripts/rooms.py --count    prints the counts for each room

The rules: a folder of `kgreason` has at most 12 modules and a folder of `tests` at most 20 files; no module has the name
of a folder beside it; a file has at most 500 lines; only the package of a private part reaches into it; two public
classes have one name only if `rooms.toml` says why.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
MOST_MODULES, MOST_TESTS, MOST_LINES = 12, 20, 500
ROOMS = ("engine", "materialize", "store", "graph")
PRIVATE = {"engine": r"engine\._(?:circuit|planner)\b", "graph": r"(?<!self)\._(?:home|engine\(|committer\b|state\b)"}
"""What only the package of this name may reach into, as a regular expression."""


def modules() -> list[Path]:
    """Return the modules of `kgreason`."""
    return sorted((ROOT / "kgreason").rglob("*.py"))


def folders() -> Iterator[str]:
    """Yield a message for each folder that is too full, and for each module that has the name of a folder."""
    for top, most in (("kgreason", MOST_MODULES), ("tests", MOST_TESTS)):
        for folder in sorted({path.parent for path in (ROOT / top).rglob("*.py")}):
            files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
            if len(files) > most:
                yield f"{folder.relative_to(ROOT)}: the folder has {len(files)} files, at most {most} are allowed"
            for path in files:
                if top == "kgreason" and path.with_suffix("").is_dir():
                    yield f"{path.relative_to(ROOT)}: a folder beside this module has the same name"


def long_files(excused: dict[str, str]) -> Iterator[str]:
    """Yield a message for each file that is too long."""
    for path in modules():
        lines, name = path.read_text(encoding="utf-8").count("\n"), str(path.relative_to(ROOT))
        if lines > MOST_LINES and name not in excused:
            yield f"{name}: the file has {lines} lines, at most {MOST_LINES} are allowed"
        if lines <= MOST_LINES and name in excused:
            yield f"{name}: rooms.toml excuses a file that is not too long"


def reaches() -> Iterator[str]:
    """Yield a message for each line that reaches into the private parts of another package."""
    for path in modules():
        for package, pattern in PRIVATE.items():
            if path.is_relative_to(ROOT / "kgreason" / package):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if re.search(pattern, line):
                    yield f"{path.relative_to(ROOT)}:{number}: reaches into kgreason.{package}: {line.strip()}"


def twins(excused: dict[str, str]) -> Iterator[str]:
    """Yield a message for each public class name that stands twice without a reason."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    for name, found in sorted(places.items()):
        if len(found) > 1 and name not in excused:
            yield f"{name}: the name stands twice without a reason in rooms.toml: {', '.join(found)}"
    yield from (
        f"{name}: rooms.toml has a reason, but the name stands once" for name in excused if len(places[name]) < 2
    )


def doors() -> dict[str, tuple[int, int]]:
    """Return for each room how many of its modules others import, and how many modules it has."""
    entered: defaultdict[str, set[str]] = defaultdict(set)
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in modules()}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("kgreason."):
                continue
            for target in [node.module or "", *[f"{node.module}.{alias.name}" for alias in node.names]]:
                room = target.split(".")[1]
                if target in names and not path.is_relative_to(ROOT / "kgreason" / room):
                    entered[room].add(target)
    sizes = {
        room: sum(path.name != "__init__.py" for path in (ROOT / "kgreason" / room).rglob("*.py")) for room in ROOMS
    }
    return {room: (len(entered[room]), sizes[room]) for room in ROOMS}


def main() -> int:
    """Print the counts or the messages. Returns 1 if there are messages."""
    excused = tomllib.loads((ROOT / "scripts" / "rooms.toml").read_text(encoding="utf-8"))
    if "--count" in sys.argv:
        for room, (entered, size) in doors().items():
            print(f"{room}: others import {entered} of {size} modules")
        print(f"reaches into private parts: {len([*reaches()])}")
        print(f"files over {MOST_LINES} lines: {len([*long_files({})])}")
        print(f"public class names that stand twice: {len([*twins({})])}")
        return 0
    messages = [*folders(), *long_files(excused["long"]), *reaches(), *twins(excused["twins"])]
    print("\n".join(messages), file=sys.stderr)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
