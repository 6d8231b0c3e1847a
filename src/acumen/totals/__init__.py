"""From items to a case: totals, ranges where items are open, cut-offs, and what may be promised."""
