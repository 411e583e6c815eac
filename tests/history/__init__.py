"""What a graph keeps of its past."""
