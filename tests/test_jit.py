"""The kernel decorator: where compiled code goes, and that the user's settings stay."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import numba
before = numba.config.CACHE_DIR
from ogive.kernels._corridor import stay_probability
import numpy as np
value = stay_probability(np.array([0.1]), np.array([0.9]))
assert numba.config.CACHE_DIR == before
print(round(float(value), 12))
"""


def run(environment, before=""):
    return subprocess.run(
        [sys.executable, "-c", before + SCRIPT],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )


@pytest.mark.slow
def test_compiled_code_is_kept_in_a_folder_named_by_the_sources(tmp_path):
    done = run({"OGIVE_CACHE": str(tmp_path)})
    assert done.stdout.strip() == "0.8", done.stderr
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("kernels-")
    assert list(folder.rglob("*.nbi"))


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_no_error(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    done = run({"OGIVE_CACHE": str(blocked)})
    assert done.stdout.strip() == "0.8", done.stderr


@pytest.mark.slow
def test_a_cache_on_a_full_disk_is_no_error(tmp_path):
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))"
    done = run({"OGIVE_CACHE": str(tmp_path)}, before=full)
    assert done.stdout.strip() == "0.8", done.stderr
    assert done.stderr.count("compiled anew each time: File too large") == 1
    assert not [path for path in tmp_path.rglob("*") if ".tmp" in path.name]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_compiled_code_that_was_cut_short_is_compiled_anew(tmp_path, ending):
    run({"OGIVE_CACHE": str(tmp_path)})
    for path in tmp_path.rglob(f"*.{ending}"):
        path.write_bytes(path.read_bytes()[:40])
    done = run({"OGIVE_CACHE": str(tmp_path)})
    assert done.stdout.strip() == "0.8", done.stderr
    assert all(path.stat().st_size > 40 for path in tmp_path.rglob(f"*.{ending}"))
