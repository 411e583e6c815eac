"""Ctrl-C and other signals, wherever they come."""
