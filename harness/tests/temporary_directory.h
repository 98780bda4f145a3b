// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "util/file.h"

namespace fdirect {

/// A directory of a unit test's own, removed with everything in it.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "fdirect-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    TemporaryDirectory(TemporaryDirectory&&) = delete;
    TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Makes the file `name`, and its directories, with this content.
    std::filesystem::path write(std::string_view name, std::string_view text) const {
        std::filesystem::path file = path_ / name;
        Result<> done = replace_file(file, text);
        return done.ok() ? file : std::filesystem::path();
    }

  private:
    std::filesystem::path path_;
};

} // namespace fdirect
