"""What is installed is what is tested: the wheel and the sdist, in an environment of their own."""
