// SPDX-License-Identifier: GPL-2.0
#include "bench/session.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

#include "bench/module_benchmark.h"
#include "records.h"
#include "simulated_module.h"
#include "temporary_directory.h"
#include "util/file.h"

namespace fdirect {
namespace {

/// A program with a command that has the options, and another one.
class SessionOptionsTest : public testing::Test {
  protected:
    SessionOptionsTest() {
        options_.add_to(*program_.add_subcommand("bench"));
        program_.add_subcommand("other");
    }
    ~SessionOptionsTest() override { ::unsetenv("FDIRECT_UNIT"); } // NOLINT(concurrency-mt-unsafe)

    static void set_unit(const char* unit) {
        ::setenv("FDIRECT_UNIT", unit, 1); // NOLINT(concurrency-mt-unsafe)
    }

    CLI::App program_;
    SessionOptions options_;
};

TEST_F(SessionOptionsTest, TheEnvironmentSaysWhatIsNotGiven) {
    set_unit("insn");
    program_.parse("bench --accel tcg");
    EXPECT_EQ(options_.unit, "insn");
    EXPECT_EQ(options_.accel, "tcg");
    EXPECT_EQ(options_.base, "unknown");
    program_.parse("bench --unit ns");
    EXPECT_EQ(options_.unit, "ns");
}

TEST_F(SessionOptionsTest, WhatIsGivenAndTheEnvironmentAreChecked) {
    EXPECT_THROW(program_.parse("bench --accel xen"), CLI::ValidationError);
    set_unit("miles");
    EXPECT_THROW(program_.parse("bench"), CLI::ValidationError);
    EXPECT_NO_THROW(program_.parse("bench --unit ns"));
}

TEST_F(SessionOptionsTest, TheEnvironmentDoesNotMatterToOtherCommands) {
    set_unit("miles");
    EXPECT_NO_THROW(program_.parse("other"));
}

TEST_F(SessionOptionsTest, EachFormatHasItsFlag) {
    auto format = [&](const char* arguments) {
        SessionOptions options;
        CLI::App program;
        options.add_to(program);
        program.parse(arguments);
        return options.format.format();
    };
    EXPECT_EQ(format(""), Format::table);
    EXPECT_EQ(format("--json"), Format::json);
    EXPECT_EQ(format("--csv"), Format::csv);
    EXPECT_EQ(format("--markdown"), Format::markdown);
    EXPECT_EQ(format("--html"), Format::html);
    EXPECT_THROW(format("--json --csv"), CLI::ParseError);
    EXPECT_THROW(format("--markdown --html"), CLI::ParseError);
}

TEST(Session, TheRecordSaysWhatWasAskedAndWhereItRan) {
    SessionOptions options;
    options.base = "6.12-stock";
    options.accel = "tcg";
    Environment environment;
    environment.kernel = "6.12.107";
    environment.machine = "aarch64";
    environment.arch = "arm64";
    environment.vcpus = 3;
    environment.details = {{"cpu", "QEMU"}};
    Record record = options.record("scale", environment);
    EXPECT_EQ(record.benchmark, "scale");
    EXPECT_EQ(record.env,
              (RecordEnvironment{
                  "6.12-stock", "6.12.107", false, "arm64", "tcg", 3, 0, {{"cpu", "QEMU"}}}));
    options.base = "6.12";
    EXPECT_TRUE(options.record("scale", environment).env.patched);
    options.base = "/home/somebody/linux";
    EXPECT_FALSE(options.record("scale", environment).env.patched) << "nobody knows";
    options.base = SessionOptions().base;
    EXPECT_FALSE(options.record("scale", environment).env.patched) << "nobody knows";
}

/// Measures nothing, and does what it is told.
class FakeBenchmark : public Benchmark {
  public:
    [[nodiscard]] std::string name() const override { return "fake"; }
    [[nodiscard]] std::string help() const override { return "Does what it is told"; }
    void add_options(CLI::App& /*command*/) override {}
    Result<> check(const KernelPaths& /*paths*/) override { return sense; }
    Result<> run(const KernelPaths& /*paths*/, Record& record) override {
        record.rows = {row_of({{"step", "attach"}}, 3, {33}),
                       row_of({{"step", "memory"}}, 4, {44})};
        record.rows[0].unit = "";
        record.rows[0].verified = verified;
        record.rows[1].unit = "bytes";
        return ran;
    }
    Result<> restore(const KernelPaths& /*paths*/, const Ending& ending) override {
        complete = ending.complete;
        return left;
    }

    Result<> sense;
    Result<> ran;
    Result<> left;
    bool verified = true;
    bool complete = false;
};

class SessionTest : public testing::Test {
  protected:
    int run() {
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        int code = run_session(benchmark_, {}, options_);
        shown_ = testing::internal::GetCapturedStdout();
        said_ = testing::internal::GetCapturedStderr();
        return code;
    }

    TemporaryDirectory directory_;
    FakeBenchmark benchmark_;
    SessionOptions options_;
    std::string shown_;
    std::string said_;
};

TEST_F(SessionTest, WritesTheRecordAndItsFile) {
    options_.output = directory_.path() / "fake.json";
    options_.unit = "insn";
    options_.format.json = true;
    ASSERT_EQ(run(), 0) << said_;
    EXPECT_TRUE(benchmark_.complete);
    EXPECT_EQ(read_file(options_.output).value(), shown_);
    auto record = parse_record(shown_);
    ASSERT_TRUE(record.ok()) << record.error().message;
    EXPECT_EQ(record->benchmark, "fake");
    EXPECT_EQ(record->rows[0].unit, "insn") << "that of the clock";
    EXPECT_EQ(record->rows[1].unit, "bytes");
}

TEST_F(SessionTest, WhatMakesNoSenseIsNotBegun) {
    benchmark_.sense = misuse("no sense");
    EXPECT_EQ(run(), 2);
    EXPECT_EQ(said_, "error: no sense\n");
    EXPECT_EQ(shown_, "");
    benchmark_.sense = Result<>();
    options_.output = "/proc/nonexistent/call.json";
    EXPECT_EQ(run(), 1) << "before anything is measured";
    EXPECT_EQ(shown_, "");
}

TEST_F(SessionTest, WhatIsNotVerifiedFailsAndIsWritten) {
    options_.output = directory_.path() / "fake.json";
    benchmark_.verified = false;
    EXPECT_EQ(run(), 1);
    EXPECT_NE(said_.find("not everything was verified, such as {\"step\":\"attach\"}"),
              std::string::npos)
        << said_;
    EXPECT_TRUE(read_file(options_.output).ok());
}

TEST_F(SessionTest, SomethingThatStaysAttachedFails) {
    benchmark_.left = failure("7 functions still attached");
    EXPECT_EQ(run(), 1);
    EXPECT_EQ(said_, "error: 7 functions still attached\n");
    EXPECT_NE(shown_, "") << "the record was written before";
}

TEST_F(SessionTest, AnErrorIsTheExitCode) {
    benchmark_.ran = cannot_run("not here");
    EXPECT_EQ(run(), 4);
}

TEST_F(SessionTest, AByteThatIsNoTextDoesNotCostTheRecord) {
    options_.output = directory_.path() / "call.json";
    options_.format.json = true;
    Record record = record_of("call", true);
    record.env.others = {{"cmdline", "quiet \xff"}};
    testing::internal::CaptureStdout();
    Result<> written = write_record(record, options_);
    std::string shown = testing::internal::GetCapturedStdout();
    ASSERT_TRUE(written.ok());
    EXPECT_NE(shown.find("\"cmdline\": \"quiet \uFFFD\""), std::string::npos) << shown;
    EXPECT_EQ(read_file(options_.output).value(), shown);
}

TEST(ModuleBenchmark, WhatIsAttachedIsInTheWay) {
    SimulatedKernel kernel(simulated_functions(3, 2));
    FdirectModule module(std::make_unique<SimulatedFiles>(kernel));
    EXPECT_TRUE(idle_status(module).ok());
    ASSERT_TRUE(module.select("known_0\nknown_1\n").ok());
    ASSERT_TRUE(module.attach(Range{0, 1}).ok());
    EXPECT_EQ(idle_status(module).error().message, "1 function is attached");
    ASSERT_TRUE(module.attach(Range{1, 1}).ok());
    auto status = idle_status(module);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "2 functions are attached");
    EXPECT_EQ(status.error().hint, "fdirect detach removes them");
}

TEST(Registry, HasEveryBenchmarkOnce) {
    std::set<std::string> names;
    for (const auto& benchmark : benchmarks()) {
        EXPECT_TRUE(names.insert(benchmark->name()).second) << benchmark->name();
        EXPECT_FALSE(benchmark->help().empty());
        CLI::App command;
        benchmark->add_options(command);
    }
    EXPECT_EQ(names, (std::set<std::string>{"attach", "bpf", "call", "scale"}));
}

} // namespace
} // namespace fdirect
