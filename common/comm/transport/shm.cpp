#include <fmt/format.h>

#include "comm/transport/shared_memory.hpp"
#include "comm/transport/transport.hpp"

namespace quartet::comm {

namespace {

constexpr TransportTraits shm_traits{
    .name = "shm",
    .memory = TransportMemory::host,
    .reach = Reach::one_node,
    .receive = Receive::in_place,
};

/// Loads and stores: the ranks of one node read each other's memory in place.
class ShmTransport final : public Transport {
  public:
    ShmTransport(const TransportContext& context, device::Accelerator* copier)
        : Transport(context, shm_traits), memory_(comm(), copier) {}

    device::Allocation allocate(Bytes size, Place /*place*/) override {
        return memory_.allocate(size);
    }
    [[nodiscard]] std::vector<device::View<const std::byte>> of_all(
        device::View<const std::byte> mine) override {
        return memory_.of_all(mine);
    }
    [[nodiscard]] std::string description() const override {
        const auto huge = memory_.on_huge_pages();
        return !huge   ? ""
               : *huge ? "shared memory on huge pages"
                       : "the system refuses huge pages for shared memory";
    }

  private:
    SharedMemory memory_;
};

std::optional<std::string> why_no_shm(const TransportContext& context) {
    const auto problem = why_no_shared_memory(context.world);
    return problem ? std::optional("transport shm: " + *problem) : std::nullopt;
}

}  // namespace

std::unique_ptr<Transport> make_shared_transport(const TransportContext& context,
                                                 device::Accelerator* copier) {
    return std::make_unique<ShmTransport>(context, copier);
}

TransportKind shm_transport() {
    return {shm_traits, why_no_shm, [](const TransportContext& context) {
                return make_shared_transport(context, nullptr);
            }};
}

}  // namespace quartet::comm
