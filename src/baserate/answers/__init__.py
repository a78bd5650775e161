"""Questions about data, answered in tables: what the commands do, in Python."""
