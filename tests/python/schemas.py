"""The JSON Schemas of the suite. As a program: schemas.py FILE.json... checks result documents."""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

RESULTS = Path(__file__).resolve().parents[2] / "results"


def validator(name):
    """The validator of "results" or "published"."""
    file = RESULTS / "schema" / f"quartet-{name}.schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def problems(name, document):
    """What is wrong with a document, a line each: where, and why."""
    errors = sorted(validator(name).iter_errors(document), key=lambda error: error.json_path)
    return [f"{error.json_path}: {error.message}" for error in errors]


def read_strictly(path):
    """JSON without the NaN and infinity that Python's reader would let pass."""

    def refuse(word):
        raise ValueError(f"{path}: {word} is not JSON")

    return json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=refuse)


def main():
    found = [f"{path}: {line}" for path in sys.argv[1:] for line in problems("results", read_strictly(path))]
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
