"""`kgreason load`: adds files to a store and materializes the store again.

Invariant: after the command the store holds the triples of the files and everything that follows. After an error,
Ctrl-C or a full disk it holds what it held before. A mistake of an ontology is reported once, by the command that loads
the ontology.

Cost: the first load materializes everything; a later load computes only what is new.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.bulk.pipelines import (
    OnError,
    Pipeline,
    is_for_spark,
    pipeline,
    refuse_settings,
    session,
)
from kgreason.cli.edit.options import ChangeReport, Means, amount, graph_to_edit, means
from kgreason.cli.options import (
    RULE_SETS,
    FileList,
    catalogue,
    check_stdin,
    equality,
    example,
    history,
    location,
    on_contradiction,
    on_violation,
    rdf_files,
    schema,
    warn,
)
from kgreason.cli.places import Place, refuse_server
from kgreason.options import HistoryMode, OnContradiction, OnViolation, SameAsMode, SchemaMode


@click.command(
    cls=FileList,
    epilog=example(
        "kgreason load -l store -f ontology.ttl data.nt.gz --rules owl2rl",
        "kgreason load -l store -f ontology.ttl --catalogue imports",
        "kgreason load -l store -f ontology.ttl data/*.nt.gz --pipeline spark",
        "echo '<http://e/a> a <http://e/C> .' | kgreason load -l store -f - --format ttl",
    ),
)
@location
@rdf_files
@click.option(
    "--rules",
    multiple=True,
    metavar="RULES",
    help=f"{RULE_SETS} "
    "(default for a new store: owl2rl). A file alone means no rule set; for both write --rules owl2rl --rules FILE.",
)
@schema
@equality
@on_contradiction
@on_violation
@history
@catalogue
@means
@pipeline
def load(
    location: Place,
    files: tuple[str, ...],
    syntax: str | None,
    rules: tuple[str, ...],
    schema: SchemaMode | None,
    same_as: SameAsMode | None,
    aliases: int | None,
    on_contradiction: OnContradiction | None,
    on_violation: OnViolation | None,
    history: HistoryMode | None,
    catalogue: Path | None,
    how: Means,
    done: ChangeReport,
    pipeline: Pipeline,
    master: str | None,
    conf: dict[str, str],
    work: Path | None,
    skip_malformed: bool,
) -> None:
    """Load RDF files into a store, and derive what follows.

    -l names the folder of the store; kgreason makes it if it does not exist. -f names the files. The first load decides
    which rules the store has. A later load adds its files to the store, and computes only what they change. After an
    error or Ctrl-C the store stays as it was.

    If an ontology says owl:imports, kgreason reads the imported documents from --catalogue. It removes their triples
    when the last ontology that imports them is removed.

    The command prints how many triples were new, how long the load took, and how many triples the store has now. -v and
    --json print all counters, which `kgreason stats --help` explains.
    """
    from kgreason.graph.knowledge_graph import KnowledgeGraph

    check_stdin(files, syntax)
    if pipeline == "spark":
        refuse_server(location, "--pipeline spark")
    shown = {"same_as": same_as, "aliases": aliases, "history": history}
    refusing = {"on_contradiction": on_contradiction, "on_violation": on_violation}
    made = {"rules": rules or None, "schema": schema, **shown, **refusing}
    with graph_to_edit(location, catalogue=catalogue, **made, **how) as graph:
        before = graph.stats()["asserted"]
        is_spark = is_for_spark(pipeline, files, keeps=True, format=syntax)
        if is_spark and isinstance(graph, KnowledgeGraph):
            from kgreason.spark.pipeline import check_load
            from kgreason.spark.pipeline import load as load_on_spark

            on_error: OnError = "count" if skip_malformed else "raise"
            check_load(files, work)
            with session(master, conf, work) as (spark, folder):
                stats = load_on_spark(
                    graph,
                    files,
                    spark,
                    on_error=on_error,
                    folder=folder,
                    progress=done.progress,
                )
            if count := stats["skipped"]:
                warn([f"skipped {amount(count, 'malformed line')}"])
        else:
            refuse_settings(master=master, conf=conf, work=work)
            stats = graph.load(*files, syntax=syntax, skip_malformed=skip_malformed, progress=done.progress)
            warn(stats.skipped.messages() if stats.skipped else ())
    new = amount(stats["asserted"] - before, "new triple")
    done.say(f"loaded {new} {done.took}", stats, stats)
