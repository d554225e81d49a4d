"""What the page is made of, apart from how it is written."""

from dataclasses import dataclass
from typing import Sequence

from .charts.model import Chart


@dataclass(frozen=True)
class Table:
    """Cells are texts; columns named in `numeric` are set to the right."""

    heading: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numeric: frozenset[str] = frozenset()
    caption: str = ""
    is_open: bool = True  # where it can be folded


@dataclass(frozen=True)
class Section:
    """A part of the page. With neither charts nor tables `missing` says so, `command` fills it."""

    slug: str  # names the files of its charts
    title: str
    introduction: str = ""
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    missing: str = ""
    command: str = ""  # that would fill it

    @property
    def is_empty(self) -> bool:
        return not self.charts and not self.tables
