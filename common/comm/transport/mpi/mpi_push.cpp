#include "comm/transport/mpi/mpi_push.hpp"

#include "comm/mpi/mpi_session.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

constexpr int push_tag = 1;
constexpr int acknowledgement_tag = 2;

// Chunks of one sender that are under way at a time: one to be added while the next arrives.
constexpr int depth = 2;

// What is added at a time on the host (256 KiB): between, the receiver lets MPI answer senders that
// are ready to send the next chunk, which otherwise waits until this one is added.
constexpr std::int64_t added_at_once = std::int64_t{1} << 16;

// A message's count is an int: without the pipeline a vector travels in chunks of this size.
constexpr std::int64_t largest_message = std::int64_t{1} << 28;

std::int64_t chunk_elements(std::int64_t elements, const TransportSettings& settings) {
    const std::int64_t wanted =
        settings.pipeline == Pipeline::on
            ? settings.chunk.value / static_cast<std::int64_t>(sizeof(float))
            : largest_message;
    return std::clamp<std::int64_t>(wanted, 1,
                                    std::max<std::int64_t>(std::min(elements, largest_message), 1));
}

int slots_of(const TransportSettings& settings) {
    return settings.pipeline == Pipeline::on ? depth : 1;
}

}  // namespace

Bytes mpi_push_memory(const IncomingPushes& pushes, const TransportSettings& settings) {
    const std::int64_t elements = pushes.size.value / static_cast<std::int64_t>(sizeof(float));
    return pushes.senders * slots_of(settings) *
           bytes_of<float>(chunk_elements(elements, settings));
}

MpiPush::MpiPush(const PushPlan& plan, const Communicator& comm, device::Device& device,
                 Track& track, const TransportSettings& settings)
    : plan_(plan),
      comm_(comm),
      device_(device),
      track_(track),
      elements_(comm.rank() == plan.receiver ? plan.target.size() : plan.source.size()),
      chunk_(chunk_elements(elements_, settings)),
      slots_(slots_of(settings)) {
    const bool receives = comm.rank() == plan.receiver;
    const std::size_t streams = receives ? plan.senders.size() : 1;
    requests_.assign(streams * static_cast<std::size_t>(slots_), MPI_REQUEST_NULL);
    if (receives) {
        const IncomingPushes pushes{std::ssize(plan.senders), plan.target.bytes()};
        staging_ = {device.allocate(mpi_push_memory(pushes, settings), device.memory_kind()),
                    static_cast<std::int64_t>(requests_.size()) * chunk_};
    }
}

void MpiPush::run(int count, device::Stream& stream) {
    if (elements_ == 0 || count == 0) {
        return;
    }
    if (comm_.rank() == plan_.receiver) {
        receive_all(count, stream);
    } else if (std::ranges::find(plan_.senders, comm_.rank()) != plan_.senders.end()) {
        stream.synchronize();
        send_all(count);
    }
}

void MpiPush::send_all(int count) {
    const Span span(track_, Phase::push, "send");
    for (std::int64_t chunk = 0; chunk < count * chunks(); ++chunk) {
        MPI_Request& request = requests_[slot(0, chunk)];
        check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE));
        check_mpi(MPI_Isend(plan_.source.data() + first(chunk), static_cast<int>(size(chunk)),
                            MPI_FLOAT, plan_.receiver, push_tag, comm_.handle(), &request));
    }
    check_mpi(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, plan_.receiver, acknowledgement_tag, comm_.handle(),
                       MPI_STATUS_IGNORE));
}

void MpiPush::post_receive(std::size_t sender, std::int64_t chunk) {
    check_mpi(MPI_Irecv(staged(sender, chunk).data(), static_cast<int>(size(chunk)), MPI_FLOAT,
                        plan_.senders[sender], push_tag, comm_.handle(),
                        &requests_[slot(sender, chunk)]));
}

// When it returns the chunk's slot is free.
void MpiPush::add(std::size_t sender, std::int64_t chunk, device::Stream& stream) {
    const auto source = staged(sender, chunk);
    const auto target = plan_.target.part(first(chunk), size(chunk));
    const bool in_steps = !device::has_own_memory(device_);
    const std::int64_t step = in_steps ? added_at_once : source.size();
    for (std::int64_t done = 0; done < source.size(); done += step) {
        const std::int64_t count = std::min(step, source.size() - done);
        device_.vectors().add(source.part(done, count), target.part(done, count), stream);
        stream.synchronize();
        int arrived = 0;
        check_mpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &arrived,
                              MPI_STATUSES_IGNORE));
    }
}

void MpiPush::receive_all(int count, device::Stream& stream) {
    const std::int64_t total = count * chunks();
    for (std::int64_t chunk = 0; chunk < std::min<std::int64_t>(slots_, total); ++chunk) {
        for (std::size_t sender = 0; sender < plan_.senders.size(); ++sender) {
            post_receive(sender, chunk);
        }
    }
    for (std::int64_t chunk = 0; chunk < total; ++chunk) {
        for (std::size_t sender = 0; sender < plan_.senders.size(); ++sender) {
            {
                const Span span(track_, Phase::exchange, "receive");
                check_mpi(MPI_Wait(&requests_[slot(sender, chunk)], MPI_STATUS_IGNORE));
            }
            add(sender, chunk, stream);
            if (chunk + slots_ < total) {
                post_receive(sender, chunk + slots_);
            }
        }
    }
    for (const int sender : plan_.senders) {
        check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, sender, acknowledgement_tag, comm_.handle()));
    }
}

}  // namespace quartet::comm
