"""The map of the architecture says what is there: its rooms are the layers of pyproject.toml, its paths are files."""

from __future__ import annotations

import re
import tomllib
from itertools import chain

from docs.extension.repository import ROOT
from tests.docs.page import Page, pages
from tests.tables import table

MOST_WORDS = 900
MAP = Page("architecture")
CHAPTERS = [page for page in pages() if page.name.startswith("architecture/")]
TEXTS = {page.name: page.text for page in (MAP, *CHAPTERS)} | {
    "CONTRIBUTING": (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
}


def layers() -> list[set[str]]:
    """The packages of each layer, from the highest to the lowest, as the import linter reads them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = [each for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "layers"]
    return [set(re.findall(r"\w+", layer)) for layer in contract["layers"]]


def rooms(text: str) -> list[set[str]]:
    """The packages of each row of the table of rooms."""
    [section] = re.findall(r"^## The rooms$(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    return [set(re.findall(r"`(\w+)`", row)) for row in re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)]


def paths(text: str) -> set[str]:
    """The paths of files and folders that a text names. A name with a capital, such as `snapshot-N/`, is an example."""
    return {name for name in re.findall(r"`([a-z._][a-z0-9._/-]*)`", text) if "/" in name or name.endswith(".py")}


def test_the_rooms_of_the_map_are_the_layers_of_the_linter() -> None:
    assert rooms(MAP.text) == layers()


def test_every_package_and_module_has_a_layer() -> None:
    inside = (path for path in (ROOT / "kgreason").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())
    assert set(chain.from_iterable(layers())) == {path.stem for path in inside} - {"__init__"}


def test_paths_are_found_in_a_text() -> None:
    text = "`engine/update.py` of `engine`, `cpus.py`, `snapshot-N/`, `/query`"
    assert paths(text) == {"engine/update.py", "cpus.py"}


@table("name", TEXTS)
def test_every_path_that_a_page_names_is_there(name: str) -> None:
    named = paths(TEXTS[name]) - {"build/docs"}
    assert not [path for path in named if not any((folder / path).exists() for folder in (ROOT, ROOT / "kgreason"))]


def test_every_page_and_section_that_a_module_names_is_there() -> None:
    named: set[tuple[str, str]] = set()
    for module in chain((ROOT / "kgreason").rglob("*.py"), (ROOT / "tests").rglob("*.py")):
        if b"docs/" in (text := module.read_bytes()):
            named |= set(re.findall(r"\bdocs/([\w/-]+\.md)(?:, ([A-Z][\w\s]+)\))?", text.decode()))
    headings = {page.name: re.findall(r"^#+ (.+)$", page.text, re.MULTILINE) for page in pages()}
    assert not {page for page, _ in named} - {f"{name}.md" for name in headings}
    assert not [
        (page, section)
        for page, section in named
        if section and " ".join(section.split()) not in headings[page.removesuffix(".md")]
    ]


def test_the_map_fits_on_a_page() -> None:
    assert sum(any(map(str.isalnum, word)) for word in MAP.text.split()) <= MOST_WORDS
