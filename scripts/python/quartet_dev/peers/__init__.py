"""Other suites' programs, run beside ours."""
