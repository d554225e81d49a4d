"""Slurm: what a job asks for on a machine, and how arrays of jobs are submitted."""
