"""Relations of the user.

names         which names a relation may have, and which relations are kgreason's own
declarations  what `@relation` says of a relation, checked in rules
"""
