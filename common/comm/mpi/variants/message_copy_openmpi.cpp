#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "comm/mpi/message_copy.hpp"
#include "core/environment.hpp"

namespace quartet::comm {

namespace {

using Setting = std::pair<const char*, const char*>;

// Without "get" of a node's other memory there is "put": the receiver answers that it is ready, and
// the sender writes. In whole chunks: the default of 4 KiB each is a fifth as fast (4.1.4).
constexpr std::array<Setting, 4> put_settings{{
    {"OMPI_MCA_btl_vader_flags", "send,put,inplace,atomics,fetching-atomics"},
    {"OMPI_MCA_btl_vader_min_rdma_pipeline_size", "65536"},
    {"OMPI_MCA_btl_vader_rdma_pipeline_send_length", "4096"},
    {"OMPI_MCA_btl_vader_rdma_pipeline_frag_size", "16777216"},
}};

}  // namespace

void set_message_copy(MessageCopy copy) {
    // Later versions have another component in its place; these settings were not tried there.
    const bool known = OMPI_MAJOR_VERSION == 4;
    Environment environment;
    const auto is_set = [&](const Setting& setting) {
        return environment.get(setting.first).has_value();
    };
    const bool copies_are_chosen =
        environment.get("OMPI_MCA_btl_vader_single_copy_mechanism").has_value();
    if (copy == MessageCopy::as_configured || !known || copies_are_chosen ||
        std::ranges::any_of(put_settings, is_set)) {
        return;
    }
    for (const auto& [name, value] : put_settings) {
        ::setenv(name, value, 0);
    }
}

}  // namespace quartet::comm
