"""The report: one HTML page, and its figures as files, from any set of result documents."""
