// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>

#include "util/error.h"

namespace fdirect {

/// A value, or the Error that explains why there is none. Both convert to it implicitly:
///
///     Result<int> half(int n) {
///         if (n % 2 != 0) {
///             return misuse("an odd number has no half");
///         }
///         return n / 2;
///     }
///
/// Asking for a value that is not there, or for the error of a success, is a bug and ends the
/// program.
template<class T = void>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::move(value)) {}     // NOLINT(google-explicit-constructor)
    Result(Error error) : state_(std::move(error)) {} // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] T& value() { return there(std::get_if<T>(&state_)); }
    [[nodiscard]] const T& value() const { return there(std::get_if<T>(&state_)); }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    [[nodiscard]] const Error& error() const { return there(std::get_if<Error>(&state_)); }

  private:
    template<class U>
    static U& there(U* alternative) {
        if (alternative == nullptr) {
            std::abort();
        }
        return *alternative;
    }

    std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template<>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {} // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool ok() const { return !error_; }
    explicit operator bool() const { return ok(); }
    [[nodiscard]] const Error& error() const {
        if (!error_) {
            std::abort();
        }
        return *error_;
    }

  private:
    std::optional<Error> error_;
};

/// The value of a Result that is one, or nothing of a Result<>.
template<class T>
T value_in(Result<T>&& result) {
    return std::move(*result);
}
inline void value_in(Result<>&& /*success*/) {}

} // namespace fdirect

/// The value of a Result. An error ends the function that stands around it, which returns it:
///
///     auto text = TRY(files.read("status"));
#define TRY(...)                                                                                   \
    __extension__({                                                                                \
        auto tried = (__VA_ARGS__);                                                                \
        if (!tried) {                                                                              \
            return tried.error();                                                                  \
        }                                                                                          \
        fdirect::value_in(std::move(tried));                                                       \
    })
