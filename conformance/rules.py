# SPDX-License-Identifier: Apache-2.0
"""The rules that the vectors test, and whether each is arithmetic or a convention.

Arithmetic: the answer follows from "the true value of the stored elements, rounded once, ties to
even". Convention: the truth leaves a choice (the value of nothing, the sign of a zero, what to do
with an integer that does not fit); a library with another documented choice is not wrong.
"""

RULES = {
    "empty": ("convention", "nothing: sum, dot, norm2 are +0; mean, var, std are NaN"),
    "minus-zero": ("convention", "all summands are -0: -0"),
    "zero": ("convention", "any other zero is +0"),
    "single": ("arithmetic", "one element"),
    "subnormal": ("arithmetic", "subnormal elements and results are kept"),
    "intermediate-overflow": ("arithmetic", "partial results beyond the range do no harm"),
    "overflow": ("arithmetic", "an infinity where, and only where, the rounded result has none"),
    "infinity": ("arithmetic", "infinities of one sign"),
    "opposite-infinities": ("arithmetic", "infinities of both signs, or inf times 0: NaN"),
    "nan": ("arithmetic", "a NaN propagates, whatever else there is"),
    "tie": ("arithmetic", "half-way cases go to even; a hair more or less decides otherwise"),
    "double-rounding": ("arithmetic", "one rounding, straight to the output's format"),
    "underflow": ("arithmetic", "results below the output's least number, with their sign"),
    "cancellation": ("arithmetic", "large parts cancel and leave a small rest"),
    "condition": ("arithmetic", "condition numbers from 1e8 to beyond 1e300"),
    "order": ("arithmetic", "permutations of one multiset give one answer"),
    "length": ("arithmetic", "lengths about lanes, vectors and blocks; up to a million"),
    "random": ("arithmetic", "ordinary numbers of several spreads"),
    "division": ("arithmetic", "means by 3, 7 and more: the quotient is rounded, not the sum"),
    "square": ("arithmetic", "squares and products out of range, results within"),
    "perfect-square": ("arithmetic", "roots of m^2 and of its neighbours, and exact ties of roots"),
    "equal": ("arithmetic", "equal values have no variance"),
    "shift": ("arithmetic", "a variance small compared with the square of the mean"),
    "wide": ("arithmetic", "integers whose partial or exact sums need more than 64 bits"),
    "integer-overflow": ("convention", "an exact integer that the output cannot hold is refused"),
}
