// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "results/record.h"

namespace fdirect {

/// A row of one record beside the row of another one that it is compared with.
struct Comparison {
    const Row* reference = nullptr;
    const Row* row = nullptr;

    /// The cost of the reference by that of the row: of the medians, and the least and the
    /// greatest of any two runs. 0 where the row costs nothing.
    [[nodiscard]] double ratio() const;
    [[nodiscard]] double least() const;
    [[nodiscard]] double most() const;
};

/// "6,953x"; nothing for the ratio 0.
std::string times(double ratio);

/// The records of one benchmark and architecture, those of patched kernels first.
struct RecordGroup {
    std::vector<const Record*> records;

    /// "patched", "stock", with what tells two of one kind apart; "recorded" where it is. A stock
    /// kernel of another version than all patched ones is "Linux 7.3", and one that is none of the
    /// project's is called by its release.
    [[nodiscard]] std::vector<std::string> labels() const;

    /// The record that the others are compared with: the first of a stock kernel, else the first.
    /// A stock kernel of the version of the first record is preferred.
    [[nodiscard]] const Record& reference() const;

    /// The record that is compared with it: the first, of a patched kernel where there is
    /// one.
    [[nodiscard]] const Record& subject() const;

    /// The first record of a stock kernel of another version than all patched ones, or nullptr.
    [[nodiscard]] const Record* other_version() const;

    /// The subject's rows of one ops for all beside the reference's rows of an ops for each
    /// function. The rows are `each` beside `hash`, and for calls
    /// register_ftrace_direct() beside register_ftrace_direct_hash().
    [[nodiscard]] std::vector<Comparison> shared_against_each() const;

    /// The rows that both have; none where the subject is the reference.
    [[nodiscard]] std::vector<Comparison> same() const;

  private:
    [[nodiscard]] bool is_of_other_version(const Record& record) const;
};

/// The records by benchmark and architecture, in the order in which they come.
std::vector<RecordGroup> groups_of(const std::vector<Record>& records);

} // namespace fdirect
