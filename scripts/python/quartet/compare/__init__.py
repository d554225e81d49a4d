"""Comparisons of two sides of results, case by case."""
