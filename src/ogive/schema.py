"""The columns of a table of trials, and the words in them."""

OK, ONE_TASK = "ok", "all"  # the status of a good run; the task of a table that names none
NO_SCORE = "no finite score"  # the message of a run that says nothing else
STATUSES = (OK, "error", "timeout", "memory", "crashed", "invalid")
LEADING = ("algorithm", "task", "trial", "item", "group", "status", "params")
TRAILING = ("wall_s", "cpu_s")
RESERVED = (*LEADING, "message", *TRAILING)
