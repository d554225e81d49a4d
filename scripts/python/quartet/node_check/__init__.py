"""Whether the node that this runs on is sound, by a few quick launches within a budget of time."""
