"""Measurements of the claims that the project makes about its speed; `python -m tests.benchmarks` prints them."""
