"""What several rooms' tests share."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

# Laws are tried on a few examples in every run, and on many with HYPOTHESIS_PROFILE=thorough.
settings.register_profile("quick", max_examples=15)
settings.register_profile("thorough", max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

REPOSITORY = Path(__file__).parents[1]


# What collecting loads lives to the end, and the garbage collector need not walk through it again and again.
gc.disable()


def pytest_collection_finish():
    """Begin to collect garbage, the modules and tests aside."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return REPOSITORY


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data beside the repository."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the real data are not beside the repository ({folder.name}/ is absent)")
    return folder
