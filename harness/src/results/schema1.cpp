// SPDX-License-Identifier: GPL-2.0
//
// Files of schema 1, which had an object of its own for each benchmark.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "results/record.h"

namespace fdirect {
namespace {

using Steps = std::vector<const char*>;

const Json& list_of(const Json& object, const char* key) {
    if (!object.contains(key) || !object[key].is_array()) {
        throw BadValue(fmt::format("{} is no list", key));
    }
    return object[key];
}

/// "hash", or "hash-far" with far stubs.
std::string method_of(const Json& run) {
    bool far = run.contains("reach") && value_of<std::string>(run, "reach") == "far";
    return value_of<std::string>(run, "method") + (far ? "-far" : "");
}

/// The keys of an object that say more of a row.
Json details_of(const Json& run, const std::vector<const char*>& names) {
    Json details = Json::object();
    for (const char* name : names) {
        if (run.contains(name)) {
            details[name] = run[name];
        }
    }
    return details;
}

/// The rows of a run: one of each step that it has samples of.
void add_steps(Record& record, const Json& run, const Steps& steps, const Row& model) {
    for (const char* step : steps) {
        if (!run.contains(step)) {
            continue;
        }
        Row row = model;
        row.key["step"] = step;
        row.running = value_of<Samples>(run[step], "samples");
        std::string elapsed = std::string(step) + "_elapsed";
        if (run.contains(elapsed)) {
            row.elapsed = value_of<Samples>(run[elapsed], "samples");
        }
        record.rows.push_back(std::move(row));
    }
}

Row row_of(const Json& run, Json key, std::uint64_t measured, const std::string& unit) {
    Row row;
    row.key = std::move(key);
    row.measured = measured;
    row.verified = value_of<bool>(run, "verified");
    row.unit = unit;
    return row;
}

void add_attach(Record& record, const Json& file, const std::string& unit) {
    for (const Json& run : list_of(file, "runs")) {
        Row row = row_of(run,
                         {{"method", method_of(run)},
                          {"functions", value_of<std::uint64_t>(run, "functions")},
                          {"beside", value_of<std::uint64_t>(run, "attached_before")}},
                         value_of<std::uint64_t>(run, "measured"), unit);
        row.details = details_of(run, {"targets", "called", "before_method"});
        add_steps(record, run, {"attach", "modify", "detach", "prepare"}, row);
    }
}

void add_kprobes(Record& record, const Json& file, const std::string& unit) {
    for (const Json& run : list_of(file, "kprobe")) {
        Row row = row_of(run,
                         {{"method", method_of(run)},
                          {"functions", 1U},
                          {"beside", value_of<std::uint64_t>(run, "attached_before")}},
                         1, unit);
        row.details = details_of(run, {"ftrace"});
        add_steps(record, run, {"register", "disable", "enable", "unregister"}, row);
    }
}

void add_memory(Record& record, const Json& memory) {
    auto functions = value_of<std::uint64_t>(memory, "functions");
    double total =
        value_of<double>(memory, "slab_bytes") + value_of<double>(memory, "vmalloc_bytes");
    if (functions == 0 || total > 1e15) {
        throw BadValue("memory_per_function makes no sense");
    }
    Row row;
    row.key = {{"method", method_of(memory)},
               {"functions", functions},
               {"beside", 0U},
               {"step", "memory"}};
    row.measured = functions;
    row.verified = true;
    row.unit = "bytes";
    row.running.add(total < 0 ? 0 : static_cast<std::uint64_t>(total));
    row.details = {{"slab", memory["slab_bytes"]}, {"vmalloc", memory["vmalloc_bytes"]}};
    record.rows.push_back(std::move(row));
}

/// A figure of one call as a total of so many that a hundredth of an instruction is kept.
std::uint64_t of_many(double per_call, std::uint64_t calls) {
    double total = per_call * static_cast<double>(calls);
    return total > 0 && total < 1e18 ? static_cast<std::uint64_t>(std::llround(total)) : 0;
}

/// Schema 1 kept no samples of calls, only the cost of one in the fastest chunk.
void add_call(Record& record, const Json& call, Json key, bool verified, const std::string& unit) {
    constexpr std::uint64_t calls = 10000;
    auto per_call = value_of<double>(call, "per_call");
    Row row;
    row.key = std::move(key);
    row.key["step"] = "call";
    row.measured = calls;
    row.verified = verified;
    row.unit = unit;
    row.running.add(of_many(per_call, calls));
    row.untraced.add(of_many(per_call - value_of<double>(call, "overhead"), calls));
    row.details = details_of(call, {"calls", "total"});
    record.rows.push_back(std::move(row));
}

void add_calls(Record& record, const Json& file, const std::string& unit) {
    for (const Json& call : list_of(file, "rows")) {
        Json key;
        for (const char* name :
             {"kind", "relevant", "irrelevant", "save_regs", "recursion", "rcu", "trampoline"}) {
            if (!call.is_object() || !call.contains(name)) {
                throw BadValue(fmt::format("{} is missing", name));
            }
            key[name] = call[name];
        }
        add_call(record, call, std::move(key), true, unit);
    }
}

void add_bpf(Record& record, const Json& file, const std::string& unit) {
    for (const Json& run : list_of(file, "loops")) {
        Row row = row_of(
            run, {{"kind", value_of<std::string>(run, "kind")}, {"functions", 1U}, {"beside", 0U}},
            1, unit);
        row.details = details_of(run, {"function"});
        add_steps(record, run, {"loop"}, row);
    }
    for (const Json& run : list_of(file, "runs")) {
        auto functions = value_of<std::uint64_t>(run, "functions");
        Row row = row_of(run,
                         {{"kind", value_of<std::string>(run, "kind")},
                          {"functions", functions},
                          {"beside", 0U}},
                         functions, unit);
        row.details = details_of(run, {"programs", "called", "hits_meanwhile"});
        add_steps(record, run, {"load", "attach", "detach"}, row);
    }
    for (const Json& call : list_of(file, "calls")) {
        add_call(record, call,
                 {{"kind", value_of<std::string>(call, "kind")}, {"functions", 1U}, {"beside", 0U}},
                 value_of<bool>(call, "verified"), unit);
    }
    if (file.contains("refused") && file["refused"].is_array() && !file["refused"].empty()) {
        record.notes.push_back(
            fmt::format("functions refused, others taken for them: {}", file["refused"].size()));
    }
    if (file.contains("unsupported") && file["unsupported"].is_array()) {
        for (const Json& kind : file["unsupported"]) {
            record.notes.push_back(fmt::format("this kernel does not have {}",
                                               kind.is_string() ? kind.get<std::string>() : "?"));
        }
    }
}

} // namespace

Record record_of_schema1(const Json& file) {
    Record record;
    auto& env = record.env;
    env.base = value_of<std::string>(file, "base");
    env.kernel = value_of<std::string>(file, "kernel");
    env.patched = !env.base.ends_with("-stock");
    env.arch = value_of<std::string>(file, "arch");
    env.accel = value_of<std::string>(file, "accel");
    env.vcpus = value_of<std::uint64_t>(file, "vcpus");
    if (file.contains("functions_available")) {
        env.functions_available = value_of<std::uint64_t>(file, "functions_available");
    }
    if (file.contains("env") && file["env"].is_object()) {
        for (const auto& [name, value] : file["env"].items()) {
            env.others[name] = value.is_string() ? value.get<std::string>() : value.dump();
        }
    }
    auto unit = value_of<std::string>(file, "unit");
    if (file.contains("rows")) {
        record.benchmark = "call";
        add_calls(record, file, unit);
    } else if (file.contains("loops")) {
        record.benchmark = "bpf";
        add_bpf(record, file, unit);
    } else {
        record.benchmark = file.contains("kprobe") ? "scale" : "attach";
        add_attach(record, file, unit);
        if (file.contains("kprobe")) {
            add_kprobes(record, file, unit);
        }
        if (file.contains("memory_per_function")) {
            add_memory(record, value_of<Json>(file, "memory_per_function"));
        }
    }
    return record;
}

} // namespace fdirect
