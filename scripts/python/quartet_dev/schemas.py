"""Compiles JSON Schemas (2020-12) into Python by fastjsonschema, with three rules of our own: a whole number is an
integer only if it is written as one, 1 is not true, and a failure names the place, the rule and the value alone."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

from fastjsonschema import VERSION
from fastjsonschema.draft07 import CodeGeneratorDraft07
from fastjsonschema.ref_resolver import RefResolver

from quartet.paths import ROOT, SLURM

PACKAGE = ROOT / "scripts" / "python" / "quartet" / "schema"
COMPILED = PACKAGE / "compiled"
ANNOTATIONS = {"$schema", "$defs", "$ref", "title", "description", "default", "then", "else"}


def sources() -> dict[str, Path]:
    """The schemas, by the name of their module."""
    shown = {name: ROOT / "results" / "schema" / f"quartet-{name}.schema.json" for name in ("results", "published")}
    kept = {file.name.partition(".")[0]: file for file in sorted(PACKAGE.glob("*.schema.json"))}
    return {**shown, "machine": SLURM / "machine.schema.json", **kept}


def compiled(file: Path) -> str:
    """The module of a schema. Raises ValueError if it has a keyword that would be passed over."""
    schema = _without_notes(json.loads(file.read_text(encoding="utf-8")))
    generator = _Generator(schema, RefResolver.from_schema(schema, handlers={}, store={}), use_default=False)
    _refuse_unknown(schema, set(generator.keywords) | ANNOTATIONS)
    state = generator.global_state_code.replace(
        "from fastjsonschema import JsonSchemaValueException",
        "from quartet.schema import Invalid as JsonSchemaValueException")
    return (f'"""Generated from {os.path.relpath(file, ROOT)} by `quartet schemas` (fastjsonschema {VERSION})."""\n\n'
            f"{state}\n{generator.func_code}\n")


def _without_notes(rule: object) -> object:
    """Without what is said to people, and in the words of draft 7, which the generator knows."""
    if isinstance(rule, list):
        return [_without_notes(member) for member in rule]
    if not isinstance(rule, dict):
        return rule
    return {"dependencies" if key == "dependentRequired" else key: _without_notes(member)
            for key, member in rule.items()
            if not (key in ("description", "title", "$schema") and isinstance(member, str))}


def _rules(rule: object) -> Iterator[dict[str, Any]]:
    """The schemas within a schema, itself among them."""
    if not isinstance(rule, dict):
        return
    yield rule
    for key in ("properties", "$defs"):
        for member in rule.get(key, {}).values():
            yield from _rules(member)
    for key in ("items", "additionalProperties", "propertyNames", "if", "then", "else", "not"):
        yield from _rules(rule.get(key))
    for key in ("allOf", "anyOf", "oneOf"):
        for member in rule.get(key, []):
            yield from _rules(member)


def _refuse_unknown(schema: object, known: set[str]) -> None:
    for rule in _rules(schema):
        if rule.keys() - known:
            raise ValueError(f"keyword {sorted(rule.keys() - known)[0]} is not known here")


class _Generator(CodeGeneratorDraft07):  # type: ignore[misc]
    @property
    def keywords(self) -> list[str]:
        return list(self._json_keywords_to_function)

    def exc(self, msg: str, *args: object, append_to_msg: Optional[str] = None, rule: Optional[str] = None) -> None:
        more = f" + ({append_to_msg})" if append_to_msg else ""
        definition = self._definition.get(rule) if isinstance(self._definition, dict) else None
        self.l(f'raise JsonSchemaValueException("{msg}"{more}, {{variable}})', *args,
               definition_rule=self.e(definition))

    def generate_type(self) -> None:
        types = self._definition["type"]
        names = [types] if isinstance(types, str) else types
        kinds = {"null": "NoneType", "boolean": "bool", "number": "int, float", "integer": "int", "string": "str",
                 "array": "list", "object": "dict"}
        takes_bool = "boolean" in names or not {"number", "integer"} & set(names)
        no_bool = "" if takes_bool else f" or isinstance({self._variable}, bool)"
        with self.l("if not isinstance({variable}, ({})){}:", ", ".join(kinds[name] for name in names), no_bool):
            self.exc("{name} must be {}", " or ".join(names), rule="type")

    def generate_const(self) -> None:
        self._one_of_values([self._definition["const"]])

    def generate_enum(self) -> None:
        self._one_of_values(self._definition["enum"])

    def _one_of_values(self, values: list[Any]) -> None:
        kinds = ", ".join(sorted({type(value).__name__ for value in values}))
        with self.l("if type({variable}) not in ({},) or {variable} not in {}:", kinds, repr(tuple(values))):
            self.exc("{name} must be {}", self.e(" or ".join(str(value) for value in values)))

    def generate_pattern(self) -> None:
        pattern = self._definition["pattern"]  # JSON's `$` is the very end, and its \\d has ten digits
        self._compile_regexps[pattern] = re.compile(re.sub(r"\$$", r"\\Z", pattern), re.ASCII)
        with self.l("if isinstance({variable}, str) and not REGEX_PATTERNS[{}].search({variable}):", repr(pattern)):
            self.exc("{name} is not written as it should be")

    def generate_required(self) -> None:
        self.create_variable_is_dict()
        with self.l("if {variable}_is_dict:"), self.l("for key in {}:", repr(self._definition["required"])), \
                self.l("if key not in {variable}:"):
            self.exc("{name} lacks ", append_to_msg="key")

    def generate_any_of(self) -> None:
        self._alternatives("anyOf", 1)

    def generate_one_of(self) -> None:
        self._alternatives("oneOf", len(self._definition["oneOf"]))

    def _alternatives(self, keyword: str, enough: int) -> None:
        """Generates the check of alternatives. If none fits, the message is of the one that says least."""
        self._any_or_one_of_count += 1
        count = f"{self._variable}_fits{self._any_or_one_of_count}"
        problems = f"{self._variable}_problems{self._any_or_one_of_count}"
        self.l("{} = 0", count)
        self.l("{} = []", problems)
        for rule in self._definition[keyword]:
            with self.l("if {} < {}:", count, enough, optimize=False):
                with self.l("try:", optimize=False):
                    self.generate_func_code_block(rule, self._variable, self._variable_name, clear_variables=True)
                    self.l("{} += 1", count)
                with self.l("except JsonSchemaValueException as problem:"):
                    self.l("{}.append(problem)", problems)
        with self.l("if not {}:", count):
            self.l("raise min({}, key=lambda problem: len(problem.message))", problems)
        if keyword == "oneOf":
            with self.l("if {} > 1:", count):
                self.exc("{name} must be one thing alone")


def write() -> list[Path]:
    """Every module anew. Returns those that changed."""
    changed = []
    for name, file in sources().items():
        target, text = COMPILED / f"{name}.py", compiled(file)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
            changed.append(target)
    return changed
