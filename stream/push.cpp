#include "stream/push.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stream/dataflow_push.hpp"
#include "stream/library_push.hpp"

namespace quartet::stream {

namespace {

// A transport that receives in pieces has two of each sender in flight.
Bytes native_pieces(const comm::TransportSettings& settings, Bytes size, std::int64_t senders) {
    const Bytes piece =
        settings.pipeline == comm::Pipeline::off ? size : std::min(settings.chunk, size);
    return 2 * senders * piece;
}

}  // namespace

void require_usable(bench::Formulation formulation, const comm::Transport& transport) {
    if (formulation == bench::Formulation::dataflow) {
        flow::require_queues(transport);
    }
    if (formulation == bench::Formulation::library &&
        !transport.can(comm::Capability::send_receive)) {
        throw Unavailable(fmt::format(
            "formulation library is plain MPI (transport {} has no send and receive): add "
            "--transport mpi",
            transport.name()));
    }
}

std::unique_ptr<comm::Push> make_push(bench::Formulation formulation, const comm::PushPlan& plan,
                                      bench::Session& session, comm::Transport& transport,
                                      Bytes size) {
    switch (formulation) {
        case bench::Formulation::dataflow:
            return std::make_unique<DataflowPush>(plan, transport, session.device(),
                                                  session.world(), size, session.options().queue);
        case bench::Formulation::library:
            return std::make_unique<LibraryPush>(plan, transport, session.device(),
                                                 session.world().rank());
        case bench::Formulation::native:
            break;
    }
    return transport.prepare_push(plan);
}

void plan_push(bench::BufferPlan& plan, bench::Session& session, const bench::Variant& variant,
               const Problem& problem, const Route& route) {
    const bool receives = route.receiver == session.world().rank();
    const bool received =
        session.registry().traits(variant.transport).location == comm::PartLocation::received;
    const std::int64_t senders = std::ssize(route.senders);
    switch (variant.formulation) {
        case bench::Formulation::dataflow:
            DataflowPush::Buffers(plan, session.device(), receives, problem.elements());
            DataflowPush::plan_queue(plan, receives, received ? senders : 0, problem.size);
            break;
        case bench::Formulation::library:
            LibraryPush::Buffers(plan, receives, problem.elements());
            break;
        case bench::Formulation::native:
            if (receives && received) {
                plan.add(native_pieces(session.options().transfer, problem.size, senders),
                         bench::Room::device);
            }
            break;
    }
}

}  // namespace quartet::stream
