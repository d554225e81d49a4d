"""Goals of `quartet limits`: how near each kernel is to its limit and ahead of its peers."""
