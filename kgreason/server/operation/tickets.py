"""`/tickets`: short-lived tickets for streams, because a browser's EventSource cannot send a token.

    POST /tickets  Authorization: Bearer TOKEN   ->   {"ticket": "...", "seconds": 60}
    new EventSource("/changes?ticket=...")

A ticket opens GET /changes and GET /subscribe, and nothing else. It works for a minute, and ends with its token. So an
address never has a token, and a ticket in the log of a proxy is soon of no use.
"""

from __future__ import annotations

from typing import cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.server.session import HOLDER, TICKET_SECONDS, Holder, Sessions


async def tickets(request: Request) -> Response:
    """Return a ticket that opens a stream within the next minute: `?ticket=` in the address of an EventSource."""
    sessions = cast(Sessions, request.app.state.sessions)
    holder = cast("Holder | None", request.scope[HOLDER])
    told = {"ticket": sessions.ticket(holder), "seconds": TICKET_SECONDS}
    return JSONResponse(told, headers={"Cache-Control": "no-store"})
