"""Whether a machine is fit to be measured."""
