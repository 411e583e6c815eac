"""`python -m benchmarks.papers [NAME...]`: run the experiments of the papers, and write `build/papers/papers.html`.

Small sizes take some minutes. `--full` has the papers' sizes and takes as long as it takes. `--list` lists the names.
An experiment whose data are missing says so in the report; one that fails is reported, the others run, and the exit
status is 1. `--page` also puts the report into docs/papers.md.
"""

from __future__ import annotations

import sys
import traceback
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmarks.papers import ddlog, dyre, impact, page, rivals, shapiro
from benchmarks.workspace import SkippedError, Workspace

EXPERIMENTS = (*dyre.EXPERIMENTS, *rivals.EXPERIMENTS, *impact.EXPERIMENTS, *shapiro.EXPERIMENTS, *ddlog.EXPERIMENTS)

_PAGE = Path(__file__).parents[2] / "docs" / "papers.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiments that the arguments name; returns the exit status."""
    options = _parser().parse_args(arguments)
    if options.list:
        sys.stdout.writelines(f"{each.name:20} {each.source:22} {each.question}\n" for each in EXPERIMENTS)
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    lines, has_failed = list(page.head(options.full)), False
    with Workspace() as workspace:
        for experiment in EXPERIMENTS:
            if options.names and experiment.name not in options.names:
                continue
            sys.stderr.write(f"{experiment.name}\n")
            lines += page.section(experiment, options.full)
            try:
                for table in experiment.run(workspace, options.full):
                    lines += page.table(table, options.folder)
            except SkippedError as reason:
                lines.append(f"Skipped: {reason}.\n")
            except Exception:
                has_failed = True
                traceback.print_exc()
                lines.append("Failed.\n")
            page.write(options.folder, lines)
    if options.page:
        page.take_over(_PAGE, lines)
    sys.stdout.write(f"{options.folder / 'papers.html'}\n")
    return int(has_failed)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="scripts/papers", description="Run the experiments of the papers.")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *(each.name for each in EXPERIMENTS)])
    parser.add_argument("--full", action="store_true", help="the papers' sizes")
    parser.add_argument("--list", action="store_true", help="list the names")
    parser.add_argument("--page", action="store_true", help="also put the report into docs/papers.md")
    parser.add_argument("--folder", type=Path, default=Path("build/papers"), help="default: build/papers")
    return parser


if __name__ == "__main__":
    sys.exit(main())
