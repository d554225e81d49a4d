"""What is printed of results: the table, its verdict, flat rows, numbers of other work."""
