"""Strict validation of any document this project emits; a kind without a schema is a failure."""

import jsonschema
import kubernetes_validate

from tests.manifests.custom_schemas import SCHEMAS


class UnknownKindError(AssertionError):
    """A document of a kind that nothing here can check."""


def validate(document, version):
    """Raise where a document is not what that version of Kubernetes takes."""
    custom = SCHEMAS.get((document.get("apiVersion"), document.get("kind")))
    if custom is not None:
        jsonschema.Draft202012Validator(custom).validate(document)
        for inner in embedded(document):
            validate(inner, version)
        return
    try:
        kubernetes_validate.validate(document, version, strict=True)
    except kubernetes_validate.SchemaNotFoundError:
        raise UnknownKindError(f"{document.get('apiVersion')} {document.get('kind')}") from None


def embedded(document):
    """Yield the Kubernetes objects inside a custom resource, as documents of their own."""
    spec = document.get("spec") or {}
    for job in spec.get("replicatedJobs", ()):
        body = {"metadata": {"name": job["name"]}, **job["template"]}
        yield {"apiVersion": "batch/v1", "kind": "Job", **body}
    for role in spec.get("pytorchReplicaSpecs", {}).values():
        metadata = {"name": document["metadata"]["name"]}
        template = {"metadata": metadata, "template": role["template"]}
        yield {"apiVersion": "v1", "kind": "PodTemplate", **template}
