// SPDX-License-Identifier: GPL-2.0
#include "cli/attach_preview.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

const std::vector<Function> functions = {
    {0xffffffff81000014, "one", ""},      {0xffffffff81000044, "two", ""},
    {0xffffffff81000084, "same", ""},     {0xffffffff810000c4, "same", ""},
    {0xffffffffc0000014, "one", "mine"},  {0xffffffffc0000054, "three", "mine"},
    {0xffffffffc0000094, "three", "its"},
};

AttachPreview preview(std::string_view selection, const std::vector<EnabledFunction>& enabled = {},
                      std::optional<Range> range = {}) {
    return preview_attachment(selection, range, functions, enabled).value();
}

TEST(AttachPreview, FindsFunctionsByAllFormsOfALine) {
    EXPECT_EQ(preview("# a comment\n\n one\n0xffffffff81000044\n0xffffffff81000080\nmine:three\n"
                      "one [mine]\n"),
              AttachPreview({{"one", "two", "same", "three [mine]", "one [mine]"}, {}}));
    EXPECT_EQ(preview("mine:one\n0xffffffff810000c4\n"),
              AttachPreview({{"one [mine]", "same"}, {}}));
}

TEST(AttachPreview, RefusesWhatIsNoOneFunction) {
    AttachPreview refused = preview("none\n0xffffffff81000045\n0xzz\nmine:two\nthree\nsame\n");
    EXPECT_TRUE(refused.functions.empty());
    EXPECT_EQ(refused.refused,
              std::vector<LeftOut>({{"none", "no function that can be traced"},
                                    {"0xffffffff81000045", "no function that can be traced"},
                                    {"0xzz", "no function that can be traced"},
                                    {"mine:two", "no function that can be traced"},
                                    {"three", "more than one function has this name"},
                                    {"same", "more than one function has this name"}}));
}

TEST(AttachPreview, RefusesFunctionsWithADirectCall) {
    EXPECT_EQ(
        preview("one\n0xffffffff81000084\none [mine]\ntwo\ntwo\n", {{"one", true, false},
                                                                    {"same", false, false},
                                                                    {"same", true, false},
                                                                    {"one [mine]", false, true},
                                                                    {"two", false, false}}),
        AttachPreview(
            {{"two"},
             {{"one", "it has a direct call already"},
              {"same", "a function of this name has a direct call already"},
              {"one [mine]", "it has a livepatch or a kprobe that changes where calls go"},
              {"two", "it is there twice"}}}));
}

TEST(AttachPreview, IsOfARange) {
    EXPECT_EQ(preview("none\none\n\ntwo\nnone\n", {}, Range{1, 2}),
              AttachPreview({{"one", "two"}, {}}));
    auto beyond = preview_attachment("one\n", Range{1, 1}, functions, {});
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().code, ExitCode::usage);
}

TEST(AttachPreview, SaysWhatWouldBeDone) {
    EXPECT_EQ(preview_text({{"one", "two"}, {}}, "hash", false),
              "would attach 2 functions with hash\n");
    EXPECT_EQ(preview_text({{"one", "two"}, {}}, "hash", true),
              "one\ntwo\nwould attach 2 functions with hash\n");
    EXPECT_EQ(preview_text({{"one"}, {{"two", "it is busy"}}}, "each", false),
              "refused: two: it is busy\nwould attach nothing: 1 of 2 functions refused\n");
}

} // namespace
} // namespace fdirect
