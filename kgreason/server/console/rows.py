"""`/console/rows.FORMAT`: the answer of a query as a file to download. The name of the file ends in the format."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from kgreason.server.formats import SOLUTIONS, TRIPLES
from kgreason.server.paths.query import query
from kgreason.server.problems import Problem


async def rows(request: Request) -> Response:
    """Answer a request with the answer of its query, as a file to download."""
    form = request.path_params["form"]
    medias = {**TRIPLES, **SOLUTIONS}.get(form)
    if medias is None:
        raise Problem(404, f"there is no format {form}")
    headers = [(name, value) for name, value in request.scope["headers"] if name != b"accept"]
    scope = {**request.scope, "path": "/query", "headers": [*headers, (b"accept", medias[0].encode())]}
    answer = await query(Request(scope, request.receive))
    answer.headers["Content-Disposition"] = f'attachment; filename="rows.{form}"'
    return answer
