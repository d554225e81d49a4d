#include "cg/system/distributed_matrix.hpp"

#include <vector>

#include "comm/transport/registry/transport_registry.hpp"
#include "device/matrix_factory.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

device::RowBlock row_block(const Problem& problem, int ranks, int rank) {
    const Range rows = block_range(problem.size, ranks, rank);
    return {rows.begin, rows.size(), problem.size};
}

namespace {

device::TrianglePart triangle_part(const Problem& problem, int ranks, int rank) {
    return {problem.size, ranks, rank};
}

std::unique_ptr<device::MatrixShare> make_share(device::Device& device, const Problem& problem,
                                                int ranks, int rank) {
    return problem.storage == Storage::full
               ? device.matrices().make_matrix(row_block(problem, ranks, rank))
               : device.matrices().make_matrix(triangle_part(problem, ranks, rank));
}

Bytes share_memory(const device::Device& device, const Problem& problem, int ranks, int rank) {
    return problem.storage == Storage::full
               ? device.matrices().matrix_memory(row_block(problem, ranks, rank))
               : device.matrices().matrix_memory(triangle_part(problem, ranks, rank));
}

}  // namespace

DistributedMatrix::Buffers::Buffers(bench::BufferPlan& plan, const device::Device& device,
                                    const Problem& problem, int ranks, int rank)
    : rows(block_range(problem.size, ranks, rank)) {
    const bool triangle = problem.storage == Storage::symmetric;
    const std::int64_t whole = ranks > 1 ? problem.size : 0;
    plan.add(share_memory(device, problem, ranks, rank), bench::Room::device);
    input = plan.add<double>(rows.size(), bench::Room::device_window);
    output = plan.add<double>(rows.size());
    whole_input = plan.add<double>(whole);
    contribution = plan.add<double>(triangle ? whole : 0, bench::Room::device_window);
}

DistributedMatrix::DistributedMatrix(const RankContext& context, const Buffers& buffers,
                                     comm::Transport& transport, const Problem& problem)
    : device_(context.device),
      stream_(context.stream),
      ranks_(context.ranks()),
      rows_(buffers.rows) {
    // Before there are windows: they could not be freed while an exception unwinds.
    comm::require(transport, comm::Capability::all_gather, "cg");
    if (problem.storage == Storage::symmetric) {
        comm::require(transport, comm::Capability::reduce_scatter, "storage symmetric");
    }
    share_ = make_share(device_, problem, ranks_, context.rank());
    output_ = allocate(buffers.output, device_);
    input_ = allocate(buffers.input, transport);
    if (ranks_ > 1) {
        prepare_collectives(buffers, transport, problem);
    }
}

void DistributedMatrix::prepare_collectives(const Buffers& buffers, comm::Transport& transport,
                                            const Problem& problem) {
    std::vector<std::int64_t> elements;
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < ranks_; ++rank) {
        elements.push_back(block_range(problem.size, ranks_, rank).size());
        bytes.push_back(bytes_of<double>(elements.back()).value);
    }
    whole_input_ = allocate(buffers.whole_input, device_);
    gather_ = transport.prepare_all_gather(
        {device::as_bytes(input_.view()), device::as_bytes(whole_input_.view()), bytes});
    if (problem.storage == Storage::symmetric) {
        contribution_ = allocate(buffers.contribution, transport);
        reduce_ =
            transport.prepare_reduce_scatter({contribution_.view(), output_.view(), elements});
    }
}

device::View<const double> DistributedMatrix::gather() {
    if (!gather_) {
        return input_.view();
    }
    gather_->run(stream_);
    return whole_input_.view();
}

void DistributedMatrix::multiply_share(device::Stream& stream) {
    share_->multiply(ranks_ > 1 ? whole_input_.view() : input_.view(),
                     reduce_ ? contribution_.view() : output_.view(), stream);
}

void DistributedMatrix::multiply_alone(device::Stream& stream) {
    check(ranks_ == 1, "a rank that is not alone");
    multiply_share(stream);
}

void DistributedMatrix::multiply() {
    gather();
    multiply_share(stream_);
    if (reduce_) {
        reduce_->run(stream_);
    }
}

void DistributedMatrix::leave_dot_in(device::View<double> dot) {
    const auto sum = [this, dot](device::Stream& stream) {
        device_.vectors().dot(input_.view(), output_.view(), dot, stream);
    };
    if (reduce_) {
        product_ = device_.record([this](device::Stream& stream) { multiply_share(stream); });
        dot_ = device_.record(sum);
        return;
    }
    product_ = device_.record([this, sum](device::Stream& stream) {
        multiply_share(stream);
        sum(stream);
    });
}

void DistributedMatrix::multiply_and_dot() {
    gather();
    product_->run(stream_);
    if (reduce_) {
        reduce_->run(stream_);
        dot_->run(stream_);
    }
}

}  // namespace quartet::cg
