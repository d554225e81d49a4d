"""Commands for developers of the suite. Only a checkout has them."""
