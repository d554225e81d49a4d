"""Sweeps: planned, run here or by Slurm, kept in a folder, shown as a table."""
