"""The files of the tree: scripts that say what they do, a lock that fits, and nothing of anyone's machine."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = [*sorted((ROOT / "scripts").iterdir()), ROOT / ".ci" / "run"]
LOCKS = sorted(ROOT.glob("*.lock"))
FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.~}])/(home|root|Users|work)/"),
    "the host of a package registry": re.compile(r"pypi\.(org|python)|pythonhosted\.org|maven\.(org|apache)"),
}


def tree() -> list[Path]:
    """The files git has or would take; in an unpacked sdist, where there is no git, what was unpacked."""
    if not (ROOT / ".git").exists():
        return [path for path in ROOT.rglob("*") if path.is_file() and ours(path.relative_to(ROOT).parts)]
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [path for name in listed.split("\0") if (path := ROOT / name).is_file()]


def ours(parts: tuple[str, ...]) -> bool:
    return "__pycache__" not in parts and (not parts[0].startswith(".") or parts[0] == ".ci")


@pytest.mark.parametrize(
    "script", [path for path in SCRIPTS if path.suffix == "" and path.is_file()], ids=lambda path: path.name
)
def test_a_script_says_what_it_does_and_stops_at_errors(script: Path) -> None:
    shebang, comment, strict, where = script.read_text(encoding="utf-8").splitlines()[:4]
    assert shebang == "#!/usr/bin/env bash"
    assert re.fullmatch(r"# [A-Z].*\.", comment)
    assert strict == "set -euo pipefail"
    assert where == 'cd "$(dirname "${BASH_SOURCE[0]}")/.."'
    assert script.stat().st_mode & 0o100


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str) -> None:
    texts = {path: path.read_bytes().decode("utf-8", errors="replace") for path in tree() if path != Path(__file__)}
    assert texts
    assert not [f"{path}: {found[0]}" for path, text in texts.items() if (found := FORBIDDEN[what].search(text))]


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in tree() if path.suffix == ".py" and (ROOT / "kgreason") in path.parents}
    assert not [folder for folder in folders if not (folder / "__init__.py").is_file()]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_every_line_of_a_lock_is_one_version_with_its_hashes(lock: Path) -> None:
    requirement = r"[a-z0-9.-]+==[\w.]+( ; [^\\]+)?"
    hashes = r"( \\\n    --hash=sha256:[0-9a-f]{64})+\n"
    assert re.fullmatch(f"({requirement}{hashes})+", lock.read_text(encoding="utf-8"))


def test_the_locks_hold_every_direct_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = [name for extra in project["project"]["optional-dependencies"].values() for name in extra]
    groups = [name for group in project["dependency-groups"].values() for name in group]
    wanted = project["project"]["dependencies"] + extras + groups
    locked = {line.split("==")[0] for lock in LOCKS for line in lock.read_text(encoding="utf-8").splitlines()}
    assert {re.split(r"[<>=~! \[]", name)[0] for name in wanted} <= locked
