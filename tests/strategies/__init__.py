"""Hypothesis strategies: random programs and histories (`programs`), random ontologies with data (`ontologies`)."""
