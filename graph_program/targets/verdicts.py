"""What becomes of an operator in a runtime, in one word."""

from __future__ import annotations

RIGHT, PARTLY, WRONG, REFUSED = "right", "partly", "wrong", "refused"
"""As it was probed; `partly`: some of the cases of an operator and an element type are wrong or refused, and some are
right."""
LISTED, ELSEWHERE = "listed", "on the CPU"
"""As a document says, beside what is refused; `ELSEWHERE`, as one says or as it was probed: another one does it in the
same run."""
VERDICTS = (RIGHT, PARTLY, WRONG, REFUSED, LISTED, ELSEWHERE)

__all__ = ["ELSEWHERE", "LISTED", "PARTLY", "REFUSED", "RIGHT", "VERDICTS", "WRONG"]
