"""Bundles: what is in the folder, and that the calls in its README run."""
