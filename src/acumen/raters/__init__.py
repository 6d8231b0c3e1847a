"""Several raters, and an AI as one of them."""
