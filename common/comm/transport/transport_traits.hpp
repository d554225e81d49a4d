#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "comm/transport/payload_channel.hpp"
#include "comm/windows/window.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// The operations that a transport may be able to do.
enum class Capability {
    push,
    send_receive,
    payload_channel,  ///< what queues send their payloads by
    all_gather,
    reduce_scatter,
    all_to_all,
};
std::string_view name(Capability capability);

/// A set of capabilities.
class Capabilities {
  public:
    constexpr Capabilities(std::initializer_list<Capability> members) {
        for (const Capability member : members) {
            bits_ |= 1U << static_cast<unsigned>(member);
        }
    }
    [[nodiscard]] constexpr bool contain(Capabilities others) const {
        return (bits_ & others.bits_) == others.bits_;
    }

  private:
    unsigned bits_ = 0;
};

inline constexpr Capabilities all_capabilities{
    Capability::push,       Capability::send_receive,   Capability::payload_channel,
    Capability::all_gather, Capability::reduce_scatter, Capability::all_to_all};

/// Whose memory a transport moves.
enum class TransportMemory {
    host,
    gpu,
    either,  ///< whichever the device computes on
};

/// How far a transport reaches.
enum class Reach { one_node, all_nodes };

/// The place of another rank's data while it is used.
enum class PartLocation {
    received,   ///< in a buffer of this rank
    at_sender,  ///< in the sender's memory, read in place
};

/// Whether ranks that share a GPU may use it.
enum class SharedGpus {
    served,
    for_checks_only,  ///< at most to check results: `auto` never picks it there
};

/// Whether transfers in chunks overlap with what is done with the chunks.
enum class Pipeline { on, off };

struct TransportSettings {
    Bytes chunk = mebibytes(2);
    Pipeline pipeline = Pipeline::on;
};

/// The circumstances of operations on which their memory depends.
struct OperationContext {
    TransportSettings settings{};
    device::MemoryKind kind = device::MemoryKind::host;  ///< that the device computes on
    int nodes = 1;
};

/// The pushes that one rank receives.
struct IncomingPushes {
    std::int64_t senders = 0;
    Bytes size;  ///< of each
};

/// The facts of a transport that are known before it is made. Planning asks for these instead of
/// for names.
struct TransportTraits {
    std::string_view name;  ///< as on the command line; a literal
    Capabilities capabilities{};
    TransportMemory memory = TransportMemory::either;
    Reach reach = Reach::all_nodes;
    /// Whether pushes, exchanges and payloads need a receive buffer. `at_sender` also if the
    /// sender adds a push to the target itself.
    PartLocation location = PartLocation::received;
    /// The kind of windows that allocate() takes from the node's shared memory, if any.
    std::optional<WindowKind> windows{};
    SharedGpus shared_gpus = SharedGpus::served;

    /// What operations allocate (see OperationMemory); null: nothing.
    Bytes (*push_memory)(const IncomingPushes& pushes, const OperationContext& context) = nullptr;
    Bytes (*reduce_scatter_memory)(int ranks, Bytes mine,
                                   const OperationContext& context) = nullptr;
    PayloadMemory (*payload_memory)(const PayloadChannelPlan& plan,
                                    const OperationContext& context) = nullptr;
    [[nodiscard]] constexpr bool can(Capability capability) const {
        return capabilities.contain({capability});
    }
    /// Whether it serves devices that compute on memory of that kind.
    [[nodiscard]] constexpr bool moves(device::MemoryKind kind) const {
        return memory == TransportMemory::either ||
               (memory == TransportMemory::gpu) == (kind == device::MemoryKind::device);
    }
};

}  // namespace quartet::comm
