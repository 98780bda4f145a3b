// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "util/result.h"

namespace fdirect {

/// The "KEY VALUE" lines of one of the module's files; lines that are otherwise are skipped.
class KeyValues {
  public:
    /// `file` is its name in errors. The text must live as long.
    KeyValues(std::string_view file, std::string_view text);

    /// Errors: failed for a key that is missing, and with number() for a value that is none or
    /// more than `most`.
    [[nodiscard]] Result<std::string_view> word(std::string_view key) const;
    [[nodiscard]] Result<std::uint64_t> number(std::string_view key,
                                               std::uint64_t most = UINT64_MAX) const;

  private:
    std::string file_;
    std::map<std::string_view, std::string_view> values_;
};

} // namespace fdirect
