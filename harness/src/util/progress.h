// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string_view>

namespace fdirect {

/// A line on stderr that says what is being done, rewritten in place; nothing at all when stderr is
/// no terminal.
class Progress {
  public:
    Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    Progress(Progress&&) = delete;
    Progress& operator=(Progress&&) = delete;
    ~Progress() { clear(); }

    /// Replaces the line.
    void show(std::string_view text);

    /// Takes the line away, e.g. before something else is written.
    void clear() noexcept;

    /// Writes a line that stays, whether or not stderr is a terminal.
    void warn(std::string_view text);

  private:
    bool terminal_;
    bool shown_ = false;
};

} // namespace fdirect
