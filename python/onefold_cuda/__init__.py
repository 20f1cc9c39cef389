# SPDX-License-Identifier: Apache-2.0
"""The library of onefold with its CUDA engine.

Nothing here is imported: `pip install "onefold[cuda]"` puts the library next to the package
onefold, which finds it when it starts.
"""
