"""Printed results: the table, its verdict, pairs of ranks, and flat rows."""
