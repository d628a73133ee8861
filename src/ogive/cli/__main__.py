"""`python -m ogive.cli`."""

from ogive.cli import script

script()
