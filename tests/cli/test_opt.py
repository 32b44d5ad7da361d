"""`sidra opt`."""

from __future__ import annotations

import io
import json

import pytest

from sidra.cli.main import main

TEXT = """func @main(%x: f32[4]) -> (f32[4]) {
  %0 = graph.exp %x : f32[4]
  %1 = graph.exp %x : f32[4]
  %2 = graph.add %0, %1 : f32[4]
  return %2
}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.sir"
    path.write_text(TEXT)
    return path


def test_prints_the_ir_after_the_passes(file, capsys):
    assert main(["opt", str(file), "-p", "eliminate-common,eliminate-dead"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("graph.exp") == 1
    assert "graph.add %0, %0" in printed


def test_reads_standard_input_and_writes_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(TEXT))
    out = tmp_path / "out.sir"
    assert main(["opt", "-", "-p", "fuse-kernels", "-o", str(out)]) == 0
    assert "tile.kernel" in out.read_text()
    assert capsys.readouterr().out == ""


def test_statistics(file, capsys, tmp_path):
    dump = tmp_path / "dump"
    arguments = ["opt", str(file), "-p", "eliminate-common", "--json", "--dump", str(dump)]
    assert main(arguments) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["name"] == "eliminate-common"
    assert row["counts"] == {"merged": 1}
    assert sorted(path.name for path in dump.iterdir()) == [
        "00-input.sir",
        "01-eliminate-common.sir",
    ]
    assert main(["opt", str(file), "-p", "eliminate-common", "--statistics"]) == 0
    assert "1 merged" in capsys.readouterr().err


def test_lists_the_passes(capsys):
    assert main(["opt", "--list"]) == 0
    assert "fuse-kernels" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-p", "make-faster"], "there is no pass 'make-faster'; there are"),
        ([], "give a .sir file"),
        (["missing.sir"], "missing.sir"),
    ],
)
def test_errors_are_one_sentence(arguments, message, file, capsys):
    given = [str(file), *arguments] if arguments[:1] == ["-p"] else arguments
    assert main(["opt", *given]) == 2
    assert message in capsys.readouterr().err


def test_a_mistake_in_the_text_is_placed(tmp_path, capsys):
    path = tmp_path / "wrong.sir"
    path.write_text("func @main(%x: f32[4]) -> () {\n  %0 = graph.exp %y : f32[4]\n  return\n}\n")
    assert main(["opt", str(path)]) == 2
    assert "wrong.sir:2:" in capsys.readouterr().err
