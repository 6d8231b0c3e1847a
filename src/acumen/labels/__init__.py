"""Labels: which cases to ask people about, how they are drawn, and what follows from the draw."""
