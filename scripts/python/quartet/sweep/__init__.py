"""Sweeps: their plan, their launches here or by Slurm, their folder, and their table."""
