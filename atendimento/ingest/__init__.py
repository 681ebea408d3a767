"""Readers of foreign formats. Each turns bytes into one neutral reading; none knows the database, the clock or the disk."""
