"""Prediction: how long a kernel should take on a described machine, of any number of ranks. What it says is computed,
and never stands as a measurement."""
