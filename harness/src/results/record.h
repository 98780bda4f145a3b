// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "results/samples.h"
#include "util/result.h"

namespace fdirect {

/// Order is kept: keys are shown in the order in which a benchmark gives them.
using Json = nlohmann::ordered_json;

/// One thing that was measured.
struct Row {
    /// Tells the row from others: texts, whole numbers and flags, such as
    /// {"method": "hash", "functions": 40000, "beside": 0, "step": "attach"}.
    Json key = Json::object();
    std::uint64_t measured = 1; ///< functions, loops or calls that a sample is the total of
    bool verified = false;
    std::string unit;              ///< "insn", "ns" or "bytes"
    Samples running;               ///< a total of each run, while the caller was running
    Samples elapsed;               ///< on the clock, beside `running`; may be missing
    Samples untraced;              ///< the same calls with nothing attached; of calls only
    Json details = Json::object(); ///< what else is known of the row

    /// A text or a number of the key; empty or 0 where the key has none.
    [[nodiscard]] std::string text(const char* name) const;
    [[nodiscard]] std::uint64_t number(const char* name) const;

    /// Whether fewer functions were measured than the row stands for.
    [[nodiscard]] bool extrapolated() const;

    /// How many the row stands for: its functions, or what was measured.
    [[nodiscard]] double stands_for() const;

    /// Elapsed minus running of each run: how long the caller waited.
    [[nodiscard]] Samples waiting() const;

    /// Seconds on the clock, or of running where that is missing: for all that the row stands for,
    /// and for all runs together. An instruction is a nanosecond of the guest's clock.
    [[nodiscard]] double seconds() const;
    [[nodiscard]] double seconds_of_all_runs() const;

    /// The cost of one, in the unit: the median of the runs, or for calls the fastest of them less
    /// the fastest untraced one.
    [[nodiscard]] double cost() const;

    /// The least and the greatest cost of one in any run.
    [[nodiscard]] double least() const;
    [[nodiscard]] double most() const;

    bool operator==(const Row&) const = default;
};

/// The kernel tree of a record where nobody has said which.
constexpr const char* unknown_base = "unknown";

/// Where and how a benchmark ran.
struct RecordEnvironment {
    std::string base;   ///< kernel tree, e.g. "6.12" or "6.12-stock", or a path
    std::string kernel; ///< its release
    bool patched = false;
    std::string arch;
    std::string accel; ///< "tcg", "kvm" or "none"
    std::uint64_t vcpus = 0;
    std::uint64_t functions_available = 0;     ///< 0 where it does not matter
    std::map<std::string, std::string> others; ///< e.g. "compiler", "pahole", "cmdline"

    /// Whether the kernel is not known to be one of the project's: it is a tree or an image that
    /// somebody gave, or nobody has said which.
    [[nodiscard]] bool is_own() const;

    /// "patched" or "stock"; of a kernel that is none of the project's its release.
    [[nodiscard]] std::string kind() const;

    bool operator==(const RecordEnvironment&) const = default;
};

/// The figures of one benchmark: the content of its file. docs/results.md describes the format.
struct Record {
    std::string benchmark;
    RecordEnvironment env;
    std::vector<std::string> notes; ///< what was left out or refused, for a person
    std::vector<Row> rows;
    bool recorded = false; ///< from a kept file, not measured on this machine; in no file

    /// The unit of what is no memory.
    [[nodiscard]] std::string unit() const;

    bool operator==(const Record&) const = default;
};

/// The first row with that key; nullptr where there is none.
const Row* find_row(const Record& record, const Json& key);

/// Whether all rows were verified.
bool verified(const Record& record);

/// The record as JSON, schema 2.
Json to_json(const Record& record);

/// JSON as it is written. Text that is no UTF-8, as a kernel's command line may have, is replaced.
std::string json_text(const Json& json);

/// Reads what to_json() wrote, or a file of schema 1. Keys that are not documented are skipped.
/// Errors: failed, saying where, for text that is no JSON, another schema, and missing or wrong
/// values.
Result<Record> parse_record(std::string_view text);

/// A value of that type in an object. Throws BadValue where it is missing or of another type.
template<class T>
T value_of(const Json& object, const std::string& key);

/// A value that is not as the format says. It never leaves parse_record().
class BadValue : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

template<>
std::string value_of(const Json& object, const std::string& key);
template<>
std::uint64_t value_of(const Json& object, const std::string& key);
template<>
double value_of(const Json& object, const std::string& key);
template<>
bool value_of(const Json& object, const std::string& key);
template<>
Json value_of(const Json& object, const std::string& key);
template<>
std::vector<std::string> value_of(const Json& object, const std::string& key);
template<>
Samples value_of(const Json& object, const std::string& key);

/// The record in the object of a file of schema 1. Throws BadValue.
Record record_of_schema1(const Json& file);

} // namespace fdirect
