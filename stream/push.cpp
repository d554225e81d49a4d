#include "stream/push.hpp"

#include <algorithm>

#include "stream/dataflow_push.hpp"
#include "stream/library_push.hpp"

namespace quartet::stream {

void require_usable(bench::Formulation formulation, const comm::Transport& transport) {
    if (formulation == bench::Formulation::dataflow) {
        comm::require(transport, comm::Capability::payload_channel, "formulation dataflow");
    }
    if (formulation == bench::Formulation::library) {
        comm::require(transport, comm::Capability::send_receive, "formulation library");
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

void count_push(bench::Arena& arena, bench::Session& session, const bench::Variant& variant,
                const Problem& problem, const Route& route) {
    const int rank = session.world().rank();
    const bool receives = route.receiver == rank;
    const comm::OperationMemory transport = bench::operation_memory(session, variant.transport);
    switch (variant.formulation) {
        case bench::Formulation::dataflow:
            DataflowPush::received(arena, session.device(), receives, problem.elements());
            arena.count(flow::queue_memory(
                DataflowPush::queue_plan(route.senders, route.receiver, problem.size,
                                         session.options().queue, session.device()),
                transport, rank));
            break;
        case bench::Formulation::library:
            LibraryPush::received(arena, receives, problem.elements());
            break;
        case bench::Formulation::native:
            if (receives) {
                arena.count(transport.push({std::ssize(route.senders), problem.size}),
                            bench::Room::device);
            }
            break;
    }
}

}  // namespace quartet::stream
