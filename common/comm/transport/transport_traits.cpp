#include "comm/transport/transport_traits.hpp"

namespace quartet::comm {

std::string_view name(Capability capability) {
    switch (capability) {
        case Capability::push:
            return "push";
        case Capability::send_receive:
            return "send/receive";
        case Capability::payload_channel:
            return "payload channel";
        case Capability::all_gather:
            return "all-gather";
        case Capability::reduce_scatter:
            return "reduce-scatter";
        case Capability::all_to_all:
            return "all-to-all";
    }
    return "unknown";
}

}  // namespace quartet::comm
