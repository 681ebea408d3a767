"""The machine's door: every call below /api/v1/."""
