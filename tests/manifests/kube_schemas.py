"""Strict validation of any document this project emits; a kind without a schema is a failure."""

import kubernetes_validate


class UnknownKindError(AssertionError):
    """A document of a kind that nothing here can check."""


def validate(document, version):
    """Raise where a document is not what that version of Kubernetes takes."""
    try:
        kubernetes_validate.validate(document, version, strict=True)
    except kubernetes_validate.SchemaNotFoundError:
        raise UnknownKindError(f"{document.get('apiVersion')} {document.get('kind')}") from None
