"""As much of JSON Schema (2020-12) as the suite's schemas use, compiled into functions.

A whole number is an integer here, where JSON Schema would take 2.0 for one, too."""

import re
from typing import Callable

Check = Callable[[object], str]  # why a value is not valid, beginning with where; empty where it is
Types = dict[str, Callable[[object], bool]]

TYPES: Types = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
ANNOTATIONS = {"$schema", "$defs", "title", "description", "default", "then", "else"}
SHOWN = 40  # characters of a value


class Schema:
    def __init__(self, schema: dict):
        """Raises ValueError where it uses more of JSON Schema than is known here."""
        self._root = schema
        self._named: dict[str, Check] = {}
        self._check = self._compiled(schema)

    def problem(self, value: object) -> str:
        """Where a value is not valid, and why, in a line; empty where it is valid."""
        return self._check(value).lstrip(".")

    def _compiled(self, rule: object) -> Check:
        if isinstance(rule, bool):
            return (lambda _: "") if rule else lambda _: " is not allowed"
        unknown = rule.keys() - KEYWORDS.keys() - ANNOTATIONS
        if unknown:
            raise ValueError(f"keyword {sorted(unknown)[0]} is not known here")
        # In the order of KEYWORDS: what others rely on, such as the type, comes first.
        checks = [KEYWORDS[word](self, rule) for word in KEYWORDS if word in rule]
        if len(checks) == 1:
            return checks[0]
        return lambda value: next(filter(None, (check(value) for check in checks)), "")

    def _referred(self, rule: dict) -> Check:
        name = rule["$ref"]
        if name not in self._named:
            there: dict = self._root
            for part in name.lstrip("#/").split("/"):
                there = there[part]
            self._named[name] = self._compiled(there)
        return self._named[name]

    def _any_of(self, rule: dict) -> Check:
        checks = [self._compiled(each) for each in rule["anyOf"]]
        return lambda value: "" if any(not check(value) for check in checks) else \
            f" is none of what it may be{_shown(value)}"

    def _one_of(self, rule: dict) -> Check:
        checks = [self._compiled(each) for each in rule["oneOf"]]

        def check(value: object) -> str:
            problems = [each(value) for each in checks]
            return "" if problems.count("") == 1 else min(problems, key=len) or " is several things"
        return check

    def _all_of(self, rule: dict) -> Check:
        checks = [self._compiled(each) for each in rule["allOf"]]
        return lambda value: next(filter(None, (check(value) for check in checks)), "")

    def _not(self, rule: dict) -> Check:
        inner = self._compiled(rule["not"])
        return lambda value: "" if inner(value) else f" is what it may not be{_shown(value)}"

    def _if(self, rule: dict) -> Check:
        condition = self._compiled(rule["if"])
        then, other = (self._compiled(rule.get(word, True)) for word in ("then", "else"))
        return lambda value: other(value) if condition(value) else then(value)

    def _properties(self, rule: dict) -> Check:
        known = {key: self._compiled(each) for key, each in rule.get("properties", {}).items()}
        others = self._compiled(rule.get("additionalProperties", True))
        allows_others = rule.get("additionalProperties", True) is True

        def check(value: object) -> str:
            if not isinstance(value, dict):
                return ""
            for key, member in value.items():
                if key in known or not allows_others:
                    problem = known.get(key, others)(member)
                    if problem:
                        return f".{key[:SHOWN]}{problem}"
            return ""
        return check

    def _names(self, rule: dict) -> Check:
        inner = self._compiled(rule["propertyNames"])

        def check(value: object) -> str:
            wrong = [key for key in value if inner(key)] if isinstance(value, dict) else []
            return f" has a key that is not known{_shown(wrong[0])}" if wrong else ""
        return check

    def _items(self, rule: dict) -> Check:
        inner = self._compiled(rule["items"])

        def check(value: object) -> str:
            for place, member in enumerate(value if isinstance(value, list) else []):
                problem = inner(member)
                if problem:
                    return f"[{place}]{problem}"
            return ""
        return check


def _shown(value: object) -> str:
    text = repr(value) if not isinstance(value, (list, dict)) else f"a value of {len(value)} members"
    return f" ({text[:SHOWN]}{'..' if len(text) > SHOWN else ''})"


def _type(_: Schema, rule: dict) -> Check:
    names = [rule["type"]] if isinstance(rule["type"], str) else rule["type"]
    tests, wanted = [TYPES[name] for name in names], " or ".join(names)
    return lambda value: "" if any(test(value) for test in tests) else \
        f" is not of type {wanted}{_shown(value)}"


def _known(value: object, members: list) -> bool:
    # 1 and True are equal to Python, not to JSON.
    return any(type(value) is type(member) and value == member for member in members)


def _enum(_: Schema, rule: dict) -> Check:
    members = rule["enum"] if "enum" in rule else [rule["const"]]
    words = ", ".join(str(member) for member in members)
    return lambda value: "" if _known(value, members) else f" is not one of {words}{_shown(value)}"


def _pattern(_: Schema, rule: dict) -> Check:
    # JSON's `$` is the very end, and its \d has ten digits.
    wanted = re.compile(re.sub(r"\$$", r"\\Z", rule["pattern"]), re.ASCII)
    return lambda value: f" is not written as it should be{_shown(value)}" \
        if isinstance(value, str) and not wanted.search(value) else ""


def _required(_: Schema, rule: dict) -> Check:
    keys = rule["required"]
    return lambda value: next((f" lacks {key}" for key in keys if key not in value), "") \
        if isinstance(value, dict) else ""


def _dependent(_: Schema, rule: dict) -> Check:
    pairs = [(key, need) for key, needed in rule["dependentRequired"].items() for need in needed]
    return lambda value: next((f" has {key} but no {need}" for key, need in pairs
                               if key in value and need not in value), "") \
        if isinstance(value, dict) else ""


def _bound(word: str, is_right: Callable, what: str) -> Callable[[Schema, dict], Check]:
    def made(_: Schema, rule: dict) -> Check:
        bound = rule[word]
        return lambda value: f" is {what} {bound}{_shown(value)}" \
            if TYPES["number"](value) and not is_right(value, bound) else ""
    return made


def _length(word: str, kinds: type, is_right: Callable, what: str) -> Callable[[Schema, dict], Check]:
    def made(_: Schema, rule: dict) -> Check:
        bound = rule[word]
        return lambda value: f" has {what} {bound} members or characters" \
            if isinstance(value, kinds) and not is_right(len(value), bound) else ""
    return made


KEYWORDS: dict[str, Callable[[Schema, dict], Check]] = {
    "type": _type,
    "enum": _enum,
    "const": _enum,
    "$ref": Schema._referred,
    "pattern": _pattern,
    "minimum": _bound("minimum", lambda value, bound: value >= bound, "less than"),
    "exclusiveMinimum": _bound("exclusiveMinimum", lambda value, bound: value > bound, "not above"),
    "maximum": _bound("maximum", lambda value, bound: value <= bound, "more than"),
    "minLength": _length("minLength", str, lambda size, bound: size >= bound, "fewer than"),
    "maxLength": _length("maxLength", str, lambda size, bound: size <= bound, "more than"),
    "minItems": _length("minItems", list, lambda size, bound: size >= bound, "fewer than"),
    "maxItems": _length("maxItems", list, lambda size, bound: size <= bound, "more than"),
    "required": _required,
    "dependentRequired": _dependent,
    "properties": Schema._properties,
    "additionalProperties": lambda schema, rule: Schema._properties(schema, rule)
    if "properties" not in rule else lambda _: "",
    "propertyNames": Schema._names,
    "items": Schema._items,
    "if": Schema._if,
    "anyOf": Schema._any_of,
    "oneOf": Schema._one_of,
    "allOf": Schema._all_of,
    "not": Schema._not,
}
