"""What the tests of quartet compare share: sides as folders of fake documents."""

import json

import fake_results
from fake_build import Scratch
from in_process import quartet

NAME = fake_results.stream_name()


def around(rate, runs=10, spread=0.01):
    """Rates that are a little apart, the same each time."""
    return [rate * (1 + spread * (2 * index / (runs - 1) - 1)) for index in range(runs)]


def documents(*rates, name=NAME, **median):
    """A document for each launch, which reached that rate; their limit is the same unless their fraction is given."""
    if "fraction_of_limit" not in median:
        median.setdefault("limit", {"what": "adding", "seconds": 1, "rate": 2000})
    return [fake_results.document(fake_results.case(name, around(rate), **median)) for rate in rates]


class CompareCase(Scratch):
    def side(self, side, *documents):
        """A folder of documents."""
        (self.folder / side).mkdir(exist_ok=True)
        for number, document in enumerate(documents):
            text = document if isinstance(document, str) else json.dumps(document)
            (self.folder / side / f"{number}.json").write_text(text)
        return self.folder / side

    def compare(self, *arguments):
        return quartet("compare", *map(str, arguments))

    def compared(self, first, second, *arguments):
        """The outcome for two lists of documents."""
        return self.compare(self.side("a", *first), self.side("b", *second), *arguments)


def row_of(done):
    """The words of the first case's line."""
    return next(line.split() for line in done.stdout.splitlines() if line.startswith("native"))


def flat(text):
    return " ".join(text.split())
