"""The page where a user signs in with a token. It needs no script, and loads nothing."""

from __future__ import annotations

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from kgreason.server import body
from kgreason.server.paths.server_parts import parameters, server_parts, single
from kgreason.server.request.proxy import root_of
from kgreason.server.session import Sessions, cookie_of

_PAGE = Markup("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Sign in · kgreason</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 0; display: grid; place-items: center; min-height: 100vh }}
main {{ width: min(22rem, 88vw) }}
h1 {{ font-size: 1.25rem; margin: 0 0 .75rem }}
label {{ display: block; font-weight: 600; margin-bottom: .25rem }}
input {{ box-sizing: border-box; width: 100%; padding: .5rem .6rem; font: inherit; border: 1px solid #7a8089;
  border-radius: 4px }}
button {{ margin-top: .9rem; padding: .5rem 1rem; font: inherit; font-weight: 600; border: 0; border-radius: 4px;
  background: #0b6b5f; color: #fff }}
:focus-visible {{ outline: 2px solid #0b6b5f; outline-offset: 2px }}
.wrong {{ color: #a3201c }}
p {{ margin: .75rem 0 }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #14171a; color: #e3e6e8 }}
  .wrong {{ color: #ff9a91 }}
  button {{ background: #4fc3b1; color: #06231f }}
  :focus-visible {{ outline-color: #4fc3b1 }}
}}
</style>
</head>
<body><main>
<h1>kgreason</h1>
<form method="post">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
{wrong}
<button type="submit">Sign in</button>
</form>
<p>The tokens are in the file that <code>kgreason serve --token-file</code> names.</p>
</main></body></html>
""")
_WRONG = Markup('<p class="wrong" role="alert">The server does not know this token.</p>')
_MOST = 1 << 13
"""The largest form, in bytes: everybody may send one."""
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",  # without it browsers send the form with Origin: null
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
}


async def sign_in(request: Request) -> Response:
    """GET shows the page where a user signs in. POST of a form with a `token` begins a session."""
    if request.method != "POST":
        return HTMLResponse(_PAGE.format(wrong=""), headers=_HEADERS)
    sessions: Sessions = request.app.state.sessions
    form = await body.body_text(request, server_parts(request).settings, _MOST)
    token = single(parameters(request, form), "token") or ""
    if sessions.holder_of_token(token) is None:
        sessions.refused.note(request.scope, "form")
        return HTMLResponse(_PAGE.format(wrong=_WRONG), 401, _HEADERS)
    root = root_of(request.scope)
    response = RedirectResponse(f"{root}{_next_page(request)}", 303, {"Cache-Control": "no-store"})
    is_secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")
    sessions.begin(response, request.headers.get("host", ""), token, is_secure=is_secure, root=root)
    return response


def _next_page(request: Request) -> str:
    """Return the address of the page that the user wanted to see. The page is always on this server."""
    path = request.query_params.get("next", "/")
    is_own = path == "/" or path.startswith(("/?", "/console/"))
    return path if is_own and path.isprintable() and "\\" not in path else "/"


async def sign_out(request: Request) -> Response:
    """Sign the user out: end the session, take the cookie away, and show the page for signing in."""
    root, host = root_of(request.scope), request.headers.get("host", "")
    response = RedirectResponse(f"{root}/console/sign-in", 303)
    sessions: Sessions = request.app.state.sessions
    sessions.end(response, host, request.cookies.get(cookie_of(host, root)), root)
    return response
