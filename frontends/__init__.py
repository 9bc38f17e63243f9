"""Where models enter: programs in other forms, read into IR and written from it."""
