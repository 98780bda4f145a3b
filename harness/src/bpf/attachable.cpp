// SPDX-License-Identifier: GPL-2.0
#include "bpf/attachable.h"

#include <cerrno>

namespace fdirect {
namespace {

using Position = std::vector<BpfTarget>::const_iterator;

/// A part of the functions that is still to be decided.
struct Part {
    Position begin;
    Position end;
};

} // namespace

bool is_refusal(int error) {
    return error != 0 && error != EPERM && error != EACCES && error != ENOMEM && error != EMFILE &&
           error != ENFILE && error != EAGAIN && error != EINTR && error != EOPNOTSUPP;
}

Result<Attachable> find_attachable(const std::vector<BpfTarget>& targets, const AttachAll& attach,
                                   std::size_t most) {
    Attachable found;
    std::vector<Part> open; // the last one is the next, so that the order is kept
    if (!targets.empty()) {
        open.push_back({targets.begin(), targets.end()});
    }
    for (std::size_t tries = 0; !open.empty(); tries++) {
        Part part = open.back();
        open.pop_back();
        if (tries >= most) {
            found.undecided.insert(found.undecided.end(), part.begin, part.end);
            continue;
        }
        auto link = attach({part.begin, part.end});
        if (link) {
            found.targets.insert(found.targets.end(), part.begin, part.end);
        } else if (!is_refusal(link.error().system)) {
            return link.error();
        } else if (part.end - part.begin == 1) {
            found.refused.push_back({*part.begin, link.error().system});
        } else {
            auto middle = part.begin + (part.end - part.begin) / 2;
            open.push_back({middle, part.end});
            open.push_back({part.begin, middle});
        }
    }
    return found;
}

} // namespace fdirect
