"""The `quartet` command: one module for each subcommand in `commands`, and the packages that they share."""
