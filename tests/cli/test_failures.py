"""What goes wrong is one clear line and a status; the store and the output stay as they were."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import PROGRAM, call, error_of, files, message, start, succeed, triples

HOLDER = """
import sys
from kgreason import KnowledgeGraph
with KnowledgeGraph.open(sys.argv[1]):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_a_command_line_that_makes_no_sense(store: Path, family: Path) -> None:
    for arguments in (
        ("nonsense",),
        ("load", "-l", store),
        ("load", "-f", family),
        ("load", "-l", store, "-f"),
        ("load", "-l", store, "-f", family, "--schema", "none"),
        ("query", "-l", store, "--query", "ASK {}", "--query-file", "query.rq"),
        ("query", "-l", store, "--query", "ASK {}", "--results-format", "ttl"),
        ("query", "-l", store, "--query", "CONSTRUCT WHERE {?s ?p ?o}", "--results-format", "csv"),
        ("dump", "-l", store, "--asserted", "--inferred"),
        ("dump", "-l", store, "--format", "pdf"),
        ("materialize", family, "-o", "out.rdf"),
        ("materialize", "-o", "out.nt"),
        ("lubm", "--universities", "0", "-o", "data"),
    ):
        assert "--help" in error_of(*arguments, status=2)


@pytest.mark.parametrize("command", ["load", "materialize"])
def test_bad_input_names_file_and_line(command: str, family: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.ttl").write_text("<http://e/a> <http://e/b> <http://e/c> .\n<http://e/a> nonsense .\n")
    (tmp_path / "cut.nt.gz").write_bytes(b"\x1f\x8b\x08\x00")
    (tmp_path / "file.pdf").touch()
    (tmp_path / "bad.dl").write_text("tc(?x) :- edge(?x) .\ntc(?x) :- .\n")
    for file, *options, expected in (
        ("bad.ttl", "bad.ttl:2:"),
        ("missing.ttl", "missing.ttl: No such file or directory"),
        ("cut.nt.gz", "cut.nt.gz: the compressed data is damaged or cut short"),
        ("file.pdf", "file.pdf: the name does not end in a known RDF format"),
        ("family.ttl", "--format", "pdf", "unknown RDF format 'pdf'"),
        ("family.ttl", "--rules", "owl3", "owl3: neither a rule set"),
        ("family.ttl", "--rules", str(tmp_path / "missing.dl"), "missing.dl: cannot be read"),
        ("family.ttl", "--rules", str(tmp_path / "bad.dl"), "bad.dl:2:"),
    ):
        where = ("-l", tmp_path / "new") if command == "load" else ("-o", tmp_path / "out.nt")
        flag = ("-f",) if command == "load" else ()
        assert expected in error_of(command, *where, *options, *flag, tmp_path / file)
    assert not (tmp_path / "out.nt").exists()
    assert not (tmp_path / "new").exists()


def test_a_store_that_was_made_for_a_commit_that_fails_is_taken_away(family: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.nt").write_text("nonsense\n")
    (tmp_path / "here").mkdir()
    for place in ("new", "here"):
        store = ("-l", tmp_path / place)
        error_of("load", *store, "-f", tmp_path / "bad.nt")
        error_of("load", *store, "-f", family, "--budget", "1")
    assert not (tmp_path / "new").exists()
    assert files(tmp_path / "here") == {}
    (tmp_path / "empty.nt").touch()
    succeed("load", "-l", tmp_path / "here", "-f", tmp_path / "empty.nt")
    before = files(tmp_path / "here")
    error_of("load", "-l", tmp_path / "here", "-f", tmp_path / "bad.nt")
    assert files(tmp_path / "here") == before != {}


def test_a_syntax_error_in_the_second_of_two_files_changes_nothing(store: Path, tmp_path: Path) -> None:
    (tmp_path / "good.nt").write_text("<http://e/a> <http://e/b> <http://e/c> .\n")
    (tmp_path / "bad.nt").write_text("<http://e/a> <http://e/b> .\n")
    before, dump = files(store), triples(store)
    assert "bad.nt:1:" in error_of("load", "-l", store, "-f", tmp_path / "good.nt", tmp_path / "bad.nt")
    assert files(store) == before
    assert triples(store) == dump
    assert succeed("query", "-l", store, "--query", "ASK { <http://e/a> ?p ?o }") == "false\n"


def test_stdin_needs_a_format(store: Path) -> None:
    assert "name its RDF format" in error_of("load", "-l", store, "-f", "-", stdin="")


def test_a_query_that_is_none_is_told_shortly(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "query.rq"
    path.write_text("SELECT * { ?s ?p \n ")
    told = error_of("query", "-l", store, "--query-file", path)
    assert told.startswith(f"{path}: the query does not parse: line 1, column 17: ")
    assert len(told) < 300
    path.write_bytes(b"ASK { ?s ?p '\xff' }")
    assert error_of("query", "-l", store, "--query-file", path) == f"{path}: is not UTF-8 text"
    assert error_of("query", "-l", store, "--query-file", tmp_path / "no.rq").endswith(
        "no.rq: No such file or directory"
    )


READERS = (("query", "--query", "ASK {}"), ("dump",), ("stats",), ("rules", "list"))


@pytest.mark.parametrize("command", READERS, ids=lambda command: command[0])
def test_a_folder_that_is_no_store(command: tuple[str, ...], tmp_path: Path, family: Path) -> None:
    missing = tmp_path / "missing"
    hint = f"to make one: kgreason load -l {missing} -f FILE"
    assert error_of(*command, "-l", missing) == f"{missing}: there is no store here; {hint}"
    assert error_of(*command, "-l", tmp_path) == f"{tmp_path}: there is no store here; the folder has other files"
    assert error_of(*command, "-l", family).startswith(f"{family}: ")
    assert error_of("load", "-l", tmp_path, "-f", family) == f"{tmp_path}: not a store, but a folder with other files"
    assert error_of("load", "-l", family, "-f", family).startswith(f"{family}: ")
    assert [path.name for path in tmp_path.iterdir()] == ["family.ttl"]


@pytest.mark.parametrize("command", READERS, ids=lambda command: command[0])
def test_a_store_of_another_version(command: tuple[str, ...], store: Path, family: Path) -> None:
    manifest = json.loads((store / "kgreason.json").read_text())
    (store / "kgreason.json").write_text(json.dumps(manifest | {"format": 99, "unheard-of": 1}))
    assert "written in store format 99" in error_of(*command, "-l", store)
    assert "written in store format 99" in error_of("load", "-l", store, "-f", family)


@pytest.mark.parametrize("damaged", ["kgreason.json", "records.npy", "offsets.npy", "rules.json"])
def test_a_store_that_is_damaged(damaged: str, store: Path, family: Path) -> None:
    [path] = store.rglob(damaged)
    path.write_bytes(b"\0")
    command = ("rules", "list") if damaged == "rules.json" else ("dump",)
    told = error_of(*command, "-l", store)
    assert str(store) in told
    assert "cannot be read" in told


def test_a_store_that_another_process_holds(store: Path, family: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdin
    assert holder.stdout
    try:
        assert holder.stdout.readline() == b"open\n"
        for command in READERS:
            succeed(*command, "-l", store)
        problem = f"{store}: another process, or another graph of this process, has the store open for writing"
        assert error_of("load", "-f", family, "-l", store).startswith(problem)
    finally:
        holder.communicate()
    assert holder.returncode == 0
    assert succeed("query", "-l", store, "--query", "ASK {}") == "true\n"


def test_the_output_is_replaced_as_a_whole_or_not_at_all(family: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.nt"
    out.write_text("before")
    (tmp_path / "bad.nt").write_text("nonsense\n")
    error_of("materialize", family, tmp_path / "bad.nt", "-o", out)
    assert out.read_text() == "before"
    assert "No such file" in error_of("materialize", family, "-o", tmp_path / "no" / "folder.nt")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.nt", "family.ttl", "out.nt"]


needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="the system has no limits on files")
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")


@needs_full
def test_a_full_disk(store: Path, family: Path) -> None:
    for command in (("dump", "-l", store), ("query", "-l", store, "--query", "SELECT * {?s ?p ?o}")):
        with Path("/dev/full").open("w") as full:
            process = start(*command, stdout=full)
            assert message(process.communicate()[1]) == "the disk is full"
        assert process.returncode == 1
    assert error_of("materialize", family, "-o", "/dev/full") == "/dev/full: the disk is full"


@needs_limits
def test_a_store_that_cannot_grow_stays_as_it_was(store: Path, tmp_path: Path) -> None:
    lines = (f'<http://e/{n}> <http://e/value> "{n:>200}" .\n' for n in range(40_000))
    (tmp_path / "large.nt").write_text("".join(lines))
    before = triples(store)
    process = start("load", "-l", store, "-f", tmp_path / "large.nt", preexec_fn=small_files)
    told = message(process.communicate()[1])
    assert process.returncode == 1
    assert told.endswith("File too large")
    assert triples(store) == before
    assert succeed("query", "-l", store, "--query", "ASK { <http://e/1> ?p ?o }") == "false\n"


def small_files() -> None:
    """Let no file grow beyond a megabyte."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


def test_a_reader_that_went_away_is_no_matter(store: Path) -> None:
    query = ("query", "--query", "SELECT * {?s ?p ?o}")
    for command in (*READERS, ("dump", "--format", "ttl"), query, (*query, "--results-format", "table")):
        read, write = os.pipe()
        os.close(read)
        process = start(*command, "-l", store, stdout=write)
        os.close(write)
        assert process.communicate()[1] == ""
        assert process.returncode == 1


def test_reading_commands_start_neither_the_engine_nor_numba(store: Path) -> None:
    code = """if True:
        import sys
        from kgreason.cli import main
        try:
            main()
        except SystemExit:
            print(*sys.modules, file=sys.stderr)
    """
    query = ("query", "--query", "SELECT * {?s ?p ?o}")
    for command in (*READERS, ("dump", "--format", "ttl"), query, (*query, "--results-format", "table")):
        process = subprocess.run(
            [sys.executable, "-c", code, *command, "-l", store], capture_output=True, text=True, check=True
        )
        assert process.stdout
        modules = process.stderr.split()
        assert "kgreason.graph.knowledge_graph" in modules
        assert not {"numba", "lark", "kgreason.engine.engine", "kgreason.compiled"} & set(modules)
        assert not [name for name in modules if name.startswith("kgreason.datatypes.")]
        assert ("rich" in modules) == ("table" in command)


def test_a_program_sees_no_bars_and_a_verbose_one_sees_stages(store: Path, family: Path) -> None:
    assert call("load", "-l", store, "-f", family).stderr == ""
    for where, expected in (
        (store.with_name("new"), ["reading", "reasoning", "storing"]),
        (store, ["reading", "reasoning"]),
    ):
        stages = call("load", "-l", where, "-f", family, "--verbose").stderr.splitlines()
        assert [line.split()[1] for line in stages] == expected
    stages = call("update", "-l", store, "-u", "CLEAR ALL", "--verbose").stderr.splitlines()
    assert [line.split()[1] for line in stages] == ["updating"]


def test_the_program_of_the_package_is_this_one() -> None:
    process = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert process.stdout == succeed("--version")
