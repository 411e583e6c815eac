"""Single rules and queries on DataFrames (Carneiro de Lima and Apinis, *A Back-to-basics Empirical Study*).

translation  translates a rule or a query to relational algebra
algebra      relational algebra as values
sql          translates relational algebra to Spark SQL
evaluate     run a rule, answer a query, explain a plan
"""
