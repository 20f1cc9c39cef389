# SPDX-License-Identifier: Apache-2.0
"""`python -m onefold` is the program onefold."""

if __name__ == "__main__":
    try:
        from onefold_program import start
    except ImportError:
        raise SystemExit("onefold: the program is not in this package; a build has it as the file "
                         "onefold") from None
    start()
