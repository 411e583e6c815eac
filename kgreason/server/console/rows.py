"""The paths `/console/rows.FORMAT`, such as `/console/rows.csv`: the answer of a query as a file to download."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from kgreason.server.formats import SOLUTIONS, TRIPLES
from kgreason.server.paths.query import query
from kgreason.server.problems import Problem
from kgreason.server.request.proxy import root_of


async def rows_file(request: Request) -> Response:
    """Evaluate the query of a request, and send its answer in the format of the path, as a file to download.

    Raises Problem.
    """
    form = request.path_params["form"]
    medias = {**TRIPLES, **SOLUTIONS}.get(form)
    if medias is None:
        raise Problem(404, f"there is no format {form}")
    headers = [(name, value) for name, value in request.scope["headers"] if name != b"accept"]
    scope = {
        **request.scope,
        "path": f"{root_of(request.scope)}/query",
        "headers": [*headers, (b"accept", medias[0].encode())],
    }
    answer = await query(Request(scope, request.receive))
    answer.headers["Content-Disposition"] = f'attachment; filename="rows.{form}"'
    return answer
