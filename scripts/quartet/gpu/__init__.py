"""The steps of `make gpu`."""
