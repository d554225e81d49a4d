"""The HTML page of results: its content, charts and markup."""
