"""`--manifest`: all files, of the machine that was named, with what was left over said first."""

import re
import subprocess

import pytest

from bot.cli.main import main

SHELL = "/bin/sh"


def run(capsys, kind, text, *options):
    code = main(["--offline", "--manifest", kind, *options, text])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize(
    ("kind", "text", "named"),
    [
        ("kubernetes", "llama-3.2-1b on g6f.large", "g6f.large"),
        ("eksctl", "llama-3.1-70b on g5.xlarge", "g5.xlarge"),
        ("karpenter", "inference llama-3.1-8b instance=trn2.3xlarge", "trn2.3xlarge"),
        ("jobset", "train llama-3.1-8b on trn2.48xlarge 4 nodes", "trn2.48xlarge"),
    ],
)
def test_a_named_type_that_does_not_do_is_never_replaced(capsys, kind, text, named):
    code, out, err = run(capsys, kind, text)
    assert (code, out) == (3, "")
    assert re.search(rf"{re.escape(named)} does not do", err)


@pytest.mark.parametrize("text", ["llama-3.1-8b on g6e.xlarge bananas", "qwen3-8b foobarqux"])
def test_words_that_were_left_over_head_the_file(capsys, text):
    code, out, err = run(capsys, "kubernetes", text)
    word = text.split()[-1]
    assert code == 0
    assert out.startswith(f"# Not understood: “{word}”.")
    assert f"Not understood: “{word}”." in err


@pytest.mark.parametrize(
    ("words", "driver"),
    [
        ("on EFS", "efs.csi.aws.com"),
        ("on FSx for Lustre", "fsx.csi.aws.com"),
        ("on a PVC", "persistentVolumeClaim"),
        ("on EBS", "ebs.csi.aws.com"),
        ("auf EFS", "efs.csi.aws.com"),
        ("sur FSx", "fsx.csi.aws.com"),
    ],
)
def test_a_file_system_named_by_itself_holds_the_model(capsys, words, driver):
    _, out, _ = run(capsys, "kubernetes", f"llama-3.1-8b {words} on g6.2xlarge")
    assert driver in out
    assert "Not understood" not in out


MIGRATION = "move llama-3.1-8b from g5.12xlarge to inf2 rps=2"


def test_every_file_that_is_named_is_printed(capsys, tmp_path):
    _, out, _ = run(capsys, "migration", MIGRATION)
    marked = re.findall(r"^# FILE (\S+)$", out, re.MULTILINE)
    assert marked[0] == "migration.yaml"
    assert {"neuron-workload.yaml", "rollback.yaml"} <= set(marked)
    (cut,) = re.findall(r"or (awk .*) FILE\. Each", out)
    (tmp_path / "all.yaml").write_text(out)
    subprocess.run([SHELL, "-c", f"{cut} all.yaml"], cwd=tmp_path, check=True)
    assert set(marked) <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("kind", "text", "names"),
    [
        ("migration", MIGRATION, {"migration.yaml", "neuron-workload.yaml", "rollback.yaml"}),
        ("everything", "llama-3.1-8b on g6e.xlarge", {"cluster.yaml", "workload.yaml"}),
        ("sharing", "llama-3.2-1b MIG on p4d.24xlarge", {"bottlerocket-node-group.yaml"}),
        ("kubernetes", "llama-3.1-8b on g6e.xlarge", {"kubernetes.yaml"}),
    ],
)
def test_a_folder_takes_each_file(capsys, tmp_path, kind, text, names):
    code, out, err = run(capsys, kind, text, "--out", str(tmp_path / "new"))
    written = {path.name for path in (tmp_path / "new").iterdir()}
    assert (code, out) == (0, "")
    assert names <= written
    assert all(str(tmp_path / "new" / name) in err for name in written)


def test_a_folder_without_a_kind_is_a_fault(capsys):
    with pytest.raises(SystemExit):
        main(["--offline", "--out", "x", "llama-3.1-8b"])
    assert "--manifest" in capsys.readouterr().err
