"""The public face of kgreason.spark: one import for each function, and one sentence where PySpark is missing."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kgreason.spark
from kgreason.errors import InputError

DOCS = Path(__file__).parents[2] / "docs"


def test_the_package_needs_no_pyspark_and_a_name_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys, kgreason.spark; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    monkeypatch.setitem(sys.modules, "pyspark", None)
    for name in kgreason.spark.__all__:
        monkeypatch.delitem(vars(kgreason.spark), name, raising=False)
        with pytest.raises(InputError, match=r"^PySpark is not installed: pip install 'kgreason\[spark\]'$"):
            getattr(kgreason.spark, name)
    with pytest.raises(AttributeError, match="has no attribute 'compute_closure'"):
        kgreason.spark.compute_closure  # noqa: B018


def test_each_name_is_a_function_also_after_its_modules_were_imported() -> None:
    pytest.importorskip("pyspark")
    for module in ("input.lines", "live.stream", "pipeline"):
        importlib.import_module(f"kgreason.spark.{module}")
    for name in kgreason.spark.__all__:
        function = getattr(kgreason.spark, name)
        assert function.__name__ == name
        assert function.__doc__
    assert set(kgreason.spark.__all__) <= set(dir(kgreason.spark))


def test_each_name_is_documented_and_no_page_imports_from_further_inside() -> None:
    section = (DOCS / "api.md").read_text(encoding="utf-8").split("\n## Spark\n")[1].split("\n## ")[0]
    assert set(re.findall(r"autofunction:: kgreason\.spark\.(\S+)", section)) == set(kgreason.spark.__all__)
    page = (DOCS / "spark.md").read_text(encoding="utf-8")
    assert {*re.findall(r"^from (kgreason\.spark\S*) import", page, re.MULTILINE)} == {"kgreason.spark"}
    used = {
        name
        for line in re.findall(r"^from kgreason\.spark import (.*)$", page, re.MULTILINE)
        for name in line.split(", ")
    }
    assert set(kgreason.spark.__all__) - used <= {"feed"}
