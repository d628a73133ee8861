"""The command `ogive`: one file for each command, no statistics and no drawing.

  _inspect _summary _compare _rank _plan _check _plot _report     the commands
  _options                      arguments that several commands share, and how they become `read`
  _output                       results to stdout, notes and errors to stderr

Exit codes: 0; 1 error; 2 usage or input; 130 interrupted.
"""

from ogive.cli._app import main

__all__ = ["main"]
