"""`kgreason lubm`: generates benchmark data of any size.

The data is that of the Lehigh University Benchmark. It follows the published profile of the benchmark (see
`kgreason.lubm`). The same seed makes the same files on every machine.

Cost: about one second for a million triples.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.options import as_json, example, print_table


@click.command(epilog=example("kgreason lubm --universities 10 -o data"))
@click.option("--universities", type=click.IntRange(min=1), required=True, metavar="N", help="How many universities.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The folder for the files."
)
@click.option("--seed", type=int, default=0, metavar="S", help="Another seed makes other data (default: 0).")
@click.option("--compress", is_flag=True, help="Write gzip files, which take a twentieth of the space.")
@as_json
def lubm(universities: int, output: Path, seed: int, compress: bool, as_json: bool) -> None:
    """Generate data of the Lehigh University Benchmark: an N-Triples file for each department.

    A university has 100,000 to 170,000 triples. The same seed makes the same files.
    """
    from kgreason.lubm import write

    paths = write(output, universities, seed, is_compressed=compress)
    print_table({"universities": universities, "files": len(paths)}, as_json=as_json)
