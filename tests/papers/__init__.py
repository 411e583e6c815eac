"""The worked examples of the papers that kgreason implements (docs/papers.md), with their values written out.

A test names a section, figure or algorithm only where the paper's number is certain. The laws behind the examples are
tested on random input in `tests/circuit` and `tests/oracle`.
"""
