"""Units of what the scripts read, count and print."""

KIB, MIB, GIB = 2**10, 2**20, 2**30
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}  # by a document's time_unit
