"""Result documents: reading and judging them, and the published numbers that they are compared with."""

from quartet.results.document import Collection, collect, commit, device, isa, load, load_published, nodes
from quartet.results.judge import is_alike, judged, judged_rows
from quartet.results.row import OWN_FORMULATIONS, TENSORFLOW, Launches, Name, Row, grouped, rows_of, whole_number

__all__ = ["OWN_FORMULATIONS", "TENSORFLOW", "Collection", "Launches", "Name", "Row", "collect", "commit", "device",
           "grouped", "is_alike", "isa", "judged", "judged_rows", "load", "load_published", "nodes", "rows_of",
           "whole_number"]
