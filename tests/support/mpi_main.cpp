#include <gtest/gtest.h>

#include <exception>
#include <iostream>
#include <string>

#include "comm/mpi/communicator.hpp"
#include "comm/mpi/mpi_session.hpp"

namespace {

// Failures are worth seeing from any rank, progress from one only.
class FailuresOnly : public testing::EmptyTestEventListener {
  public:
    explicit FailuresOnly(int rank) : rank_(rank) {}

  private:
    // GoogleTest holds a lock while it reports a failure: it cannot be asked for the test then.
    void OnTestStart(const testing::TestInfo& test) override {
        test_ = std::string(test.test_suite_name()) + "." + test.name();
    }

    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (result.failed()) {
            std::cerr << "rank " << rank_ << ", " << test_ << ": " << result << '\n';
        }
    }

    std::string test_ = "outside of the tests";
    int rank_;
};

void report_from_rank_0_only(int rank) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (rank != 0) {
        delete listeners.Release(listeners.default_result_printer());
        delete listeners.Release(listeners.default_xml_generator());
        listeners.Append(new FailuresOnly(rank));
    }
}

}  // namespace

// Every rank runs every test; the exit code is 0 if no rank has a failure.
int main(int argc, char** argv) {
    const quartet::comm::MpiSession mpi(argc, argv);
    try {
        testing::InitGoogleTest(&argc, argv);
        const auto world = quartet::comm::Communicator::world();
        report_from_rank_0_only(world.rank());
        if (world.size() > 1) {
            // A rank that leaves a test early would keep the others waiting in its collective
            // operations: it ends the job instead.
            GTEST_FLAG_SET(catch_exceptions, false);
        }
        return world.all(RUN_ALL_TESTS() == 0) ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << "a test threw: " << error.what() << '\n';
        quartet::comm::MpiSession::abort(quartet::ExitCode::failed);
    }
}
