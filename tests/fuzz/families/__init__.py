"""The families of constructs that random programs are made of; importing one registers its rules."""
