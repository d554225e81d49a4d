"""The steps of quartet gpu."""
