// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/source_command.hpp"

#include "ladder/learn/standalone.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <stdexcept>

namespace onefold::ladder {

CLI::App* add_source_command(CLI::App& app, std::string& rung) {
  CLI::App* const command =
      app.add_subcommand("source", "Print a rung's kernel as one .cu file, for nvcc and for try");
  command->add_option("RUNG", rung, "Rung to print")->required();
  return command;
}

program_answer answer_source(const std::string& rung) {
  const auto* const found = find_rung(rung);
  if (found == nullptr) {
    throw std::invalid_argument(
        fmt::format("no rung is called '{}'; onefold-ladder list names them", rung));
  }
  return {standalone(*found), "", 0};
}

}  // namespace onefold::ladder
