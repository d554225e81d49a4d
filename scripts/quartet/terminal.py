"""What a terminal can show: colour, and a bar."""

import os
import re
from dataclasses import dataclass
from typing import Optional, TextIO

BAR = 10  # characters
GREEN, YELLOW, RED, FAINT, BOLD = "32", "33", "31", "2", "1"
GOOD, FAIR = 0.8, 0.5  # of the limit, from which on a bar is green and yellow


@dataclass(frozen=True)
class Style:
    """How lines are shown; without colour and in ASCII unless said."""

    has_colour: bool = False
    full: str = "#"
    empty: str = "."

    @staticmethod
    def of(stream: TextIO) -> "Style":
        """What the stream can show. NO_COLOR and TERM=dumb are respected."""
        terminal = os.environ.get("TERM", "dumb")
        colour = stream.isatty() and not os.environ.get("NO_COLOR") and terminal != "dumb"
        try:
            "█░".encode(stream.encoding or "ascii")
        except UnicodeEncodeError:
            return Style(colour)
        return Style(colour, "█", "░")

    def bar(self, fraction: Optional[float], width: int = BAR) -> str:
        """Of so many characters; empty where there is no fraction."""
        if not fraction or width < 1:
            return ""
        filled = round(min(fraction, 1) * width)
        return self.full * filled + self.empty * (width - filled)

    def paint(self, text: str, colour: str) -> str:
        return f"\033[{colour}m{text}\033[0m" if self.has_colour and text else text

    def paint_bar(self, line: str, fraction: Optional[float]) -> str:
        """The line with its bar coloured by the fraction."""
        if not fraction:
            return line
        colour = GREEN if fraction >= GOOD else YELLOW if fraction >= FAIR else RED
        pattern = f"{re.escape(self.full)}+(?={re.escape(self.empty)}| )"
        return re.sub(pattern, lambda match: self.paint(match[0], colour), line, count=1)
