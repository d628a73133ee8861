"""The command `ogive`: one file for each command or for a few that share their options, no statistics and no drawing.

  _app                                    the commands in order, what --help says of them all, how errors become exit codes
  _summary (inspect too) _sources _plan _plot _report _curves     about one table
  _verdicts (compare, rank, check)        which is better
  _over_tasks (profile, aggregate)        many tasks together
  _run _reproduce                         studies
  _store (status, watch, verify, repair, compact)
  _options                                arguments that several commands share, and how they become `read`
  _target                                 where a file goes, looked at before work begins; options of commands that draw
  _output                                 results to stdout; notes, errors and how far a command is to stderr

Exit codes: 0; 1 error, or an answer that standard output did not take; 2 usage or input; 3 finished with
failed trials (`run`); 4 cannot tell and 5 worse (`check`); 130 interrupted. Every one but 0 comes with a
line on stderr that says why, with --quiet too. A reader that leaves (`| head`) changes no exit code.
"""

from ogive.cli._app import main, script

__all__ = ["main", "script"]
