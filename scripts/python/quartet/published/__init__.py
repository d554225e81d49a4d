"""Numbers that others have published, and which of ours they may stand beside."""
