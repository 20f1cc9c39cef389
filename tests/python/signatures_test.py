# SPDX-License-Identifier: Apache-2.0
"""The parameters of the public functions: the array API's names, NumPy's extensions, docstrings."""
import inspect

import numpy as np
import pytest

import onefold

# The array API's parameters (2024.12), which every function must take by these names.
ARRAY_API = {
    "sum": "axis dtype keepdims", "prod": "axis dtype keepdims", "mean": "axis keepdims",
    "var": "axis correction keepdims", "std": "axis correction keepdims", "min": "axis keepdims",
    "max": "axis keepdims", "any": "axis keepdims", "all": "axis keepdims",
    "argmin": "axis keepdims", "argmax": "axis keepdims", "count_nonzero": "axis keepdims",
    "vecdot": "axis",
}
EXTENSIONS = {"sum": "out where initial accuracy nan", "mean": "out where accuracy nan",
              "var": "out where accuracy nan", "min": "out where initial nan",
              "prod": "out where initial accuracy nan", "argmin": "out nan", "any": "out where"}


def public_functions():
    return [name for name in onefold.__all__ if inspect.isroutine(getattr(onefold, name))]


@pytest.mark.parametrize("name", sorted(ARRAY_API))
def test_parameters_of_the_array_api(name):
    parameters = inspect.signature(getattr(onefold, name)).parameters
    for one in ARRAY_API[name].split():
        assert one in parameters, f"{name} has no parameter {one}"
        assert parameters[one].kind is not inspect.Parameter.POSITIONAL_ONLY
        assert parameters[one].default is not inspect.Parameter.empty
    first = next(iter(parameters.values()))
    assert first.kind is inspect.Parameter.POSITIONAL_ONLY


@pytest.mark.parametrize("name", sorted(EXTENSIONS))
def test_parameters_of_numpy_and_of_onefold(name):
    parameters = inspect.signature(getattr(onefold, name)).parameters
    assert set(EXTENSIONS[name].split()) <= set(parameters)


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "prod", "min", "max", "argmin",
                                  "argmax", "any", "all"])
def test_positions_are_those_of_numpy(name):
    """axis, dtype and out may be given without names, as to NumPy."""
    ours = [one.name for one in inspect.signature(getattr(onefold, name)).parameters.values()
            if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    theirs = list(inspect.signature(getattr(np, name)).parameters)
    assert ours[1:] == theirs[1:len(ours)]


@pytest.mark.parametrize("name", public_functions())
def test_every_function_has_a_docstring_and_its_name(name):
    function = getattr(onefold, name)
    assert inspect.getdoc(function), f"{name} has no docstring"
    assert function.__name__ == name


def test_all_names_what_is_there():
    assert len(onefold.__all__) == len(set(onefold.__all__))
    for name in onefold.__all__:
        assert hasattr(onefold, name)
