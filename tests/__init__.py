"""Tests of kgreason; a package, so that every area can import `tests.oracle` and `tests.strategies`."""
