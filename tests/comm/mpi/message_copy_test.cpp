#include "comm/mpi/message_copy.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "comm/mpi/mpi_session.hpp"
#include "core/environment.hpp"

namespace quartet::comm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* flags = "OMPI_MCA_btl_vader_flags";
constexpr const char* chunk = "OMPI_MCA_btl_vader_rdma_pipeline_frag_size";

std::optional<std::string> variable(const char* name) {
    return Environment().get(name);
}

class MessageCopyTest : public testing::Test {
  protected:
    MessageCopyTest() { clear(); }
    ~MessageCopyTest() override { clear(); }

  private:
    static void clear() {
        for (const char* name : {flags, chunk, "OMPI_MCA_btl_vader_min_rdma_pipeline_size",
                                 "OMPI_MCA_btl_vader_rdma_pipeline_send_length"}) {
            ::unsetenv(name);
        }
    }
};

TEST_F(MessageCopyTest, TheSenderPutsWhereOpenMpiCanBeTold) {
    if (!MpiSession::library_version().starts_with("Open MPI v4")) {
        GTEST_SKIP() << "of others it is not known";
    }
    set_message_copy(MessageCopy::by_sender);
    ASSERT_TRUE(variable(flags) && variable(chunk));
    EXPECT_THAT(*variable(flags), AllOf(HasSubstr("put"), Not(HasSubstr("get"))));
}

TEST_F(MessageCopyTest, WhoHasSetOneOfTheSettingsDecides) {
    ::setenv(chunk, "8192", 1);
    set_message_copy(MessageCopy::by_sender);
    EXPECT_EQ(variable(chunk), "8192");
    EXPECT_FALSE(variable(flags));
}

TEST_F(MessageCopyTest, NothingIsToldUnasked) {
    set_message_copy(MessageCopy::as_configured);
    EXPECT_FALSE(variable(flags) || variable(chunk));
}

}  // namespace
}  // namespace quartet::comm
