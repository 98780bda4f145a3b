// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "results/samples.h"

namespace fdirect {

/// Takes values out of JSON and remembers the first one that was not as it should be, so that the
/// one who reads an object need not ask at every value. `where` is what stands before the key in a
/// complaint, e.g. "runs[0].".
class JsonReader {
  public:
    using Json = nlohmann::ordered_json;

    /// The value of a key; nullptr where it is missing.
    const Json* find(const Json& object, const char* key, const std::string& where);

    /// A whole number up to `most`, one that may be negative, a number, true or false, a text. What
    /// is not there is 0, false or empty.
    std::uint64_t number(const Json& object, const char* key, const std::string& where,
                         std::uint64_t most = UINT64_MAX);
    std::int64_t whole(const Json& object, const char* key, const std::string& where);
    double real(const Json& object, const char* key, const std::string& where);
    bool flag(const Json& object, const char* key, const std::string& where);
    std::string text(const Json& object, const char* key, const std::string& where);

    /// The list "samples" in the object of a key; with samples_if_any() the key may be missing.
    Samples samples(const Json& object, const std::string& key, const std::string& where);
    Samples samples_if_any(const Json& object, const std::string& key, const std::string& where);

    /// The list of a key; nullptr where there is none.
    const Json* list(const Json& object, const char* key, const std::string& where);

    /// Notes what else is wrong.
    void complain(std::string text);

    /// The first complaint; nothing while all is well.
    [[nodiscard]] const std::optional<std::string>& complaint() const { return complaint_; }

  private:
    std::optional<std::string> complaint_;
};

} // namespace fdirect
