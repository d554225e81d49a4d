"""Slurm: machine files, requests for jobs, and the submission of arrays of jobs."""
