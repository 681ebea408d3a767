"""The reading room: one read per page or answer, returned as frozen objects. Nothing here writes."""
