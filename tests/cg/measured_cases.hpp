#pragma once

#include <gtest/gtest.h>

#include "bench/measured.hpp"
#include "cg/cg_session.hpp"
#include "cg/plan.hpp"

namespace quartet::cg {

/// Cases that are planned and measured as the program does, one run of each.
class MeasuredCases : public testing::Test {
  protected:
    MeasuredCases() {
        options.runs = {1, 0.05, 0};
        options.limits = bench::Switch::off;  // they take longer than the cases
    }

    void begin() { session = make_session(options); }

    bench::Row measured(const bench::Variant& variant, const Problem& problem,
                        const bench::DataOptions& data = {}) {
        const auto rows = bench::measure(*session, planned_case(*session, variant, problem, data),
                                         [](int, int) {});
        EXPECT_EQ(rows.size(), 1U);
        return rows.front();
    }

    bench::CommonOptions options;
    std::unique_ptr<bench::Session> session;
    const comm::Communicator world = comm::Communicator::world();
};

}  // namespace quartet::cg
