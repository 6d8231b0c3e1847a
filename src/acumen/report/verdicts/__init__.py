"""Results of verdict studies as blocks."""
