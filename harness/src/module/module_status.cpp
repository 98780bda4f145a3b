// SPDX-License-Identifier: GPL-2.0
#include "module/module_status.h"

#include "util/key_values.h"

namespace fdirect {

Result<ModuleStatus> parse_status(std::string_view text) {
    KeyValues values("status", text);
    ModuleStatus status;
    status.functions = TRY(values.number("functions"));
    status.attached = TRY(values.number("attached"));
    status.method = TRY(values.word("method"));
    status.reach = TRY(values.word("reach"));
    status.ops = TRY(values.number("ops"));
    status.stubs = TRY(values.number("stubs"));
    status.hits_total = TRY(values.number("hits_total"));
    status.stray_hits = TRY(values.number("stray_hits"));
    status.patched = TRY(values.number("patched"));
    status.misdirected = TRY(values.number("misdirected"));
    return status;
}

} // namespace fdirect
