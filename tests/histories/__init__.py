"""Random histories: what one is (`history`), how it is drawn (`drawn`) and checked (`following`, `individuals`)."""
