#include <gtest/gtest.h>

#include "comm/communicator.hpp"
#include "comm/mpi_session.hpp"

// Every rank runs every test; the lowest failing rank decides what is printed and the exit code.
int main(int argc, char** argv) {
    quartet::comm::MpiSession mpi(argc, argv);
    testing::InitGoogleTest(&argc, argv);
    const auto world = quartet::comm::Communicator::world();
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (world.rank() != 0) {
        // Failures are worth seeing from any rank; progress only from one.
        class FailuresOnly : public testing::EmptyTestEventListener {
            void OnTestPartResult(const testing::TestPartResult& result) override {
                if (result.failed()) {
                    std::cerr << result << '\n';
                }
            }
        };
        delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new FailuresOnly);
    }
    const int status = RUN_ALL_TESTS();
    return world.all(status == 0) ? 0 : 1;
}
