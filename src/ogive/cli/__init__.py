"""The command `ogive`: one file for each command, no statistics and no drawing.

  tables      _inspect _summary _sources _compare _rank _plan _check _plot _report _profile _aggregate _curves
  studies     _run _status _watch _verify _repair _compact _reproduce
  _app                          the commands in order, and what --help says of them all
  _options                      arguments that several commands share, and how they become `read`
  _picture _target              options of commands that draw; where a file goes, looked at before work begins
  _output                       results to stdout, notes and errors to stderr
  _waiting                      how far a long command is

Exit codes: 0; 1 error, or an answer that standard output did not take; 2 usage or input; 3 finished with
failed trials (`run`); 4 cannot tell and 5 worse (`check`); 130 interrupted. Every one but 0 comes with a
line on stderr that says why, with --quiet too. A reader that leaves (`| head`) changes no exit code.
"""

from ogive.cli._app import main

__all__ = ["main"]
