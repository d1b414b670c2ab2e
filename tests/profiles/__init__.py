"""Profiles: lines are told right, times add up, files tell the same lines."""
