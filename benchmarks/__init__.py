"""The benchmarks: what kgreason costs, as ratios taken in one run (`scripts/bench`).

    suite.py       every benchmark: its name, its aim, what runs it
    model.py       Benchmark, Measurement, Figure
    report.py      figures as text and as JSON
    timing.py      two sides in turns, medians
    process.py     whole processes: seconds and peak memory (launch.py starts them)
    workspace.py   the LUBM files and ontologies in a temporary folder
    programs.py    generated facts and their rules: graphs, pointers, rules that never fire
    lubm.py        LUBM under OWL 2 RL in this process
    floor.py       what hashing the derivations alone costs
    engine.py      the engine over its floor
    changes.py     one triple more, ten thousand rules more
    states.py      what changes are made to: a state from Bootstrap, and one that grew; turns of deleting and adding
    commits.py     1 % of the facts, one triple, one edge
    axioms.py      axioms that come and go
    elastic.py     `auto` beside the better of Update and Bootstrap
    transactions.py, visible.py
                   until SPARQL sees a change, beside Oxigraph's own updates
    reopening.py   the first edit of a store that was closed
    churn.py       memory after a million pairs of single commits
    footprint.py   bytes
    files.py       from file to file and from file to store, beside others (rivals/)
    validating.py  SHACL, beside pySHACL
    prefixes.py    rules that begin with the same atoms
    rivals/        other systems, and the table of all of them (`scripts/bench --rivals`)
    starting.py    short commands, and the first one ever
    installation.py, door.py
                   the wheel in a fresh environment; the seconds that its user waits

A number of seconds says as much about the machine as about the code; a ratio of two things done in turns says more.
Aims are upper bounds. A benchmark whose data or rival is missing is skipped and says why.
"""
