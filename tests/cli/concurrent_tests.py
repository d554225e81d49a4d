"""Runs the test methods of a file several at a time.

An MPI launcher sleeps for most of the time that a small job takes: tests that wait for launchers
need not wait for each other. Each method has a test object and temporary folders of its own."""

import functools
import os
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

AT_A_TIME = min(8, 2 * len(os.sched_getaffinity(0)))


def once(function):
    """A cache like functools.lru_cache whose value other threads wait for while one makes it."""
    guard, locks, values = threading.Lock(), {}, {}

    @functools.wraps(function)
    def cached(*arguments):
        with guard:
            lock = locks.setdefault(arguments, threading.Lock())
        with lock:
            if arguments not in values:
                values[arguments] = function(*arguments)
        return values[arguments]

    return cached


def each(function, items):
    """function(item) for all items, several at a time; the answers in their order."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(function, items))


def _methods(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _methods(test)
        else:
            yield test


def _outcome(test):
    result = unittest.TestResult()
    test.run(result)
    return test, result


def _report(test, result):
    """Prints a line, and the traceback where there is one. Whether the test passed."""
    troubles = [*result.errors, *result.failures]
    word = "FAIL" if troubles else "skipped" if result.skipped else "ok"
    reason = f": {result.skipped[0][1]}" if result.skipped else ""
    print(f"{test.id()} ... {word}{reason}", file=sys.stderr)
    for _, text in troubles:
        print(text, file=sys.stderr)
    return not troubles and not result.unexpectedSuccesses


def main():
    """In place of unittest.main(); words on the command line choose tests by part of their name."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    wanted = sys.argv[1:] or [""]
    tests = [test for test in _methods(suite) if any(word in test.id() for word in wanted)]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        passed = [_report(*found) for found in pool.map(_outcome, tests)]
    print(f"{len(passed)} tests, {passed.count(False)} failed", file=sys.stderr)
    sys.exit(0 if passed and all(passed) else 1)
