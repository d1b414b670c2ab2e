"""Programs exported in fewer bits: what is changed, what stays, what the report says, and what is refused."""
