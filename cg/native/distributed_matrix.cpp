#include "cg/native/distributed_matrix.hpp"

#include <vector>

#include "comm/transport/registry/transport_registry.hpp"
#include "device/cg_kernels.hpp"
#include "device/matrix_factory.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

namespace {

// Hands what this rank stores, a row block or a part of the triangle, to `use`.
template <typename Use>
auto with_share_of(const RankContext& context, const Problem& problem, Use use) {
    if (problem.storage == Storage::symmetric) {
        return use(device::TrianglePart{problem.size, context.ranks(), context.rank()});
    }
    const Range rows = block_range(problem.size, context.ranks(), context.rank());
    return use(device::RowBlock{rows.begin, rows.size(), problem.size});
}

// Made, and the transport checked, before there are windows.
std::unique_ptr<device::MatrixShare> make_share(const RankContext& context,
                                                const comm::Transport& transport,
                                                const Problem& problem) {
    comm::require(transport, comm::Capability::all_gather, "cg");
    if (problem.storage == Storage::symmetric) {
        comm::require(transport, comm::Capability::reduce_scatter, "storage symmetric");
    }
    return with_share_of(context, problem, [&](const auto& part) {
        return context.device.matrices().make_matrix(part);
    });
}

}  // namespace

DistributedMatrix::Buffers::Buffers(bench::Arena& arena, const RankContext& context,
                                    const Problem& problem)
    : rows(block_range(problem.size, context.ranks(), context.rank())),
      output(arena.make<double>(rows.size())) {
    if (problem.algorithm == Algorithm::classic) {
        direction = arena.make<double>(problem.size);
    }
    if (context.ranks() > 1) {
        gathered = arena.make<double>(problem.size);
    }
    // Windows last: they could not be freed while an exception unwinds.
    residual = arena.make<double>(rows.size(), bench::Room::device_window);
    if (context.ranks() > 1 && problem.storage == Storage::symmetric) {
        contribution = arena.make<double>(problem.size, bench::Room::device_window);
    }
}

void DistributedMatrix::count(bench::Arena& arena, const RankContext& context,
                              const comm::OperationMemory& transport, const Problem& problem) {
    const Bytes share = with_share_of(context, problem, [&](const auto& part) {
        return context.device.matrices().matrix_memory(part);
    });
    arena.count(share, bench::Room::device);
    if (problem.storage == Storage::symmetric && context.ranks() > 1) {
        const Range rows = block_range(problem.size, context.ranks(), context.rank());
        arena.count(transport.reduce_scatter(context.ranks(), bytes_of<double>(rows.size())),
                    bench::Room::device);
    }
}

DistributedMatrix::DistributedMatrix(const RankContext& context, bench::Arena& arena,
                                     comm::Transport& transport, const Problem& problem,
                                     device::View<double> dot)
    : device_(context.device),
      stream_(context.stream),
      world_(context.world),
      share_(make_share(context, transport, problem)),
      buffers_(arena, context, problem),
      multiplied_(problem.algorithm == Algorithm::classic ? buffers_.direction.view()
                  : context.ranks() > 1                   ? buffers_.gathered.view()
                                                          : residual()) {
    if (context.ranks() > 1) {
        prepare_collectives(transport, problem);
    }
    record_product(dot, problem.algorithm);
}

void DistributedMatrix::prepare_collectives(comm::Transport& transport, const Problem& problem) {
    std::vector<std::int64_t> elements;
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < world_.size(); ++rank) {
        elements.push_back(block_range(problem.size, world_.size(), rank).size());
        bytes.push_back(bytes_of<double>(elements.back()).value);
    }
    gather_ = transport.prepare_all_gather(
        {device::as_bytes(residual()),
         device::as_bytes(buffers_.gathered.view()),
         bytes,
         {.before = problem.algorithm == Algorithm::classic, .after = true}});
    if (problem.storage == Storage::symmetric) {
        reduce_ = transport.prepare_reduce_scatter(
            {buffers_.contribution.view(), output(), elements, {.after = true}});
    }
}

// The operations that are enqueued between the communications.
void DistributedMatrix::record_product(device::View<double> dot, Algorithm algorithm) {
    const device::View<const double> x = multiplied_;
    const auto sum = [this, x, dot](device::Stream& stream) {
        device_.vectors().dot(x.part(rows().begin, rows().size()), output(), dot, stream);
    };
    if (reduce_) {
        product_ = device_.record([this, x, y = buffers_.contribution.view()](
                                      device::Stream& stream) { share_->multiply(x, y, stream); });
        dot_ = device_.record(sum);
        return;
    }
    device::ClassicIteration* own =
        algorithm == Algorithm::classic ? share_->classic_iteration() : nullptr;
    if (own != nullptr) {
        product_ = device_.record([this, own, x, dot](device::Stream& stream) {
            own->multiply_and_dot(x, output(), dot, stream);
        });
        return;
    }
    product_ = device_.record([this, x, sum](device::Stream& stream) {
        share_->multiply(x, output(), stream);
        sum(stream);
    });
}

device::View<const double> DistributedMatrix::gather() {
    if (!gather_) {
        return residual();
    }
    gather_->run(stream_);
    return buffers_.gathered.view();
}

device::View<const double> DistributedMatrix::gather(device::View<const double> rows) {
    const auto meet = [this] {
        stream_.synchronize();
        world_.barrier();
    };
    if (rows.data() != residual().data()) {
        device_.copy(device::as_bytes(rows), device::as_bytes(residual()), stream_);
    }
    meet();
    const device::View<const double> all = gather();
    meet();
    return all;
}

void DistributedMatrix::multiply_and_dot() {
    product_(stream_);
    if (reduce_) {
        reduce_->run(stream_);
        dot_(stream_);
    }
}

}  // namespace quartet::cg
