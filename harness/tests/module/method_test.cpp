// SPDX-License-Identifier: GPL-2.0
#include "module/method.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(Method, NamesAndBack) {
    for (Method method : {Method::each, Method::multi, Method::hash}) {
        EXPECT_EQ(method_named(name_of(method)), method);
    }
    EXPECT_EQ(method_named("Hash"), std::nullopt);
    EXPECT_EQ(method_named(""), std::nullopt);
}

TEST(Method, AListSkipsWhatIsNotKnown) {
    auto methods = methods_in("each later hash\n");
    EXPECT_EQ(methods, (std::vector<Method>{Method::each, Method::hash}));
    EXPECT_EQ(names_of(methods), "each hash");
    EXPECT_TRUE(methods_in("\n").empty());
}

TEST(Method, StubsCountOnAndWrapExceptForMulti) {
    EXPECT_EQ(stub_of(Method::hash, 10, 5), 15U);
    EXPECT_EQ(stub_of(Method::each, 65535, 1), 0U);
    EXPECT_EQ(stub_of(Method::multi, 10, 5), 10U);
}

} // namespace
} // namespace fdirect
