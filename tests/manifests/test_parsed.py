"""Files are read back before they leave: what does not parse, or is more than one, stays here."""

import pytest
from jinja2 import DictLoader, Environment

from bot.core.manifest import ManifestError
from bot.manifests.eksctl import eksctl
from bot.manifests.rule import parsed
from tests.manifests.picks import CATALOG, sample_pick


def test_the_documents_come_without_the_empty_ones():
    assert parsed("---\na: 1\n---\n---\n- b\n", "it") == ({"a": 1}, ["b"])


@pytest.mark.parametrize("text", ["a: [", "a: b: c", "\tx: 1", "a: !!python/object:os.system {}"])
def test_what_is_no_plain_yaml_is_refused_by_name(text):
    with pytest.raises(ManifestError, match=r"\Athe file does not parse: "):
        parsed(text, "the file")


def test_a_cluster_file_of_several_documents_is_refused(monkeypatch):
    """Whatever a template lets through: eksctl would read the first and leave the second."""
    template = {"eksctl/cluster.yaml.j2": "a: 1\n---\nkind: Secret\n"}
    broken = Environment(loader=DictLoader(template), autoescape=False)  # noqa: S701 - no HTML
    monkeypatch.setattr(eksctl, "manifest_environment", lambda: broken)
    with pytest.raises(ManifestError, match="2 documents"):
        eksctl.eksctl_manifest(*sample_pick("realtime"), CATALOG)
