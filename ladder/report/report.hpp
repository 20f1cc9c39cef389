// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder report`: the course, a story for each rung, as one HTML file or as a folder of
// pages. Neither needs anything from elsewhere; a short script adds a slider to drawings of steps,
// and everything can be read without it.

#include "ladder/page/page.hpp"

#include <string>
#include <utility>
#include <vector>

namespace onefold::ladder {

/// One page of the course.
struct story {
  std::string id;       ///< "reduce-modulo": its anchor, and the name of its file
  std::string title;    ///< "reduce/modulo"
  std::string chapter;  ///< the title of its group in the contents
  std::string asks;     ///< its question; may be empty
  std::string body;     ///< markup; links lead to anchors
};

/// The introduction, each ladder with its rungs, the published defects, the subpages of
/// docs/ladder.md.
std::vector<story> stories(const std::vector<page>& pages);

/// Everything as one file.
std::string course_file(const std::vector<story>& course);

/// A file for each story: its name, "index.html" for the first, and its text.
std::vector<std::pair<std::string, std::string>> course_folder(const std::vector<story>& course);

// The parts of the course, one file each.

std::string rung_body(const page& p);                         ///< report_rung.cpp
std::string verdict_body(const page& p);                      ///< report_verdicts.cpp
std::string exercise_body(const page& p);                     ///< report_exercise.cpp
std::string climb_body(const std::vector<const page*>& list,  ///< report_climb.cpp
                       std::string_view ladder);
/// Its times alone, for the first page.
std::string climb_overview(const std::vector<const page*>& list, std::string_view ladder);
std::string_view report_style();   ///< for light and dark, screens and paper
std::string_view report_script();  ///< the slider

}  // namespace onefold::ladder
