"""A user's own arrays: cut into the files that the programs read, and put under a manifest."""
