"""Programs with one mistake each, put in on purpose; `python -m tests.seeded` says where they are found."""
