"""Comparisons of two sets of results, case by case."""
