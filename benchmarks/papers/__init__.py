"""The experiments of the four papers that kgreason implements, run with kgreason.

    model        a `Table` or a `Plot` is what an experiment gives
    alone        a call in a process of its own
    workloads    data and rules that are loaded once and then changed
    dyre         Carneiro de Lima et al., *Incremental Evaluation of Dynamic Datalog Programs as a
                 Higher-order DBSP Program*
    rivals       other systems beside kgreason, where they are installed
    impact       Zhao et al., *Towards Elastic Incrementalization for Datalog*
    shapiro      Carneiro de Lima and Apinis, *A Back-to-basics Empirical Study of Datalog Materialization*
    ddlog        Ryzhyk and Budiu, *Differential Datalog*
    page         the report, as Markdown and HTML

`scripts/papers` runs them. Machines differ, so a paper's seconds are not repeated; the ratios in one run say something.
"""
