"""Whether a JSON value is what its schema says. `quartet schemas` generates compiled/NAME.py from a schema, so that
nothing but Python is needed here. A whole number is an integer; to JSON Schema 2.0 would be one, too."""

import importlib

SHOWN = 40  # characters of a value
LONGEST = 300  # characters of a problem


class Invalid(ValueError):
    """A value that is not as its schema has it: where and what, and the value itself."""

    def __init__(self, message: str, value: object):
        super().__init__(message, value)
        self.message, self.value = message, value


def problem(name: str, value: object) -> str:
    """Says in a line where `value` breaks the schema NAME, and what should be there; empty if it is valid."""
    try:
        importlib.import_module(f"quartet.schema.compiled.{name}").validate(value, {}, "")
    except Invalid as found:
        where = found.message.removeprefix("data").lstrip(". ")
        return (where if len(where) <= LONGEST else f"{where[:LONGEST]} ..") + _shown(found.value)
    return ""


def _shown(value: object) -> str:
    if isinstance(value, (dict, list)):
        return ""
    text = repr(value)
    return f" ({text[:SHOWN]}{'..' if len(text) > SHOWN else ''})"
