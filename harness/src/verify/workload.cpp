// SPDX-License-Identifier: GPL-2.0
#include "verify/workload.h"

namespace fdirect {

std::vector<std::string> functions_of(const Workload& workload) {
    std::vector<std::string> names;
    for (const KnownCall& call : workload.known_calls()) {
        names.push_back(call.function);
    }
    return names;
}

} // namespace fdirect
