"""Checks of what an operation fails with at run time, and what is known of sizes.

Start with `operation_checks`; `size_facts` settles what operations require of sizes.
"""
