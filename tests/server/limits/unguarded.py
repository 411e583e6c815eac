"""Takes each guard of the server out, and looks whether a test fails then.

    python -m tests.server.limits.unguarded [WORD ...]

With words, only the guards whose module or test has one of them in its name. `GUARDS` is the list of the guards and of
the tests that hold them. The source is changed while it is imported, in the processes of the test alone. Prints a line
for each guard, and ends with status 1 if a test passes without its guard. Cost: some seconds for each guard.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

_ROOT = Path(__file__).parents[3]
_HOOK = """
import importlib.machinery, os, sys

class Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, name):
        text = self.get_data(self.path).decode()
        assert text.count(os.environ["GUARD_OLD"]) == 1, "the guard is not there"
        return compile(text.replace(os.environ["GUARD_OLD"], os.environ["GUARD_NEW"]), self.path, "exec")

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != os.environ["GUARD_MODULE"]:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        spec.loader = Loader(name, spec.origin)
        return spec

sys.meta_path.insert(0, Finder)
"""


class Guard(NamedTuple):
    """A guard: its module in `kgreason`, its text, the text without it, and a test that fails then."""

    module: str
    text: str
    without: str
    test: str


def _header(text: str) -> Guard:
    return Guard("server.guard", text, "", "test_every_answer_protects_browsers")


GUARDS = [
    Guard("server.body", "int(length) > most", "False", "test_an_upload_of_ten_gigabytes_is_refused_before_it_is_sent"),
    Guard("server.body", "size > most", "False", "test_a_body_that_is_too_long_is_refused"),
    Guard(
        "server.body",
        "asyncio.timeout(wait)",
        "asyncio.timeout(None)",
        "test_a_client_that_sends_half_a_body_is_dropped",
    ),
    Guard(
        "server.body",
        "max(0, left - seconds)",
        "left - seconds",
        "test_a_client_that_sends_a_byte_now_and_then_is_dropped",
    ),
    Guard(
        "server.serve",
        "h11_max_incomplete_event_size=_HEAD",
        "h11_max_incomplete_event_size=1 << 40",
        "test_a_head_that_is_too_long_is_refused",
    ),
    Guard(
        "server.http.connection",
        """super().connection_made(transport)
        self._start_clock("request")""",
        "super().connection_made(transport)",
        "test_a_client_that_sends_half_a_request_is_dropped",
    ),
    Guard(
        "server.http.connection",
        'self._start_clock("answer")',
        "pass",
        "test_a_client_that_reads_a_byte_now_and_then_is_dropped",
    ),
    Guard(
        "server.queries.pool",
        "asyncio.get_running_loop().call_at(deadline, self._expire)",
        "asyncio.get_running_loop().call_at(deadline + 30, self._expire)",
        "test_a_query_over_its_time_ends_and_holds_up_nobody",
    ),
    Guard("server.queries.child", "if most_bytes:", "if False:", "test_the_memory_of_a_process_is_limited"),
    Guard("server.queries.child", "self._total > self._most", "False", "test_an_answer_that_is_too_long_breaks_off"),
    Guard(
        "server.queries.pool",
        "len(self._queue) >= self._waiting",
        "False",
        "test_queries_that_cannot_even_wait_are_told_so",
    ),
    Guard("server.writer", "self.waiting > self._most", "False", "test_edits_that_cannot_even_wait_are_told_so"),
    Guard(
        "server.paths.server_parts",
        "if not answering.done():",
        "if not await asyncio.wait((answering,))[0]:",
        "test_a_where_whose_client_goes_away_ends",
    ),
    Guard(
        "server.paths.update",
        "if is_short(select.query):",
        "if True:",
        "test_a_where_over_its_time_ends_and_holds_up_nobody",
    ),
    Guard(
        "graph.sparql_update.uncommitted_store",
        "is_apart = self._wheres is not None and not is_short(select.query)",
        "is_apart = False",
        "test_a_slow_where_after_other_operations_ends",
    ),
    Guard(
        "graph.sparql_update.uncommitted_store",
        "self._wheres.fast_at == self._home.last:",
        "self._wheres:",
        "test_a_where_with_a_limit_runs_where_it_can_be_ended",
    ),
    Guard("server.queries.limits", "if now - begun > self.seconds:", "if False:", "test_a_question_over_its_time_ends"),
    Guard(
        "server.queries.limits",
        "if (resident_bytes() or 0) - before > self.bytes:",
        "if False:",
        "test_a_question_over_its_memory_ends",
    ),
    Guard(
        "server.writer",
        "time.monotonic() - max(begun, first) > means.hold:",
        "False:",
        "test_a_question_ends_when_an_edit_waits_for_it",
    ),
    Guard("server.writer", "if call.is_unwanted:", "if False:", "test_a_question_ends_when_its_client_leaves"),
    Guard(
        "server.queries.limits",
        """            if self.is_stopping():
                raise stopping_problem()""",
        "            pass",
        "test_questions_end_when_the_server_stops",
    ),
    Guard(
        "server.writer",
        "if is_due and self.graph.commit == commit:",
        "if False:",
        "test_an_edit_ends_some_time_after_the_server_stops",
    ),
    Guard(
        "server.writer",
        "if self._questions and (not self._edits or self._is_turn(self._questions[0])):",
        "if self._questions:",
        "test_edits_go_before_questions",
    ),
    Guard(
        "server.paths.inference",
        "graph.evaluating(budget=settings.what_if_budget)",
        "graph.evaluating()",
        "test_a_what_if_that_wants_too_much_ends[budget]",
    ),
    Guard(
        "server.paths.inference",
        "check_role(request.scope, settings.what_if_role)",
        "pass",
        "test_a_what_if_needs_the_role_that_the_server_says",
    ),
    Guard(
        "graph.standing.standing_queries",
        "if left <= 0:",
        "if False:",
        "test_a_query_that_only_reads_the_delta_is_dropped_too_when_no_time_is_left",
    ),
    Guard(
        "graph.standing.standing_queries",
        "if others + query.seconds > self.seconds:",
        "if False:",
        "test_a_query_that_would_take_too_long_with_the_others_is_refused",
    ),
    Guard("graph.standing.standing_query", "if room < 0:", "if False:", "test_rows_with_too_much_text_end_their_query"),
    Guard(
        "graph.knowledge_graph",
        "(together.seconds_left(), together.process_bytes)",
        "(together.seconds_left(), None)",
        "test_the_process_of_a_query_has_a_limit_of_memory",
    ),
    Guard(
        "server.streams.renewals",
        "async with self._turns.turn(reader):",
        "async with asyncio.Lock():",
        "test_one_query_at_a_time_is_evaluated",
    ),
    Guard(
        "server.streams.renewals",
        "async with self._turns.turn(reader):",
        'async with self._turns.turn(""):',
        "test_two_readers_renewals_interleave",
    ),
    Guard(
        "server.streams.feed",
        " or 2 * self._readers[reader] >= self._most",
        "",
        "test_a_reader_has_half_of_the_streams",
    ),
    Guard(
        "server.paths.clients.transactions",
        "if lines.stat().st_size > _SHORT:",
        "if False:",
        "test_no_line_is_parsed_in_the_thread_of_the_writer",
    ),
    Guard(
        "server.streams.renewals",
        "commit=commit, seconds=self._seconds",
        "commit=commit",
        "test_a_turn_has_a_limit_of_time",
    ),
    Guard("server.streams.renewals", "tell, room)", "tell)", "test_rows_with_too_many_characters_end_their_query"),
    Guard(
        "server.queries.nesting",
        "if any(sum(",
        "if False and any(sum(",
        "test_a_term_that_is_nested_deeply_is_not_even_read",
    ),
    Guard(
        "server.queries.nesting",
        "(count > _FEW or not is_small(text))",
        "not is_small(text)",
        "test_a_text_may_take_the_parser_a_second",
    ),
    Guard(
        "rules.expressions",
        "if sum(opened) > _DEEPEST:",
        "if False:",
        "test_calls_in_calls_do_not_keep_the_parser_busy[REPLACE-60]",
    ),
    Guard(
        "shapes.query.forms",
        "if len(text) > _MOST:",
        "if False:",
        "test_what_would_take_the_compiler_for_ever_is_refused_by_name[length of a query]",
    ),
    Guard(
        "shapes.query.forms",
        "if depth(found) > _DEEPEST:",
        "if False:",
        "test_what_would_take_the_compiler_for_ever_is_refused_by_name[brackets]",
    ),
    Guard(
        "shapes.paths",
        "if count > most:",
        "if False:",
        "test_what_would_take_the_compiler_for_ever_is_refused_by_name[steps of a path]",
    ),
    Guard(
        "server.queries.nesting",
        "if seconds is not None and",
        "if False and",
        "test_a_text_may_take_the_parser_a_second",
    ),
    Guard(
        "server.queries.nesting",
        'if kind != "query" or found or _asks_service(text):',
        "if True:",
        "test_many_patterns_beside_each_other_take_the_planner_long",
    ),
    Guard(
        "server.queries.nesting",
        "if form in _NESTED:",
        "if True: return False\n    if form in _NESTED:",
        "test_a_document_that_is_nested_too_deeply_is_refused",
    ),
    Guard("cli.serve", 'for name in ("budget", ', "for name in (", "test_the_command_line_passes_its_limits_on"),
    Guard(
        "graph.knowledge_graph",
        "committer.budget = min((each for each in (budget, committer.budget) if each is not None), default=None)",
        "committer.budget = budget or committer.budget",
        "test_an_edit_over_the_budget_is_refused",
    ),
    Guard(
        "functions.builtins",
        "return tokens(text, pattern)",
        "import re; return re.split(pattern, text)",
        "test_a_pattern_that_backtracks_freezes_nobody",
    ),
    Guard("stacks", "return 0 if needed <= _USUAL else needed + _SPARE", "return 0", "test_a_long_text_has_an_answer"),
    Guard("stacks", "if count > MOST_TOKENS:", "if False:", "test_a_text_is_refused_by_its_tokens"),
    Guard(
        "rdf.xml.document",
        "if self._expanded > ",
        "if False and self._expanded > ",
        "test_a_document_that_expands_is_refused",
    ),
    Guard(
        "cli.serve",
        'options["query_bytes"] = options["query_bytes"] or share_of_memory(options["queries"])',
        "pass",
        "test_the_command_line_passes_its_limits_on",
    ),
    Guard(
        "server.console.sign_in",
        "server_parts(request).settings, _MOST",
        "server_parts(request).settings",
        "test_a_form_to_sign_in_is_short",
    ),
    Guard(
        "server.body",
        "            shutil.rmtree(folder)\n        folder.mkdir(mode=0o700)",
        "            return (yield)\n        folder.mkdir(mode=0o700)",
        "test_bodies_that_a_kill_has_left_are_removed",
    ),
    Guard("server.body", "folder.lstat().st_uid != os.geteuid()", "False", "test_a_folder_of_another_user_is_not_used"),
    Guard(
        "server.paths.update",
        "if isinstance(operation, Load) and not _is_allowed(operation.path, allowed):",
        "if False:",
        "test_load_reads_what_is_allowed",
    ),
    Guard(
        "server.paths.query",
        "await call_on_text(sparql, partial(check_service, sparql, services))",
        "pass",
        "test_service_is_refused",
    ),
    Guard(
        "server.paths.update",
        "await call_on_text(sparql, partial(check_service, sparql))",
        "pass",
        "test_service_is_refused",
    ),
    Guard("server.guard", 'return "admin"', 'return "write"', "test_a_role_may_do_what_it_says_on_every_path"),
    Guard("server.guard", 'return "write"', 'return "read"', "test_a_role_may_do_what_it_says_on_every_path"),
    Guard(
        "server.paths.clients.transactions",
        'check_role(request.scope, "admin")',
        "pass",
        "test_rules_need_the_role_admin_on_every_path",
    ),
    Guard("server.paths.history", "check_role(request.scope, ROLES[-1])", "pass", "test_roles"),
    Guard("server.guard", "if holder is None:", "if False:", "test_every_path_needs_a_token"),
    Guard(
        "server.guard",
        "            self._check_host(headers)\n            self._check_origin(headers)\n            if scope",
        "            self._check_origin(headers)\n            if scope",
        "test_a_name_that_is_bound_anew_does_not_help",
    ),
    Guard("server.guard", "if not is_own and not", "if False and not", "test_a_form_of_another_page_changes_nothing"),
    Guard(
        "server.guard",
        "is_own = not _is_subresource(headers) if origin is None",
        "is_own = True if origin is None",
        "test_parts_of_other_pages_are_refused",
    ),
    _header('"X-Content-Type-Options": "nosniff",'),
    _header('"X-Frame-Options": "DENY",'),
    _header(""""Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'","""),
    _header('"Referrer-Policy": "no-referrer",'),
    Guard(
        "server.console.shell",
        'headers["Content-Security-Policy"] = _POLICY',
        'headers["Content-Security-Policy"] = "default-src *"',
        "test_pages_are_kept_from_framing_and_foreign_code",
    ),
    Guard(
        "server.console.markup",
        """Markup('<span class="literal">{}</span>{}').format(literal.value, note)""",
        """Markup('<span class="literal">{}</span>{}').format(Markup(literal.value), note)""",
        "test_html_in_values_stays_text",
    ),
    Guard(
        "server.guard",
        "self._check_token(scope, headers, ROLES[0])",
        "scope[ROLE] = ROLES[0]",
        "test_websockets_need_the_session_and_the_own_origin",
    ),
    Guard(
        "server.guard",
        'first in ("slow-queries", "backup")',
        'first in ("slow-queries",)',
        "test_only_an_administrator_gets_a_backup",
    ),
    Guard("server.guard", "path_of(scope) not in _STREAMS", "False", "test_a_ticket_opens_a_stream_and_nothing_else"),
    Guard("server.session", "time.time() >= int(until)", "False", "test_a_ticket_ends"),
    Guard("server.session", "_end_time(session) <= over or ", "", "test_sessions_that_were_ended_take_bounded_memory"),
    Guard("server.streams.feed", "if not is_wanted():", "if False:", "test_a_stream_ends_with_its_token"),
    Guard("server.request.logins", "self._in_window <= _MOST", "True", "test_refused_logins_cannot_fill_a_disk"),
    Guard("server.request.ids", "json.dumps(text[:LONGEST])[1:-1]", "text", "test_no_client_can_forge_a_line"),
    Guard(
        "server.operation.access",
        "_CONTROLS.sub(lambda found: repr(found[0])[1:-1], super().format(record))",
        "super().format(record)",
        "test_messages_cannot_be_forged",
    ),
    Guard(
        "server.request.proxy", "list(trusted)) if trusted else rooted", '"*")', "test_other_clients_are_not_believed"
    ),
    Guard(
        "store.journal.record", '"strategy", "time", "author", ', '"strategy", ', "test_nobody_writes_as_somebody_else"
    ),
]


@cache
def _texts() -> dict[Path, str]:
    return {path: path.read_text("utf-8") for path in (_ROOT / "tests").rglob("test_*.py")}


def file_of(test: str) -> Path:
    """Return the file that has a test. Raises AssertionError if no file or more than one has a test of this name."""
    files = [path for path, text in _texts().items() if f"def {test.partition('[')[0]}(" in text]
    assert len(files) == 1, f"{test} is in {len(files)} files, not in one: {files}"
    return files[0]


def is_held(guard: Guard, hook: Path) -> bool:
    """Whether the test of a guard fails without it. `hook` is a folder for the program that changes the source."""
    (hook / "sitecustomize.py").write_text(_HOOK, "utf-8")
    changed = {
        "GUARD_MODULE": f"kgreason.{guard.module}",
        "GUARD_OLD": guard.text,
        "GUARD_NEW": guard.without,
        "PYTHONPATH": f"{hook}{os.pathsep}{_ROOT}",
    }
    test = f"{file_of(guard.test)}::{guard.test}"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "", "-p", "no:cacheprovider", test]
    ran = subprocess.run(command, cwd=_ROOT, env=os.environ | changed, capture_output=True, check=False)
    found = f"{guard.test}: {(ran.stdout + ran.stderr).decode(errors='replace')}"
    assert "the guard is not there" not in found, guard.test
    assert ran.returncode not in (2, 3, 4, 5), found  # pytest itself has failed, or there is no such test
    return ran.returncode != 0


def main(words: list[str]) -> int:
    """Take the guards out, one after the other. Returns the status of the program."""
    missed = 0
    with TemporaryDirectory() as folder:
        for guard in GUARDS:
            if not words or any(word in guard.module or word in guard.test for word in words):
                is_well = is_held(guard, Path(folder))
                missed += not is_well
                sys.stdout.write(f"{'held' if is_well else 'NOT HELD':10}{guard.module}: {guard.test}\n")
                sys.stdout.flush()
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
