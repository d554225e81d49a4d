"""Histories: since when rows are slower, on which nodes, and what else changed then."""
