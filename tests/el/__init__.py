"""Tests of the rule set owl2el."""
