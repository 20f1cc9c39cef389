#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a header with the loops of extrema, products and logsumexp once for each row below, one
line changed in each: mutants, which operators_mutation_test.cpp must tell from the originals.

    mutants.py SOURCE_ROOT OUT

A line that is not there exactly once ends the build: change the row with the loop.
"""
import pathlib
import re
import sys

EXTREMA, TASK = "src/cpu/kernels/extrema-inl.hpp", "src/cpu/tasks/extrema_task.cpp"
STATE, PRODUCT = "include/onefold/detail/extrema.hpp", "src/cpu/kernels/product-inl.hpp"
EXP = "src/cpu/kernels/log_sum-inl.hpp"
LOG = "include/onefold/detail/log_sum.hpp src/state/shifted_sum.hpp src/state/log_sum.cpp"
TERMS = "src/cpu/kernels/log_sum_terms-inl.hpp"
BYTES = "src/cpu/kernels/log_sum_bytes-inl.hpp"

# name, source, the line as it is, the line of the mutant
MUTANTS = (
    ("no_tail", EXTREMA, "b.take(load(n - width));", ""),
    ("least_by_unsigned_bits", EXTREMA, "highest < 0 ? highest : lowest", "lowest"),
    ("largest_by_signed_bits", EXTREMA, "largest >= 0 ? largest : lowest", "largest"),
    ("nans_stay", EXTREMA, "hn::IfThenElse(nan, highest, place)", "place"),
    ("padding_counts", EXTREMA, "nans -= width - (n - i);", ""),
    ("minus_nan_unseen", TASK, "range.least < ~infinity || range.largest > infinity",
     "range.largest > infinity"),
    ("plus_nan_unseen", TASK, "range.least < ~infinity || range.largest > infinity",
     "range.least < ~infinity"),
    ("first_task_wins", TASK, "(least.key == low.key && first_index < low.index)", "false"),
    ("first_nan_of_task", TASK, "first_index < seen_.argmin(false)", "false"),
    ("one_zero", TASK, "bits_of(wanted, false), bits_of(wanted, true)",
     "bits_of(wanted, false), bits_of(wanted, false)"),
    ("any_plus_zero", STATE, "least_.plus_zero && least.plus_zero",
     "least_.plus_zero || least.plus_zero"),
    ("empty_has_ends", STATE, "const bool first = empty(true);", "const bool first = false;"),
    ("last_index", STATE, "return a < b ? a : b;", "return a < b ? b : a;"),
    ("no_low_part", PRODUCT, "return sum_of<D>(first, fused(d, x.low, m, error));",
     "return sum_of<D>(first, error);"),
    ("no_error_term", PRODUCT, "const auto error = fused(d, x.high, m, hn::Neg(first));",
     "const auto error = hn::Zero(d);"),
    ("low_not_scaled", PRODUCT, "hn::Mul(from.low, hn::BitCast(d, inverse))",
     "((void)inverse, from.low)"),
    ("subnormals_scaled", PRODUCT, "lanes.exponent -= 64 * sum_of_lanes(notes.subnormals);", ""),
    ("too_many_rows", PRODUCT, "product_rows = 32;", "product_rows = 1200;"),
    ("nan_multiplies", PRODUCT, "return hn::IfThenElse(hn::RebindMask(d, nan), one, x);",
     "return x;"),
    ("no_least_argument", EXP,
     "hn::IfThenElseZero(hn::Ge(x, hn::Set(d, least_argument)), scaled)", "scaled"),
    ("short_logarithm", EXP, "fused(d, k, hn::Set(d, -log_of_2_low), upper)", "upper"),
    ("no_low_step", TERMS, "r = fused(d, k, hn::Set(d, -step_low), r);", ""),
    ("no_third_power", TERMS, "fused(d, r, hn::Set(d, term_third), hn::Set(d, term_second))",
     "hn::Set(d, term_second)"),
    ("no_origin", TERMS, "x = hn::Sub(x, hn::Set(d, scale.origin));", ""),
    ("even_lanes_twice", TERMS, "hn::MulEven(odd(power), odd(factor))",
     "((void)odd, hn::MulEven(power, factor))"),
    ("half_a_table", TERMS, "const auto upper = hn::Gt(place, hn::Set(d, 15));",
     "const auto upper = hn::Gt(place, hn::Set(d, 31));"),
    ("no_last_terms", TERMS, "if (n > 0) {", "if (n > 7) {"),
    ("one_group_less", BYTES, "if constexpr (Plane < planes_of_group[2])",
     "if constexpr (Plane < 0)"),
    ("one_plane_less", BYTES, "planes_of_group[] = {8, 5, 3}", "planes_of_group[] = {8, 4, 3}"),
    ("groups_overlap", BYTES, "return hn::Or(place, beyond);", "return ((void)beyond, place);"),
    ("rest_counts", BYTES, "std::uint8_t(largest + 1)", "std::uint8_t(largest - 9)"),
    ("shift_stays", LOG, "next.shift - front.shift > shift_reach",
     "next.shift - front.shift > 2000"),
    ("few_steps", LOG, "step < 7", "step < 4"),
)


def body_of(text):
    """Without includes, include guards and what belongs to other namespaces."""
    text = re.sub(r"#if defined\(ONEFOLD_CPU_\w+\) == .*?#endif\n", "", text, flags=re.S)
    text = re.sub(r"HWY_AFTER_NAMESPACE\(\);\s*#endif\s*$", "HWY_AFTER_NAMESPACE();\n", text)
    return re.sub(r"^#(include|pragma once).*\n", "", text, flags=re.M)


def mutant_of(text, name):
    place = f"namespace onefold::mutants::{name} {{\n"
    text = text.replace("namespace onefold::cpu {\n", place + "using namespace cpu;\n")
    text = text.replace("namespace onefold::detail {\n", place + "using namespace detail;\n")
    # shifted_sum.hpp: what a mutant has hides what it uses.
    text = text.replace("namespace onefold::exponential {\n",
                        place + "namespace exponential {\nusing namespace onefold::exponential;\n")
    text = text.replace("}  // namespace onefold::exponential\n", "}\n}\n")
    # log_sum.cpp: what is in front of its `namespace detail` is no part of a mutant.
    text = re.sub(r"namespace onefold \{\n.*?\nnamespace detail \{\n",
                  f"namespace onefold::mutants {{\nnamespace {name} {{\nusing namespace detail;\n",
                  text, flags=re.S)
    return text.replace("namespace HWY_NAMESPACE {\n",
                        "namespace HWY_NAMESPACE {\nusing namespace cpu::HWY_NAMESPACE;\n")


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sources = {source for _, files, *_ in MUTANTS for source in files.split()}
    texts = {source: (root / source).read_text(encoding="utf-8") for source in sources}
    own = {source.split("/", 1)[1] for source in sources if source.startswith("src/cpu")}
    includes = sorted({line for text in texts.values()
                       for line in re.findall(r"^#include .*", text, flags=re.M)
                       if not any(f'"{name}"' in line for name in own)})
    parts = ["// Written by tests/cpu/mutants.py.", "#pragma once",
             "#pragma GCC system_header  // a changed line leaves names unused", *includes]
    for name, files, line, changed in MUTANTS:
        text = "".join(body_of(texts[source]) for source in files.split())
        if text.count(line) != 1:
            sys.exit(f"mutants.py: {name}: '{line}' is {text.count(line)} times in {files}; "
                     "change the row with the loop")
        parts.append(mutant_of(text.replace(line, changed), name))
    out.write_text("\n".join(parts) + "\n", encoding="utf-8")


main()
