// SPDX-License-Identifier: Apache-2.0
#pragma once
// A learner's folder: the exercise files, which are the learner's to edit, and course.json, which
// keeps where the learner is. Nothing that the learner has written is removed or overwritten: a
// file that is reset is renamed first.

#include "ladder/learn/lesson.hpp"

#include <filesystem>
#include <map>

namespace onefold::ladder {

/// What has happened to one exercise.
struct exercise_progress {
  bool done = false;
  unsigned checks = 0;
  std::string verdict;                    ///< of the last check; empty: none yet
  std::map<std::string, unsigned> hints;  ///< steps shown, by the branch's symptom
};

class course {
 public:
  /// Where a course is without --folder: here, if course.json is here, else onefold-course.
  static std::filesystem::path usual_folder();

  /// Whether the folder has a course.
  static bool is_there(const std::filesystem::path& folder);

  /// Reads a course.
  /// Fails: std::runtime_error for a course.json that cannot be read or is no course's.
  static course open(const std::filesystem::path& folder);

  /// A new course: the folder, course.json and those exercise files that are not there yet.
  /// Fails: std::runtime_error when the folder does not take files.
  static course start(const std::filesystem::path& folder);

  const lesson& current() const { return lessons()[current_]; }
  bool all_done() const;
  exercise_progress& progress(const lesson& l) { return progress_[l.number - 1]; }
  const exercise_progress& progress(const lesson& l) const { return progress_[l.number - 1]; }
  void go_to(const lesson& l) { current_ = l.number - 1; }
  /// The first exercise after the current one that is not done, then from the beginning; the
  /// current one if all are done.
  const lesson& next_open() const;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path file_of(const lesson& l) const { return folder_ / l.file; }
  /// Whether the exercise's file is there, and whether it still is as given.
  bool has_file(const lesson& l) const;
  bool is_as_given(const lesson& l) const;

  /// Puts the exercise's file back as given. The learner's goes under another name, which is
  /// returned; empty if there was no other text to keep.
  std::filesystem::path restore(const lesson& l);

  /// Writes course.json, as a whole or not at all.
  /// Fails: std::runtime_error when the folder does not take files.
  void save() const;

 private:
  explicit course(std::filesystem::path folder);

  std::filesystem::path folder_;
  std::size_t current_ = 0;
  std::vector<exercise_progress> progress_;
};

}  // namespace onefold::ladder
