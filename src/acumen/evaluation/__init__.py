"""Where the parts meet: a table in, an evaluation out."""
