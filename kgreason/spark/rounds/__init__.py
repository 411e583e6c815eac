"""A closure by rounds of parts: facts are divided so that each join is local to a part, where the engine runs.

    place      facts -> the parts that need them
    evaluate   each part: Bootstrap, later Update
    exchange   new facts -> the parts that need them; until no part has a new fact for another one
decide     NOT, expressions and aggregates, each key in one part; then the rounds go on

division     rules whose atoms have no common variable become rules that have one
placement    which parts need a fact: a function of the program
listing      a placement as text
plan         rules and placement as numbers
texts        the terms whose texts a part knows
operators    NOT, expressions and aggregates in a part
part         a part: an engine, and the facts that it has for others
exchange     facts on their way between parts, as files
ranges       rows of files that tasks read themselves
tasks        what tasks of Spark do in a round
travel       facts travel in files, or by shuffles of Spark
"""
