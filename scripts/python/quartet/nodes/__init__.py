"""Finds slow nodes of a cluster: short launches on each node and on pairs, and which of them are outliers."""
