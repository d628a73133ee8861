"""The columns of a table of trials, and the words in them."""

OK, ONE_TASK = "ok", "all"  # the status of a good run; the task of a table that names none
# A row is `invalid` where none of its scores is a finite number. One that has some is ok, and usable for these; where another
# is NaN or infinite it failed by that metric alone, in tables that are read as in studies that are run.
STATUSES = (OK, "error", "timeout", "memory", "crashed", "invalid")
LEADING = ("algorithm", "task", "trial", "item", "group", "status", "params")
TRAILING = ("wall_s", "cpu_s")
RESERVED = (*LEADING, "message", *TRAILING)
