"""What kubectl itself reads of the files: the same objects and values as we do, with Go's parser.

YAML's words and numbers are read differently by different parsers (`on`, `1_000`, `0o7`). kubectl
needs a cluster for more than reading; what it would then check, the schemas and rules do.
"""

import json
import shutil
import subprocess

import pytest
import yaml

from tests.golden import golden_names, golden_text

KUBECTL = shutil.which("kubectl")
FOLDERS = ("kubernetes", "training", "karpenter", "beside", "migration")
TEXTS = {name: golden_text(name) for folder in FOLDERS for name in golden_names(folder)}
FILES = [  # not the values of a chart
    name
    for name, text in TEXTS.items()
    if all("\nkind: " in document for document in text.split("\n---\n"))
]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        KUBECTL is None, reason="no kubectl here: apt-get install kubernetes-client"
    ),
]


def keyed(documents):
    return {(d["kind"], d["metadata"]["name"]): d for d in documents if d is not None}


@pytest.mark.parametrize("name", FILES)
def test_kubectl_reads_what_we_do(name, tmp_path):
    text = TEXTS[name]
    (tmp_path / "file.yaml").write_text(text)
    (tmp_path / "kustomization.yaml").write_text(json.dumps({"resources": ["file.yaml"]}))
    made = subprocess.run(
        [KUBECTL, "kustomize", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    assert keyed(yaml.safe_load_all(made.stdout)) == keyed(yaml.safe_load_all(text))


def test_there_is_something_to_read():
    assert len(FILES) > 40
