"""Disks that are full, or fail: small file systems that are mounted for a test, and errors in the place of writes."""
