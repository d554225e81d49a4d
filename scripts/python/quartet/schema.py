"""Checks JSON values against schemas. A schema is compiled to a tree of functions, once in a process.

It knows the keywords of JSON Schema (2020-12) in the table KEYWORDS; any other keyword is an error. Two rules are
stricter: 2.0 is not an integer, and `$` in a pattern matches only at the very end of a text."""

import json
import operator
import re
from functools import cache
from pathlib import Path
from typing import Any, Callable, Iterable, NamedTuple, Optional

from quartet.paths import SHIPPED, SLURM

SHOWN = 40  # characters of a value
LONGEST = 300  # characters of a problem
ANNOTATIONS = {"$schema", "$defs", "title", "description", "default", "then", "else"}
TYPES = {"null": (type(None),), "boolean": (bool,), "number": (int, float), "integer": (int,), "string": (str,),
         "array": (list,), "object": (dict,)}
Schema = Any  # an object of JSON, or a boolean


class Problem(NamedTuple):
    """The place where a value breaks its schema, the broken rule, and the value there."""

    path: str  # as ".context.gpus[0]"
    rule: str
    value: object

    def __str__(self) -> str:
        where = f"{self.path} {self.rule}".lstrip(". ")
        text = "" if isinstance(self.value, (dict, list)) else repr(self.value)
        shown = f" ({text[:SHOWN]}{'..' if len(text) > SHOWN else ''})" if text else ""
        return (where if len(where) <= LONGEST else f"{where[:LONGEST]} ..") + shown


Check = Callable[[Any], Optional[Problem]]


def problem(name: str, value: object) -> str:
    """One line that says where `value` breaks the named schema, and which rule; empty if it is valid."""
    return str(validator(name)(value) or "")


@cache
def validator(name: str) -> Check:
    """The check of a schema: "results" and "published" are shipped for all readers, "machine" is beside its files."""
    shipped = {"results": SHIPPED / "schema" / "quartet-results.schema.json",
               "published": SHIPPED / "schema" / "quartet-published.schema.json",
               "machine": SLURM / "machine.schema.json"}
    file = shipped.get(name, Path(__file__).with_name("schemas") / f"{name}.schema.json")
    return compiled(json.loads(file.read_text(encoding="utf-8")))


def compiled(schema: Schema) -> Check:
    """The check of any schema. Raises ValueError for an unknown keyword."""
    return _Compiler(schema).check(schema)


class _Compiler:
    def __init__(self, root: Schema):
        self.root = root
        self.checks: dict[str, Check] = {}  # by reference

    def check(self, schema: Schema) -> Check:
        if isinstance(schema, bool):
            return (lambda value: None) if schema else (lambda value: Problem("", "must not be there", value))
        unknown = schema.keys() - KEYWORDS.keys() - ANNOTATIONS
        if unknown:
            raise ValueError(f"keyword {min(unknown)} of JSON Schema is not known here")
        rules = tuple(make(self, schema[keyword], schema) for keyword, make in KEYWORDS.items() if keyword in schema
                      and not (keyword == "additionalProperties" and "properties" in schema))
        return rules[0] if len(rules) == 1 else _all_of(rules)

    def reference(self, path: str, _schema: Schema) -> Check:
        """The check is made when it is first used, since a schema may refer to itself."""
        def check(value: Any) -> Optional[Problem]:
            if path not in self.checks:
                found = self.root
                for key in path.removeprefix("#/").split("/"):
                    found = found[key]
                self.checks[path] = self.check(found)
            return self.checks[path](value)
        return check

    def type(self, names: Any, _schema: Schema) -> Check:
        names = [names] if isinstance(names, str) else names
        kinds, rule = {kind for name in names for kind in TYPES[name]}, f"must be {' or '.join(names)}"
        return lambda value: None if type(value) in kinds else Problem("", rule, value)

    def enum(self, values: list[Any], _schema: Schema) -> Check:
        allowed = [(type(value), value) for value in values]  # since 1 equals True
        rule = f"must be {' or '.join(map(str, values))}"
        return lambda value: None if (type(value), value) in allowed else Problem("", rule, value)

    def required(self, keys: list[str], _schema: Schema) -> Check:
        return _of(dict, lambda value: next((f"lacks {key}" for key in keys if key not in value), ""))

    def dependencies(self, needed: dict[str, list[str]], _schema: Schema) -> Check:
        return _of(dict, lambda value: next((f"lacks {other}, which {key} needs" for key, others in needed.items()
                                             if key in value for other in others if other not in value), ""))

    def pattern(self, pattern: str, _schema: Schema) -> Check:
        search = re.compile(re.sub(r"\$$", r"\\Z", pattern), re.ASCII).search
        return _of(str, lambda value: "" if search(value) else "is not written as it should be")

    def members(self, _parameter: Any, schema: Schema) -> Check:
        """`properties` and `additionalProperties`."""
        named = {key: self.check(rule) for key, rule in schema.get("properties", {}).items()}
        more = self.check(schema.get("additionalProperties", True))
        return _each(dict, lambda value: ((f".{key}", named.get(key, more), member) for key, member in value.items()))

    def items(self, rule: Schema, _schema: Schema) -> Check:
        of_item = self.check(rule)
        return _each(list, lambda value: ((f"[{index}]", of_item, member) for index, member in enumerate(value)))

    def names(self, rule: Schema, _schema: Schema) -> Check:
        of_name = self.check(rule)
        return _each(dict, lambda value: ((" has a key that", of_name, key) for key in value))

    def condition(self, rule: Schema, schema: Schema) -> Check:
        test, then, otherwise = (self.check(one) for one in (rule, schema.get("then", True), schema.get("else", True)))
        return lambda value: (otherwise if test(value) else then)(value)

    def negation(self, rule: Schema, _schema: Schema) -> Check:
        test = self.check(rule)
        return lambda value: None if test(value) else Problem("", "must not be like this", value)

    def any_of(self, rules: list[Schema], _schema: Schema, most: int = 0) -> Check:
        """If no alternative fits, the shortest of their problems stands for all."""
        checks = tuple(map(self.check, rules))

        def check(value: Any) -> Optional[Problem]:
            problems = [found for found in (one(value) for one in checks) if found]
            if len(problems) == len(checks):
                return min(problems, key=lambda found: len(found.path + found.rule))
            is_alone = not most or len(checks) - len(problems) <= most
            return None if is_alone else Problem("", "must be one thing alone", value)
        return check


def _all_of(checks: tuple[Check, ...]) -> Check:
    def check(value: Any) -> Optional[Problem]:
        for one in checks:
            found = one(value)
            if found:
                return found
        return None
    return check


def _each(kind: type, members: Callable[[Any], Iterable[tuple[str, Check, Any]]]) -> Check:
    """A check of each member of a list or an object; `members` gives places, checks and values."""
    def check(value: Any) -> Optional[Problem]:
        if type(value) is kind:
            for place, rule, member in members(value):
                found = rule(member)
                if found:
                    return Problem(place + found.path, found.rule, found.value)
        return None
    return check


def _of(kind: type, broken: Callable[[Any], str]) -> Check:
    """A check of values of one type; `broken` returns the broken rule, or an empty text."""
    def check(value: Any) -> Optional[Problem]:
        rule = broken(value) if type(value) is kind else ""
        return Problem("", rule, value) if rule else None
    return check


def _bound(is_within: Callable[[Any, Any], bool], rule: str, *kinds: type) -> Callable[..., Check]:
    """A bound of numbers, or of the lengths of texts and lists."""
    def make(_compiler: _Compiler, bound: Any, _schema: Schema) -> Check:
        def check(value: Any) -> Optional[Problem]:
            if type(value) not in kinds or is_within(value if kinds == NUMBERS else len(value), bound):
                return None
            return Problem("", f"{rule} {bound}", value)
        return check
    return make


NUMBERS = (int, float)
KEYWORDS: dict[str, Callable[[_Compiler, Any, Schema], Check]] = {  # in the order in which they are tried
    "$ref": _Compiler.reference, "type": _Compiler.type, "enum": _Compiler.enum,
    "const": lambda compiler, value, schema: compiler.enum([value], schema),
    "minimum": _bound(operator.ge, "must be at least", *NUMBERS),
    "maximum": _bound(operator.le, "must be at most", *NUMBERS),
    "exclusiveMinimum": _bound(operator.gt, "must be more than", *NUMBERS),
    "minLength": _bound(operator.ge, "must have a length of at least", str),
    "maxLength": _bound(operator.le, "must have a length of at most", str),
    "minItems": _bound(operator.ge, "must have a length of at least", list),
    "maxItems": _bound(operator.le, "must have a length of at most", list),
    "pattern": _Compiler.pattern, "required": _Compiler.required, "dependentRequired": _Compiler.dependencies,
    "propertyNames": _Compiler.names, "properties": _Compiler.members, "additionalProperties": _Compiler.members,
    "items": _Compiler.items, "allOf": lambda compiler, rules, _: _all_of(tuple(map(compiler.check, rules))),
    "anyOf": _Compiler.any_of, "oneOf": lambda compiler, rules, schema: compiler.any_of(rules, schema, most=1),
    "not": _Compiler.negation, "if": _Compiler.condition}
