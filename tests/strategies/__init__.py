"""Hypothesis strategies: programs and histories that shrink (`programs`), ontologies with data (`ontologies`)."""
