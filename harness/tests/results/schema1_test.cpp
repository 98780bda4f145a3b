// SPDX-License-Identifier: GPL-2.0
#include <gtest/gtest.h>

#include "results/record.h"

namespace fdirect {
namespace {

constexpr const char* head =
    R"({"schema":1,"base":"6.12-stock","kernel":"6.12.107","arch":"arm64","accel":"tcg",)"
    R"("unit":"insn","vcpus":2,"env":{"cpu":"QEMU","base":"no"},"functions_available":48484,)";

Record parse(const std::string& rest) {
    auto record = parse_record(head + rest);
    EXPECT_TRUE(record.ok()) << record.error().message;
    return record ? *record : Record();
}

std::string refusal(const std::string& rest) {
    auto record = parse_record(head + rest);
    return record ? "" : record.error().message;
}

TEST(Schema1, Attach) {
    Record record = parse(
        R"("runs":[{"method":"hash","reach":"far","functions":400,"targets":399,"measured":200,)"
        R"("attached_before":7,"before_method":"multi","verified":true,"called":17,)"
        R"("attach":{"samples":[11,12]},"attach_elapsed":{"samples":[21,22]},)"
        R"("modify":{"samples":[31]},"detach":{"samples":[41]},"prepare":{"samples":[51]}}]})");
    EXPECT_EQ(record.benchmark, "attach");
    EXPECT_EQ(record.env.base, "6.12-stock");
    EXPECT_FALSE(record.env.patched);
    EXPECT_EQ(record.env.functions_available, 48484U);
    EXPECT_EQ(record.env.others, (std::map<std::string, std::string>{{"cpu", "QEMU"}}));
    ASSERT_EQ(record.rows.size(), 4U);
    const Row& attach = record.rows[0];
    EXPECT_EQ(attach.key.dump(),
              R"({"method":"hash-far","functions":400,"beside":7,"step":"attach"})");
    EXPECT_EQ(attach.measured, 200U);
    EXPECT_TRUE(attach.verified);
    EXPECT_EQ(attach.unit, "insn");
    EXPECT_EQ(attach.running, Samples({11, 12}));
    EXPECT_EQ(attach.elapsed, Samples({21, 22}));
    EXPECT_EQ(attach.details["targets"], 399);
    EXPECT_EQ(attach.details["before_method"], "multi");
    EXPECT_EQ(record.rows[1].running, Samples({31}));
    EXPECT_EQ(record.rows[2].text("step"), "detach");
    EXPECT_EQ(record.rows[2].running, Samples({41}));
    EXPECT_EQ(record.rows[3].text("step"), "prepare");
}

TEST(Schema1, Scale) {
    Record record =
        parse(R"("runs":[],"kprobe":[{"method":"multi","attached_before":1000,"ftrace":true,)"
              R"("verified":false,"register":{"samples":[1]},"disable":{"samples":[2]},)"
              R"("enable":{"samples":[3]},"unregister":{"samples":[4]}}],"memory_per_function":)"
              R"({"method":"multi","functions":400,"slab_bytes":5000,"vmalloc_bytes":-1000}})");
    EXPECT_EQ(record.benchmark, "scale");
    ASSERT_EQ(record.rows.size(), 5U);
    EXPECT_EQ(record.rows[0].key.dump(),
              R"({"method":"multi","functions":1,"beside":1000,"step":"register"})");
    EXPECT_FALSE(record.rows[0].verified);
    EXPECT_EQ(record.rows[1].running, Samples({2}));
    EXPECT_EQ(record.rows[3].text("step"), "unregister");
    EXPECT_EQ(record.rows[4].unit, "bytes");
    EXPECT_DOUBLE_EQ(record.rows[4].cost(), 10);
    EXPECT_EQ(record.rows[4].details["vmalloc"], -1000);
}

TEST(Schema1, Call) {
    Record record = parse(
        R"("rows":[{"kind":"ops","relevant":1,"irrelevant":10,"save_regs":true,"recursion":false,)"
        R"("rcu":true,"trampoline":false,"calls":100000,"total":4800123,"per_call":48.5012,)"
        R"("overhead":41.25}]})");
    EXPECT_EQ(record.benchmark, "call");
    ASSERT_EQ(record.rows.size(), 1U);
    EXPECT_EQ(record.rows[0].number("irrelevant"), 10U);
    EXPECT_EQ(record.rows[0].key["rcu"], true);
    EXPECT_DOUBLE_EQ(record.rows[0].cost(), 41.25);
    EXPECT_EQ(record.rows[0].running, Samples({485012}));
    EXPECT_EQ(record.rows[0].details["calls"], 100000);
}

TEST(Schema1, Bpf) {
    Record record =
        parse(R"("refused":[{"function":"a","errno":22}],"unsupported":["kprobe.multi"],)"
              R"("loops":[{"kind":"fentry","function":"getpgid","loops":3,"verified":true,)"
              R"("loop":{"samples":[11,12,13]},"loop_elapsed":{"samples":[21,22,23]}}],)"
              R"("runs":[{"kind":"fexit","functions":100,"programs":99,"verified":true,"called":7,)"
              R"("hits_meanwhile":9,"load":{"samples":[31]},"attach":{"samples":[41]},)"
              R"("detach":{"samples":[51]}}],"calls":[{"kind":"kprobe","calls":1000,"total":5,)"
              R"("per_call":9.5,"overhead":2.5,"verified":false}]})");
    EXPECT_EQ(record.benchmark, "bpf");
    ASSERT_EQ(record.rows.size(), 5U);
    EXPECT_EQ(record.rows[0].text("step"), "loop");
    EXPECT_EQ(record.rows[0].elapsed, Samples({21, 22, 23}));
    EXPECT_EQ(record.rows[0].measured, 1U);
    EXPECT_EQ(record.rows[1].key.dump(),
              R"({"kind":"fexit","functions":100,"beside":0,"step":"load"})");
    EXPECT_EQ(record.rows[3].running, Samples({51}));
    EXPECT_EQ(record.rows[4].text("kind"), "kprobe");
    EXPECT_DOUBLE_EQ(record.rows[4].cost(), 2.5);
    EXPECT_FALSE(record.rows[4].verified);
    EXPECT_EQ(record.notes, (std::vector<std::string>{"functions refused, others taken for them: 1",
                                                      "this kernel does not have kprobe.multi"}));
}

TEST(Schema1, SaysWhatIsWrong) {
    EXPECT_EQ(refusal(R"("runs":1})"), "runs is no list");
    EXPECT_NE(refusal(R"("runs":[{"method":"hash"}]})").find(" is missing"), std::string::npos);
    EXPECT_EQ(refusal(R"("runs":[{"method":"hash","functions":3,"measured":4,)"
                      R"("attached_before":0,"verified":true,"attach":{"samples":[1]}}]})"),
              "rows[0]: measured is more than functions");
    EXPECT_EQ(refusal(R"("rows":[{}]})"), "kind is missing");
}

} // namespace
} // namespace fdirect
