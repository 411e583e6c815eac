"""A closure by rounds of parts: facts are divided so that each join is local to a part, and the engine runs in each part.

    place      facts -> the parts that need them
    evaluate   each part: Bootstrap, later Update
    exchange   new facts -> the parts that need them; until no part has a new fact for another one

division     rules whose atoms have no common variable become rules that have one
placement    which parts need a fact: a function of the program
plan         rules and placement as numbers
part         a part: an engine, and the facts that it has for others
rounds       rounds in one process
"""
