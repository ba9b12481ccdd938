"""Karpenter's own resource definitions as checks: the shape, strictly, and the CEL rules.

The API server prunes or refuses unknown fields, so every object that lists its properties is
closed. Rules over updates (`oldSelf`) do not apply to a new document.
"""

import copy
import functools
import json
import re
from pathlib import Path

import celpy
import jsonschema
import yaml
from celpy.adapter import json_to_cel
from celpy.celtypes import ListType, StringType

SCHEMAS = Path(__file__).parent.parent / "schemas"
FILES = {
    "NodePool": "karpenter.sh_nodepools.crd.yaml",
    "EC2NodeClass": "karpenter.k8s.aws_ec2nodeclasses.crd.yaml",
}


@functools.cache
def definition(kind):
    """Return the v1 schema of a kind, every listed object closed."""
    crd = yaml.safe_load((SCHEMAS / FILES[kind]).read_text(encoding="utf-8"))
    versions = {v["name"]: v["schema"]["openAPIV3Schema"] for v in crd["spec"]["versions"]}
    return _closed(copy.deepcopy(versions["v1"]))


def _closed(schema):
    for name in ("properties", "additionalProperties", "items"):
        inner = schema.get(name)
        if name == "properties" and inner:
            for one in inner.values():
                _closed(one)
        elif isinstance(inner, dict):
            _closed(inner)
    listed = "properties" in schema and schema.get("type") == "object"
    if listed and not schema.get("x-kubernetes-preserve-unknown-fields"):
        schema.setdefault("additionalProperties", False)
    return schema


def faults(document):
    """Return what the API server would refuse of a document; a kind it does not know fails."""
    kind = document["kind"]
    if kind not in FILES:
        return [f"unknown kind {kind}"]
    schema = definition(kind)
    shaped = {k: v for k, v in schema["properties"].items() if k != "metadata"}
    spec = schema | {"properties": shaped | {"metadata": {"type": "object"}}}
    shape = [e.message for e in jsonschema.Draft202012Validator(spec).iter_errors(document)]
    return shape or list(_broken_rules(spec, document, kind))


def _broken_rules(schema, value, where):
    for rule in schema.get("x-kubernetes-validations", ()):
        if "oldSelf" not in rule["rule"] and not _holds(rule["rule"], value):
            yield f"{where}: {rule.get('message', rule['rule'])}"
    if isinstance(value, dict):
        for key, inner in value.items():
            one = schema.get("properties", {}).get(key) or schema.get("additionalProperties")
            if isinstance(one, dict):
                yield from _broken_rules(one, inner, f"{where}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _broken_rules(schema.get("items", {}), inner, where)


def _find(text, pattern):
    """Kubernetes' own CEL extension: the first match, or nothing."""
    match = re.search(str(pattern), str(text))
    return StringType(match[0] if match else "")


def _split(text, separator):
    return ListType([StringType(part) for part in str(text).split(str(separator))])


@functools.cache
def _program(rule):
    environment = celpy.Environment()
    return environment.program(
        environment.compile(rule), functions={"find": _find, "split": _split}
    )


def _holds(rule, value):
    return _worked_out(rule, json.dumps(value))


@functools.cache
def _worked_out(rule, text):
    """Work a rule out for a value once: what documents are made of is often the same."""
    try:
        return bool(_program(rule).evaluate({"self": json_to_cel(json.loads(text))}))
    except celpy.CELEvalError:
        return False  # the API server refuses what a rule cannot be worked out for
