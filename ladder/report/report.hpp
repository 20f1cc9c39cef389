// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder report`: all pages as one HTML file that needs nothing else, neither scripts nor
// the network.

#include "ladder/page/page.hpp"

#include <set>

namespace onefold::ladder {

/// Rungs and published twins, in the order in which they are shown.
std::string report_html(const std::vector<page>& pages);

/// A rung with its figures; a twin with its defect first. Links lead to rungs that are shown.
std::string rung_section(const page& p, const std::set<std::string_view>& shown);

/// The style sheet, for light and dark, screens and paper.
std::string_view report_style();

}  // namespace onefold::ladder
