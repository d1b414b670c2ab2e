"""Tests of the source stage."""
