"""The programs on simulated ranks of a described machine, by SimGrid's SMPI."""
