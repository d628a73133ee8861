"""The notebook of the examples, executed as a reader would."""

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")


@pytest.mark.slow
def test_a_local_function_a_lambda_and_a_pipeline_run_from_a_notebook(repository: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    book = nbformat.read(repository / "examples" / "study.ipynb", as_version=4)
    client = nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": os.fspath(tmp_path)}})
    client.execute()
    outputs = [out for cell in book.cells if cell.cell_type == "code" for out in cell.outputs]
    shown = " ".join(str(out.get("data", {}).get("text/html", "")) for out in outputs)
    assert "Trials(80 rows: " in shown
    assert "<p>logistic is better" in shown
    assert all(question in shown for question in ("a typical run", "on average", "on a bad day", "after 8 tries"))
    assert "both methods" in shown
    assert any("image/png" in out.get("data", {}) for out in outputs)
