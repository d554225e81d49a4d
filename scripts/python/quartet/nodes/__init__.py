"""Whether the nodes of a cluster are alike: short launches on each and on pairs, and who stands out."""
