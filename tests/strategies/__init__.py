"""Hypothesis strategies: programs and histories that Hypothesis shrinks (`programs`), random ontologies with data (`ontologies`)."""
