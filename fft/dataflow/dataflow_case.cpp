#include "fft/dataflow/dataflow_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fft/problem/files.hpp"

namespace quartet::fft {

namespace {

IndexOrder input_order(const DataflowPlan& plan, int rank) {
    return plan.role == comm::Role::worker
               ? plan.problem.input_order(plan.roles.workers(), plan.roles.index_of(rank))
               : IndexOrder{};
}

IndexOrder output_order(const DataflowPlan& plan) {
    return plan.role == comm::Role::worker ? IndexOrder{} : plan.problem.output_order(1, 0);
}

// Before there is anything that could not be freed while an exception unwinds.
comm::Transport& usable_transport(bench::Session& session, const DataflowPlan& plan) {
    comm::Transport& transport = session.transport(plan.transport);
    comm::require(transport, comm::Capability::payload_channel, "formulation dataflow");
    return transport;
}

}  // namespace

DataflowCase::DataflowCase(bench::Session& session, const DataflowPlan& plan)
    : session_(session),
      plan_(plan),
      transport_(usable_transport(session, plan)),
      guard_(session.threads()),
      check_(plan.problem.points, session.options().seed, input_order(plan, session.world().rank()),
             output_order(plan), session.threads(), session.world()) {
    if (plan.data.in_files()) {
        prepared_tiles(session, plan.problem, plan.data);
    }
    role_ = make_dataflow_role(session, plan);
    if (session.options().verify == bench::Switch::on) {
        guard_.remember(role_->input_memory());
        check_.expect(role_->input());
    }
    make_queue();
}

void DataflowCase::make_queue() {
    hub_ = std::make_unique<flow::Hub>(session_.world(), &session_.trace().track("queue"));
    queue_ = std::make_unique<flow::Queue>(*hub_, transport_, plan_.queue);
}

bench::Check DataflowCase::verify() {
    return guard_.judge(check_.verify(role_->output()), session_.world());
}

void DataflowCase::finish() {
    if (plan_.data.keep == bench::Switch::off) {
        return;
    }
    std::vector<Point> bins;  // all on the reducer
    role_->output()([&](std::int64_t, std::span<const Point> piece) {
        bins.insert(bins.end(), piece.begin(), piece.end());
    });
    keep_result(plan_.data, plan_.problem, bins, result_layout(plan_.problem, std::ssize(bins)),
                session_);
}

void DataflowCase::prepare_limit() {
    role_->prepare_limit(*queue_);
    if (plan_.probes_link) {
        link_.emplace(session_.message_transport(), session_.world(), plan_.roles.worker_rank(0),
                      plan_.roles.reducer_rank(0), bytes_of<double>(plan_.tile.parts_size()));
    }
}

// All ranks at the same time, as in a run. Whatever comes first, a copy at the merger ends the run,
// and so is a part of each component.
std::vector<bench::LimitComponent> DataflowCase::limit() {
    constexpr int messages = 4;
    const comm::Communicator& world = session_.world();
    const DataflowRole::Times mine = role_->measure();
    const Seconds transforms{world.maximum(mine.transforms.value)};
    const Seconds copy{world.maximum(mine.copy.value)};
    const Seconds host_link{world.maximum(mine.host_link.value)};
    std::vector<bench::LimitComponent> components{{"workers' transforms", transforms + copy},
                                                  {"merger's intake", copy + copy}};
    if (session_.device().memory_kind() == device::MemoryKind::host) {
        components.front().extend(plan_.roles.workers(), world.size());
    }
    if (host_link > Seconds{}) {
        components.push_back({"copies between GPUs and CPUs", host_link + copy});
    }
    if (link_) {
        const Seconds mine_sent = link_->measure(messages, session_.stream());
        const Seconds message{world.maximum(mine_sent.value)};
        const auto tiles = static_cast<double>(plan_.problem.tiles);
        components.push_back({"link to the merger", tiles * message + copy});
    }
    return components;
}

std::string DataflowCase::note() const {
    return fmt::format("{} tiles to one merger of {} thread{}", plan_.problem.tiles,
                       session_.threads(), session_.threads() == 1 ? "" : "s");
}

}  // namespace quartet::fft
