"""What writes the generated pages, a module for each kind."""
