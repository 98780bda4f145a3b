// SPDX-License-Identifier: GPL-2.0
#include "util/file.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>

namespace fdirect {
namespace {

Error file_error(std::string_view verb, const std::filesystem::path& path, int number) {
    return failure(fmt::format("cannot {} {}: {}", verb, path.string(), system_message(number)), {},
                   number);
}

Result<> write_all(const FileDescriptor& file, const std::filesystem::path& path,
                   std::string_view text) {
    while (!text.empty()) {
        ssize_t written = ::write(file.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return file_error("write", path, errno);
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<> make_directory_of(const std::filesystem::path& path) {
    std::error_code problem;
    if (path.has_parent_path()) {
        std::filesystem::create_directories(path.parent_path(), problem);
    }
    if (problem) {
        return file_error("make the directory of", path, problem.value());
    }
    return {};
}

} // namespace

Result<std::string> read_all(const FileDescriptor& file, const std::filesystem::path& path) {
    std::string text;
    constexpr std::size_t step = std::size_t{64} * 1024;
    for (;;) {
        std::size_t had = text.size();
        text.resize(had + step);
        ssize_t got = ::read(file.get(), text.data() + had, step);
        int number = errno;
        text.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
        if (got < 0 && number != EINTR) {
            return file_error("read", path, number);
        }
        if (got == 0) {
            return text;
        }
    }
}

Result<std::string> read_file(const std::filesystem::path& path) {
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) {
        return file_error("open", path, errno);
    }
    return read_all(file, path);
}

Result<std::string> read_stdin() {
    FileDescriptor copy(::dup(STDIN_FILENO));
    if (!copy.valid()) {
        return file_error("read", "<stdin>", errno);
    }
    return read_all(copy, "<stdin>");
}

Result<> write_once(const std::filesystem::path& path, std::string_view text) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.valid()) {
        return file_error("open", path, errno);
    }
    ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0) {
        return file_error("write", path, errno);
    }
    if (static_cast<std::size_t>(written) != text.size()) {
        return failure(
            fmt::format("{} took only {} of {} bytes", path.string(), written, text.size()), {},
            EIO);
    }
    return {};
}

Result<> replace_file(const std::filesystem::path& path, std::string_view text) {
    TRY(check_writable(path));
    std::error_code problem;
    std::filesystem::path fresh = path;
    fresh += fmt::format(".{}", ::getpid());
    FileDescriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file.valid()) {
        return file_error("write", path, errno);
    }
    Result<> done = write_all(file, path, text);
    if (done.ok() && (::fsync(file.get()) != 0 || !file.reset())) {
        done = file_error("write", path, errno);
    }
    if (done.ok()) {
        std::filesystem::rename(fresh, path, problem);
        if (problem) {
            done = file_error("replace", path, problem.value());
        }
    }
    if (!done.ok()) {
        std::filesystem::remove(fresh, problem);
    }
    return done;
}

Result<> check_writable(const std::filesystem::path& path) {
    TRY(make_directory_of(path));
    std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
    if (::access(directory.c_str(), W_OK | X_OK) != 0) {
        return file_error("write", path, errno);
    }
    std::error_code problem;
    auto type = std::filesystem::status(path, problem).type();
    if (type == std::filesystem::file_type::not_found) {
        return {};
    }
    if (problem) {
        return file_error("write", path, problem.value());
    }
    if (type != std::filesystem::file_type::regular) {
        return failure(fmt::format("cannot write {}: it is no regular file", path.string()));
    }
    return {};
}

} // namespace fdirect
