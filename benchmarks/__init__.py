"""Scripts that measure, and their last figures."""
