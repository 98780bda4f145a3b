// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fdirect {

// Each adds a subcommand to the program. When it is the one that was asked for, it runs as the
// arguments are parsed, and its exit code is put into `code`.

/// info: what this kernel can do.
void add_info_command(CLI::App& program, int& code);

/// list: the functions that can be attached.
void add_list_command(CLI::App& program, int& code);

/// attach: chooses functions and attaches them, and leaves them attached; or detaches them again
/// when the command ends that stands behind "--".
void add_attach_command(CLI::App& program, int& code, const std::vector<std::string>& behind);

/// detach: detaches a part or everything.
void add_detach_command(CLI::App& program, int& code);

/// status: what the module holds.
void add_status_command(CLI::App& program, int& code);

/// verify: runs kernel code and compares where its hits landed.
void add_verify_command(CLI::App& program, int& code);

/// count: counts the calls of functions, while the command runs that stands behind "--" if there is
/// one.
void add_count_command(CLI::App& program, int& code, const std::vector<std::string>& behind);

/// bench: measures.
void add_bench_command(CLI::App& program, int& code);

/// report: renders files of results.
void add_report_command(CLI::App& program, int& code);

} // namespace fdirect
