"""Bundles: a folder with a model and all that somebody needs who is to call it, in whatever language.

Start with `bundle`; `calls` has the languages.
"""
