from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.conftest import ZOO
from tests.server.operation.operating import Operated, operated


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operated]:
    """A server with tokens, an access log in JSON and a history, behind a trusted proxy, for the tests of a module."""
    folder: Path = tmp_path_factory.mktemp("operated")
    with operated(folder, text=ZOO) as found:
        yield found
