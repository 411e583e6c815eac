"""The history of a graph: what every commit changed. `entry` has one commit, and `log` all of them, in files."""
