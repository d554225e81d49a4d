"""What the tests of the programs over the fake GPU ask of every outcome."""


from quartet_cli import errors, medians

# Ranks, and how they reach each other's memory.
WAYS = [(1, "staged"), (2, "staged"), (2, "ipc"), (3, "staged"), (3, "ipc")]


def assert_verified(test, outcome, count):
    """So many cases, all of them measured, limited and right; returns their medians."""
    test.assertEqual((outcome.code, outcome.left), (0, []), outcome)
    test.assertEqual(errors(outcome.document), [])
    rows = medians(outcome.document)
    test.assertEqual(len(rows), count)
    for row in rows:
        test.assertIs(row["verified"], True, row)
        test.assertGreater(row["fraction_of_limit"], 0, row)
    return rows
