"""Single rules and queries on DataFrames (Carneiro de Lima and Apinis, *A Back-to-basics Empirical Study*).

translation  a rule -> relational algebra
algebra      relational algebra as values
sql          relational algebra -> Spark SQL
evaluate     run, answers, explain
"""
