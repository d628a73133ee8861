"""`python -m ogive.cli`."""

import sys

from ogive.cli import main

sys.exit(main())
