// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "util/file_descriptor.h"
#include "util/result.h"

namespace fdirect {

/// Everything that can be read from an open file.
/// Errors: failed, with the errno; the message names `path`.
Result<std::string> read_all(const FileDescriptor& file, const std::filesystem::path& path);

/// The whole content of a file, also of one in procfs or debugfs whose size reads as 0.
/// Errors: failed, with the errno; the message names the file.
Result<std::string> read_file(const std::filesystem::path& path);

/// Everything that comes in on stdin. Errors: failed, with the errno.
Result<std::string> read_stdin();

/// Writes `text` with exactly one write(2) at offset 0, as files that take a command want it; the
/// file must exist. Errors: failed, with the errno; also when less was taken than was given (EIO).
Result<> write_once(const std::filesystem::path& path, std::string_view text);

/// Replaces a file by a new one with this content, which is written beside it under another name
/// and renamed. So a reader sees the old content or the new one, and a full disk costs nothing.
/// Directories that are missing are made. Errors: of check_writable(); failed, with the errno;
/// the message names the file.
Result<> replace_file(const std::filesystem::path& path, std::string_view text);

/// Whether replace_file() would find a directory that it can write to, and in it a regular file
/// or nothing of that name. Makes directories that are missing. Errors: failed, with the errno if
/// there is one; the message names the file.
Result<> check_writable(const std::filesystem::path& path);

} // namespace fdirect
