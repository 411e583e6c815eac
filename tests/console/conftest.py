from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.console.browsing import executable, serving, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium; tests are skipped where there is none.

    It ends with the module: while it runs, no test of this process can call asyncio.run.
    """
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if (path := executable()) is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of a small zoo, for the tests of a module."""
    with serving(tmp_path_factory.mktemp("console") / "store") as found:
        yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with visiting(browser, address) as found:
        yield found
