"""The number of threads."""

from __future__ import annotations

import pytest

from kgreason.errors import InputError
from kgreason.threads import threads


def test_the_environment_has_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGREASON_THREADS", "3")
    assert threads() == 3


def test_by_default_every_cpu_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KGREASON_THREADS", raising=False)
    assert threads() >= 1
    monkeypatch.setenv("KGREASON_THREADS", "")
    assert threads() >= 1


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "²"])
def test_anything_else_is_an_error(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("KGREASON_THREADS", text)
    with pytest.raises(InputError, match=r"KGREASON_THREADS is .*; it must be a whole number"):
        threads()
