#include "matmul/native.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "comm/mpi/communicator.hpp"
#include "device/blas.hpp"

namespace quartet::matmul {

namespace {

/// Multiplies tiles where they lie. The tiles of C in one tile column of the rank's block follow
/// one another, as do the tiles of A, so that one call multiplies them with a tile of B: larger
/// products run faster.
class ResidentProduct final : public MemoryProduct {
  public:
    using MemoryProduct::MemoryProduct;

    void run(device::Stream& stream) override;
    [[nodiscard]] std::string note() const override {
        return inputs_.copies() == OperandCopies::per_node ? "tiles in a shared window"
                                                           : "each rank its own tiles";
    }
};

// The inner index goes back and forth, so that the A panel used last serves again.
void ResidentProduct::run(device::Stream& stream) {
    const std::int64_t rows = elements_of(problem_, block_.rows).size();
    const std::int64_t inner_tiles = problem_.tiles();
    for (std::int64_t column = block_.columns.begin; column < block_.columns.end; ++column) {
        const auto target = results_.column(column);
        for (std::int64_t step = 0; step < inner_tiles && rows > 0; ++step) {
            const bool forth = (column - block_.columns.begin) % 2 == 0;
            const std::int64_t inner = forth ? step : inner_tiles - 1 - step;
            device_.blas().gemm(
                {rows, problem_.extent(column), problem_.extent(inner)}, inputs_.a_rows(inner),
                inputs_.tile(Operand::b, {inner, column}), target,
                step == 0 ? device::Update::replace : device::Update::accumulate, stream);
        }
    }
    stream.synchronize();
}

// The order in which a rank computes its block of C in a GPU's memory: a corner of C grows by a
// strip of `height` rows or by one tile column at a time, until it is the whole block:
//
//     1 2 3 5     Strips 2, 3 and 5 need a tile column of B, the others some rows of A; the rest
//     4 4 4 5     has been brought for earlier strips. So copies in, products and copies out all
//     6 6 6 6     go on from the first strip to the last one. Columns grow twice as fast as rows:
//     7 7 7 7     then the last strips are low, and little is left to be copied out.
std::vector<Strip> growing_strips(const Problem& problem, const Block& block, std::int64_t height) {
    std::vector<Strip> strips;
    if (block.empty()) {
        return strips;
    }
    const std::int64_t all_rows = elements_of(problem, block.rows).size();
    const std::int64_t all_columns = block.columns.size();
    std::int64_t rows = std::min(height, all_rows);
    std::int64_t columns = 1;
    strips.push_back({{0, rows}, {0, columns}});
    while (rows < all_rows || columns < all_columns) {
        if (columns < all_columns &&
            (rows == all_rows || columns * all_rows <= 2 * rows * all_columns)) {
            strips.push_back({{0, rows}, {columns, columns + 1}});
            ++columns;
        } else {
            const std::int64_t next = std::min(rows + height, all_rows);
            strips.push_back({{rows, next}, {0, columns}});
            rows = next;
        }
    }
    return strips;
}

}  // namespace

InCoreProduct::InCoreProduct(device::Arena& arena, const Problem& problem,
                             const OperandLayout& layout, std::int64_t height,
                             const comm::Communicator& node)
    : MemoryProduct(arena, problem, layout, node),
      rows_(elements_of(problem, layout.block.rows).size()),
      height_(height),
      a_(arena.make<float>(rows_ * problem.size)),
      b_(arena.make<float>(elements_of(problem, layout.block.columns).size() * problem.size)),
      c_(arena.make<float>(elements_in(problem, layout.block))),
      strips_(growing_strips(problem, layout.block, height)),
      brought_(device_.make_event()),
      complete_(device_.make_event()),
      copying_in_(make_transfer_stream(arena, "copy in")),
      copying_out_(make_transfer_stream(arena, "copy out")) {}

void InCoreProduct::run(device::Stream& stream) {
    copied_ = {};
    Corner corner;
    for (const Strip& strip : strips_) {
        for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
            bring(strip, corner, inner);
            stream.wait(*brought_);
            multiply(strip, inner, stream);
        }
        corner = {std::max(corner.rows, strip.rows.end),
                  std::max(corner.columns, strip.columns.end)};
    }
    copying_in_->synchronize();
    stream.synchronize();
    copying_out_->synchronize();
}

void InCoreProduct::bring(const Strip& strip, const Corner& corner, std::int64_t inner) {
    if (strip.rows.end > corner.rows) {
        const std::int64_t width = problem_.extent(inner);
        copy_in(inputs_.a_rows(inner).part(strip.rows.begin * width, strip.rows.size() * width),
                a_of(strip.rows, inner));
    }
    if (strip.columns.end > corner.columns) {
        const std::int64_t column = strip.columns.end - 1;
        copy_in(inputs_.tile(Operand::b, {inner, block_.columns.begin + column}),
                b_of(inner, column));
    }
    copying_in_->record(*brought_);
}

void InCoreProduct::copy_in(device::View<const float> from, device::View<float> to) {
    device_.copy(as_bytes(from), as_bytes(to), *copying_in_);
    copied_.read = copied_.read + from.bytes();
}

// The products of one inner index. A column of C is copied out once the last of them has been
// added.
void InCoreProduct::multiply(const Strip& strip, std::int64_t inner, device::Stream& stream) {
    for (std::int64_t column = strip.columns.begin; column < strip.columns.end; ++column) {
        device_.blas().gemm({strip.rows.size(), problem_.extent(block_.columns.begin + column),
                             problem_.extent(inner)},
                            a_of(strip.rows, inner), b_of(inner, column), c_of(strip.rows, column),
                            inner == 0 ? device::Update::replace : device::Update::accumulate,
                            stream);
        if (inner == problem_.tiles() - 1) {
            store(strip.rows, column, stream);
        }
    }
}

void InCoreProduct::store(const Range& rows, std::int64_t column, device::Stream& stream) {
    const device::View<const float> from = c_of(rows, column);
    const std::int64_t width = problem_.extent(block_.columns.begin + column);
    const auto to =
        results_.column(block_.columns.begin + column).part(rows.begin * width, from.size());
    stream.record(*complete_);
    copying_out_->wait(*complete_);
    device_.copy(as_bytes(from), as_bytes(to), *copying_out_);
    copied_.written = copied_.written + from.bytes();
}

device::View<float> InCoreProduct::a_of(const Range& rows, std::int64_t inner) {
    const std::int64_t width = problem_.extent(inner);
    return a_.view().part(rows_ * problem_.begin(inner) + rows.begin * width, rows.size() * width);
}

device::View<float> InCoreProduct::b_of(std::int64_t inner, std::int64_t column) {
    const std::int64_t left =
        problem_.begin(block_.columns.begin + column) - problem_.begin(block_.columns.begin);
    const std::int64_t width = problem_.extent(block_.columns.begin + column);
    return b_.view().part(problem_.size * left + problem_.begin(inner) * width,
                          problem_.extent(inner) * width);
}

device::View<float> InCoreProduct::c_of(const Range& rows, std::int64_t column) {
    const TileIndex top{block_.rows.begin, block_.columns.begin + column};
    const std::int64_t width = problem_.extent(top.column);
    return c_.view().part(offset_in_block(problem_, block_, top) + rows.begin * width,
                          rows.size() * width);
}

std::string InCoreProduct::note() const {
    return fmt::format("A, B and C on the GPU, strips of {} rows", std::min(height_, rows_));
}

bench::Details InCoreProduct::details(const comm::Communicator& world) const {
    return traffic_of_all(world, {.on_gpu = true}, {}, copied_);
}

namespace {

LimitPlan::Copies copies_of(const Traffic& traffic) {
    return {static_cast<double>(traffic.read.value), static_cast<double>(traffic.written.value)};
}

// plan_bounded() fills in its bytes later: its plan depends on the memory that the probes take.
LimitPlan limit_of(const CaseContext& context) {
    LimitPlan limit{.sgemm = sgemm_limit(context, context.session.world().size())};
    if (context.on_gpu()) {
        limit.copies = copies_of(least_traffic(context.problem, context.block()));
    }
    if (context.options.data.in_files()) {
        limit.storage = storage_limit(context, context.block(), 0);
    }
    return limit;
}

// The plan of each level of memory. Throws UsageError, on all ranks alike. Collective.
PanelPlan plan_levels(const CaseContext& context, const LimitPlan& limit, Bytes workspace) {
    bench::Session& session = context.session;
    const device::MemoryNeeds besides = needs_besides(context, context.block(), limit);
    const MemoryBudget on_host{allowed_memory(session), besides.host};
    PanelPlan plan;
    comm::agree<UsageError>(session.world(), [&] {
        if (!context.on_gpu()) {
            plan = plan_host(context.problem, context.block(), on_host);
            return;
        }
        const MemoryBudget on_gpu{allowed_device_memory(session), workspace + besides.device};
        plan = plan_device(context.problem, context.block(), on_gpu,
                           context.options.data.in_files() ? std::optional(on_host) : std::nullopt);
    });
    return plan;
}

OperandLayout layout_in_memory(const CaseContext& context) {
    const comm::TransportTraits& transport =
        context.session.registry().traits(context.variant.transport);
    return {context.problem, context.blocks, context.rank(), context.session.topology(),
            context.on_gpu() ? OperandCopies::per_rank : copies_over(transport)};
}

ProductPlan plan_resident(const CaseContext& context) {
    ProductPlan plan{.block = context.block(), .limit = limit_of(context)};
    plan.make = [context, layout = layout_in_memory(context)](device::Arena& arena,
                                                              const ProductFiles&) {
        return std::make_unique<ResidentProduct>(arena, context.problem, layout,
                                                 context.session.topology().node());
    };
    return plan;
}

// Nothing if the memory of any rank's GPU does not hold A, B and C. Collective.
std::optional<ProductPlan> plan_in_core(const CaseContext& context, bench::PlannedCase& planned) {
    bench::Session& session = context.session;
    ProductPlan plan{.block = context.block(), .limit = limit_of(context)};
    // The height of strips is a quarter of a tile, but enough to keep a large GPU busy: fewer
    // elements of C leave some of its multiprocessors idle.
    constexpr std::int64_t enough = std::int64_t{1} << 21;
    const std::int64_t tile = context.problem.tile;
    const std::int64_t height = std::max(divide_up(tile, 4), divide_up(enough, tile));
    plan.make = [context, height, layout = layout_in_memory(context)](device::Arena& arena,
                                                                      const ProductFiles&) {
        arena.reserve(arena.device().blas().workspace(), device::MemoryKind::device);
        return std::make_unique<InCoreProduct>(arena, context.problem, layout, height,
                                               context.session.topology().node());
    };
    device::Arena arena(session.device(), device::Arena::Mode::plan);
    plan.make(arena, {});
    const device::MemoryNeeds all = arena.needs() + needs_besides(context, plan.block, plan.limit);
    if (!session.world().all(all.device <= allowed_device_memory(session))) {
        return std::nullopt;
    }
    const Traffic traffic = least_traffic(context.problem, plan.block);
    planned.plan_note = fmt::format("A, B and C on the GPU; a rank copies {} in and {} out",
                                    to_string(traffic.read), to_string(traffic.written));
    return plan;
}

ProductPlan plan_bounded(const CaseContext& context, bench::PlannedCase& planned) {
    ProductPlan plan{.block = context.block(), .limit = limit_of(context)};
    const Bytes workspace = context.session.device().blas().workspace();
    const PanelPlan bounded = plan_levels(context, plan.limit, workspace);
    planned.plan_note = describe(bounded);
    if (bounded.places.on_gpu) {
        plan.limit.copies = copies_of(bounded.traffic);
    }
    std::optional<OperandLayout> layout;
    if (bounded.places.in_files) {
        const Bytes moved = bounded.traffic.sum();
        planned.work.bytes = {static_cast<std::int64_t>(
            context.session.world().sum(static_cast<double>(moved.value)))};
        planned.traffic = 2 * moved;  // to the page cache and from there
        plan.limit.storage->bytes = static_cast<double>(bounded.best.value);
    } else {
        layout = layout_in_memory(context);
    }
    plan.make = [=](device::Arena& arena, const ProductFiles& files) {
        arena.reserve(workspace, device::MemoryKind::device);
        auto inputs = layout ? std::make_unique<HostInputs>(arena, context.problem, *layout,
                                                            context.session.topology().node())
                             : nullptr;
        return std::make_unique<PanelProduct>(arena, context.problem, context.block(), bounded,
                                              files, std::move(inputs));
    };
    return plan;
}

}  // namespace

ProductPlan plan_native_product(const CaseContext& context, bench::PlannedCase& planned) {
    add_tile_factors(context, planned.name);
    add_memory_factors(context, planned.name);
    const bool in_files = context.options.data.in_files();
    if (context.on_gpu() && !in_files) {
        if (auto plan = plan_in_core(context, planned)) {
            return *plan;
        }
    }
    return context.on_gpu() || in_files ? plan_bounded(context, planned) : plan_resident(context);
}

}  // namespace quartet::matmul
