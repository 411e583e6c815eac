"""SHACL: shapes as rules, and validation results as facts."""
