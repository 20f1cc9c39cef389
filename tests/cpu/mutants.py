#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a header with the loops of extrema, products and logsumexp once for each row below, one
line changed in each: mutants, which operators_mutation_test.cpp must distinguish from the
originals.

    mutants.py SOURCE_ROOT OUT

A line that is not there exactly once ends the build: change the row with the loop.
"""
import pathlib
import re
import sys

EXTREMA, TASK = "src/cpu/kernels/extrema-inl.hpp", "src/cpu/tasks/extrema_task.cpp"
STATE, PRODUCT = "include/onefold/detail/extrema.hpp", "src/cpu/kernels/product-inl.hpp"
EXP = "src/cpu/kernels/exponentials-inl.hpp"
LOG = ("include/onefold/detail/exponential_tables.hpp src/state/exponential.hpp "
       "src/state/logarithm.hpp include/onefold/detail/exponential_sum.hpp "
       "src/state/exponential_value.hpp src/state/exponential_sum.cpp")

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
    ("no_low_step", EXP, "t = fused(d, whole, hn::Set(d, -step_low), t);", ""),
    ("no_third", EXP, "fused(d, t, hn::Set(d, third), hn::Set(d, second))",
     "hn::Set(d, second)"),
    ("others_count", EXP, "half_of<upper>(words, kept)",
     "half_of<upper>(words, hn::Not(hn::Zero(words)))"),
    ("no_binades", EXP, "scale = hn::ShiftLeft<32 + detail::step_shift>(k);",
     "scale = hn::Zero(d);"),
    ("no_sixth_power", EXP, "hn::Set(d, sixth), hn::Set(d, fifth)",
     "hn::Zero(d), hn::Set(d, fifth)"),
    ("no_low_step_of_doubles", EXP, "t = fused(d, steps, hn::Set(d, -step_low), t);", ""),
    ("last_vector_decides", EXP, "inside = hn::And(inside, hn::Lt(hn::Abs(rest), edge));",
     "inside = hn::Lt(hn::Abs(rest), edge);"),
    ("edges_belong", EXP, "hn::And(inside, hn::Lt(hn::Abs(rest), edge))",
     "hn::And(inside, hn::Le(hn::Abs(rest), edge))"),
    ("edges_of_every_band", EXP, "detail::banded_of(origin + half).band == wide(band)", "true"),
    ("infinity_is_largest", EXP, "hn::And(finite, hn::Gt(element, largest))",
     "hn::Gt(element, largest)"),
    ("bits_of_all", EXP, "hn::IfThenElseZero(finite, element)", "element"),
    ("no_tail_of_a_band", EXP, "count += counts;", ""),
    ("no_low_step_in_a_state", LOG,
     "const double t = __builtin_fma(k, -step_low, __builtin_fma(k, -step_high, rest));",
     "const double t = __builtin_fma(k, -step_high, rest);"),
    ("second_too_large", LOG, "second = 0x1.000088p-1f", "second = 0x1.0002p-1f"),
    ("no_rest_of_the_table", LOG, "log_of_2_low, node.rest)", "log_of_2_low, 0.0)"),
    ("few_powers", LOG, "p = __builtin_fma(p, z, -1.0 / 8), p = __builtin_fma(p, z, 1.0 / 7);",
     "p = 0;"),
    ("no_band_below", LOG, "band - 1 == band_ && has_below(band)", "false"),
    ("every_band_below", LOG, "return band == band_ - 1 && has_below(band_);",
     "return band < band_;"),
    ("bands_stay", LOG, "if (top_.empty() || other.band_ > band_) raise(other.band_);",
     "if (top_.empty()) raise(other.band_);"),
    ("same_units", LOG, "band_ratio = 0x1.44109edb20931p-739", "band_ratio = 1"),
    ("forgets_what_was_dropped", LOG, "if (!top_.cleared() || dropped() != 0) return;",
     "if (!top_.cleared()) return;"),
    ("keeps_an_empty_band", LOG, "top_ = below_, below_ = {};", "return;"),
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
    return text.replace("namespace HWY_NAMESPACE {\n",
                        "namespace HWY_NAMESPACE {\nusing namespace cpu::HWY_NAMESPACE;\n")


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sources = {source for _, files, *_ in MUTANTS for source in files.split()}
    texts = {source: (root / source).read_text(encoding="utf-8") for source in sources}
    # What a mutant calls by its arguments' type must not find the original.
    own = {source.split("/", 1)[1] for source in sources
           if source.startswith("src/") and source != "src/state/exponential.hpp"}
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
