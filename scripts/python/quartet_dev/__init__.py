"""Tools for those who work on the suite. Only a checkout has them."""
