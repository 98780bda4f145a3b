// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpf/bpf_target.h"
#include "kernel/enabled_functions.h"
#include "kernel/function.h"
#include "module/fdirect_module.h"
#include "util/result.h"

namespace fdirect {

/// The outcome of attaching, without doing it.
struct AttachPreview {
    std::vector<std::string> functions; ///< that can be attached, in their order
    std::vector<LeftOut> refused;       ///< each of them has all of it refused

    bool operator==(const AttachPreview&) const = default;
};

/// Looks up each line of `selection`, text that the module's file `functions` takes, among all
/// functions that can be traced, and what holds the call site of each already. Only those of the
/// range count. `enabled` has names alone, so a function is refused where another one of its name
/// has a direct call. Errors: usage where the range goes past the selection.
Result<AttachPreview> preview_attachment(std::string_view selection, std::optional<Range> range,
                                         const std::vector<Function>& all,
                                         const std::vector<EnabledFunction>& enabled);

/// The preview as text: how many functions, and each that is refused with its reason; with
/// `verbose`, each that is not refused, too.
std::string preview_text(const AttachPreview& preview, std::string_view method, bool verbose);

} // namespace fdirect
