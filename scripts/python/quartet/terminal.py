"""Output for terminals: colour, bars, and text without control characters."""

import os
import re
from dataclasses import dataclass
from typing import Optional, TextIO

BAR = 10  # characters
GREEN, YELLOW, RED, FAINT, BOLD = "32", "33", "31", "2", "1"
GOOD, FAIR = 0.8, 0.5  # fractions of the limit, from which on a bar is green, or yellow

# Control characters, characters that reverse the direction of text, and surrogates, which no encoding has.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The text without control characters: white space becomes a blank, others become escapes. All text from files and
    other programs goes through it."""
    return _CONTROL.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return " " if found[0] in "\t\n\v\f\r\u2028\u2029" else found[0].encode("unicode_escape").decode("ascii")


@dataclass(frozen=True)
class Style:
    """The style of printed lines; by default without colour, and in ASCII."""

    has_colour: bool = False
    full: str = "#"
    empty: str = "."

    @staticmethod
    def of(stream: TextIO) -> "Style":
        """The style that the stream can show; follows NO_COLOR and TERM=dumb."""
        terminal = os.environ.get("TERM", "dumb")
        colour = stream.isatty() and not os.environ.get("NO_COLOR") and terminal != "dumb"
        try:
            "█░".encode(stream.encoding or "ascii")
        except UnicodeEncodeError:
            return Style(colour)
        return Style(colour, "█", "░")

    def bar(self, fraction: Optional[float], width: int = BAR) -> str:
        """A bar of so many characters; empty if there is no fraction."""
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
