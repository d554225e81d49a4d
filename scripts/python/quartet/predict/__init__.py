"""Predicts how long a kernel should take on a described machine, on any number of ranks, by formulas."""
