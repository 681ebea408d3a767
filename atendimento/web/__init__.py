"""The browser's door."""
