"""Programs with linear algebra."""
