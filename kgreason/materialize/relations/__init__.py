"""Facts of the user's relations, such as `edge(<http://e/a>, 5)`.

facts     the rows of relations: what a commit changed, and what a state has
"""
