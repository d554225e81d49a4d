"""`quartet run`: every program on this machine, within a budget."""
