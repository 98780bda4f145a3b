// SPDX-License-Identifier: GPL-2.0
#include "results/comparison.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <set>

#include "util/text.h"

namespace fdirect {
namespace {

double quotient(double a, double b) {
    return b > 0 ? a / b : 0;
}

/// The values of a key for one ops for all, and those for an ops for each function.
struct Counterpart {
    const char* name;
    const char* shared;
    const char* each;
};

constexpr std::array counterparts = {
    Counterpart{"method", "hash", "each"},
    Counterpart{"method", "hash-far", "each"},
    Counterpart{"kind", "hash-near", "direct-near"},
    Counterpart{"kind", "hash-far", "direct-far"},
};

/// "7.3" of "7.3-small-stock".
std::string version_of(const Record& record) {
    return record.env.base.substr(0, record.env.base.find('-'));
}

bool is_compared(const Row& row) {
    return row.unit != "bytes" && row.text("step") != "prepare";
}

} // namespace

double Comparison::ratio() const {
    return quotient(reference->cost(), row->cost());
}

double Comparison::least() const {
    return quotient(reference->least(), row->most());
}

double Comparison::most() const {
    return quotient(reference->most(), row->least());
}

std::string times(double ratio) {
    return ratio > 0 ? readable(ratio) + "x" : "";
}

bool RecordGroup::is_of_other_version(const Record& record) const {
    auto is_same = [&](const Record* other) { return version_of(*other) == version_of(record); };
    return !record.env.patched && records.front()->env.patched &&
           std::none_of(records.begin(), records.end(),
                        [&](const Record* other) { return other->env.patched && is_same(other); });
}

std::vector<std::string> RecordGroup::labels() const {
    std::vector<std::string> labels;
    labels.reserve(records.size());
    for (const Record* record : records) {
        bool versioned = !record->env.is_own() && is_of_other_version(*record);
        labels.push_back(versioned ? "Linux " + version_of(*record) : record->env.kind());
    }
    auto append_unless_distinct = [&](auto&& part) {
        if (std::set<std::string>(labels.begin(), labels.end()).size() != labels.size()) {
            for (std::size_t i = 0; i < labels.size(); i++) {
                labels[i] += part(i);
            }
        }
    };
    append_unless_distinct([&](std::size_t i) { return " " + records[i]->env.base; });
    append_unless_distinct([&](std::size_t i) { return " " + records[i]->env.kernel; });
    append_unless_distinct([&](std::size_t i) { return fmt::format(" ({})", i + 1); });
    for (std::size_t i = 0; i < labels.size(); i++) {
        labels[i] += records[i]->recorded ? " (recorded)" : "";
    }
    return labels;
}

const Record& RecordGroup::reference() const {
    auto is_stock = [](const Record* record) { return !record->env.patched; };
    auto stock = std::find_if(records.begin(), records.end(), [&](const Record* record) {
        return is_stock(record) && version_of(*record) == version_of(*records.front());
    });
    if (stock == records.end()) {
        stock = std::find_if(records.begin(), records.end(), is_stock);
    }
    return stock == records.end() ? *records.front() : **stock;
}

const Record& RecordGroup::subject() const {
    const Record& base = reference();
    auto other = std::find_if(records.begin(), records.end(),
                              [&](const Record* record) { return record != &base; });
    return other == records.end() ? base : **other;
}

const Record* RecordGroup::other_version() const {
    auto other = std::find_if(records.begin(), records.end(), [&](const Record* record) {
        return record != &reference() && is_of_other_version(*record);
    });
    return other == records.end() ? nullptr : *other;
}

std::vector<Comparison> RecordGroup::shared_against_each() const {
    std::vector<Comparison> comparisons;
    for (const Row& row : subject().rows) {
        for (const Counterpart& counterpart : counterparts) {
            if (row.text(counterpart.name) != counterpart.shared || !is_compared(row)) {
                continue;
            }
            Json key = row.key;
            key[counterpart.name] = counterpart.each;
            if (const Row* each = find_row(reference(), key)) {
                comparisons.push_back({each, &row});
            }
        }
    }
    return comparisons;
}

std::vector<Comparison> RecordGroup::same() const {
    std::vector<Comparison> comparisons;
    if (&subject() == &reference()) {
        return comparisons;
    }
    for (const Row& row : subject().rows) {
        const Row* other = is_compared(row) ? find_row(reference(), row.key) : nullptr;
        if (other != nullptr) {
            comparisons.push_back({other, &row});
        }
    }
    return comparisons;
}

std::vector<RecordGroup> groups_of(const std::vector<Record>& records) {
    std::vector<RecordGroup> groups;
    for (const Record& record : records) {
        auto same = std::find_if(groups.begin(), groups.end(), [&](const RecordGroup& group) {
            const Record& first = *group.records.front();
            return first.benchmark == record.benchmark && first.env.arch == record.env.arch;
        });
        if (same == groups.end()) {
            groups.push_back({{&record}});
        } else {
            same->records.push_back(&record);
        }
    }
    for (RecordGroup& group : groups) {
        std::stable_partition(group.records.begin(), group.records.end(),
                              [](const Record* record) { return record->env.patched; });
    }
    return groups;
}

} // namespace fdirect
