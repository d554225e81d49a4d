"""Result documents: the one reader, the one judge, and the published numbers that stand beside them."""

from quartet.results.case import OWN_FORMULATIONS, TENSORFLOW, Case, Launches, Name, cases, grouped, whole_number
from quartet.results.document import Collection, collect, commit, device, isa, load, load_published, nodes
from quartet.results.judge import is_alike, judged, judged_cases

__all__ = ["OWN_FORMULATIONS", "TENSORFLOW", "Case", "Collection", "Launches", "Name", "cases",
           "collect", "commit", "device", "grouped", "is_alike", "isa", "judged", "judged_cases", "load",
           "load_published", "nodes", "whole_number"]
