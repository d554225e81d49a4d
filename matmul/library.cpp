#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "matmul/plan.hpp"
#include "system/parallel_for.hpp"

// Declares the functions of ScaLAPACK 2 that are used, since it has no header. They are described
// in its users' guide (Blackford et al., 1997); BLACS is called by its C interface.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the library's names
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridexit(int context);
void descinit_(int* descriptor, const int* rows, const int* columns, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column,
               const int* context, const int* leading_dimension, int* info);
int numroc_(const int* size, const int* block, const int* process, const int* first,
            const int* processes);
void psgemm_(const char* transpose_a, const char* transpose_b, const int* rows, const int* columns,
             const int* inner, const float* alpha, const float* a, const int* a_row,
             const int* a_column, const int* a_descriptor, const float* b, const int* b_row,
             const int* b_column, const int* b_descriptor, const float* beta, float* c,
             const int* c_row, const int* c_column, const int* c_descriptor);
void Cpsgemr2d(int rows, int columns, float* from, int from_row, int from_column,
               int* from_descriptor, float* to, int to_row, int to_column, int* to_descriptor,
               int context);
// NOLINTEND(readability-identifier-naming)
}

namespace quartet::matmul {

namespace {

/// Elements of all ranks that are redistributed at a time, which bounds the library's own memory.
constexpr std::int64_t redistributed_at_a_time = std::int64_t{1} << 26;

/// ScaLAPACK's description of an array.
using Descriptor = std::array<int, 9>;

/// A communicator as BLACS knows it.
class BlacsSystem {
  public:
    explicit BlacsSystem(MPI_Comm comm) : handle_(Csys2blacs_handle(comm)) {}
    ~BlacsSystem() { Cfree_blacs_system_handle(handle_); }
    BlacsSystem(const BlacsSystem&) = delete;
    BlacsSystem& operator=(const BlacsSystem&) = delete;
    [[nodiscard]] int handle() const { return handle_; }

  private:
    int handle_;
};

/// All ranks of a system in a grid; rank r at row r % rows, column r / rows. Collective.
class BlacsGrid {
  public:
    BlacsGrid(const BlacsSystem& system, int rows, int columns) : context_(system.handle()) {
        Cblacs_gridinit(&context_, "Column", rows, columns);
    }
    ~BlacsGrid() { Cblacs_gridexit(context_); }
    BlacsGrid(const BlacsGrid&) = delete;
    BlacsGrid& operator=(const BlacsGrid&) = delete;
    [[nodiscard]] int context() const { return context_; }

  private:
    int context_;
};

// Describes a square matrix of that size in a grid. Throws Failure if ScaLAPACK refuses it.
Descriptor describe(std::int64_t size, std::int64_t row_block, std::int64_t column_block,
                    const BlacsGrid& grid, std::int64_t leading_dimension) {
    const auto n = static_cast<int>(size);
    const auto rows = static_cast<int>(row_block);
    const auto columns = static_cast<int>(column_block);
    const auto leading = static_cast<int>(std::max<std::int64_t>(leading_dimension, 1));
    const int first = 0;
    const int context = grid.context();
    Descriptor descriptor{};
    int info = 0;
    descinit_(descriptor.data(), &n, &n, &rows, &columns, &first, &first, &context, &leading,
              &info);
    check(info == 0, "ScaLAPACK does not take this distribution");
    return descriptor;
}

// C = A B of row-major matrices, which are transposes to ScaLAPACK: C^T = B^T A^T.
void multiply(std::int64_t size, const float* a, const float* b, float* c,
              const Descriptor& descriptor) {
    const auto n = static_cast<int>(size);
    const int first = 1;
    const float one = 1;
    const float zero = 0;
    psgemm_("N", "N", &n, &n, &n, &one, b, &first, &first, descriptor.data(), a, &first, &first,
            descriptor.data(), &zero, c, &first, &first, descriptor.data());
}

/// ScaLAPACK's two-dimensional block-cyclic distribution of a square matrix (Blackford et al.,
/// 1997): square blocks of 128, or one for each rank of smaller matrices, over the process grid
/// nearest to a square. Rank r is at row r / columns, column r % columns of the grid. A rank's
/// blocks make up one matrix, row-major.
struct BlockCyclic {
    BlockCyclic(std::int64_t edge, int ranks) : size(edge) {
        for (int divisor = 1; divisor * divisor <= ranks; ++divisor) {
            if (ranks % divisor == 0) {
                grid_rows = divisor;
            }
        }
        grid_columns = ranks / grid_rows;
        block = std::min<std::int64_t>(128, divide_up(size, grid_columns));
    }

    /// Columns of a rank's matrix.
    [[nodiscard]] std::int64_t width(int rank) const {
        return extent(rank % grid_columns, grid_columns);
    }
    /// Elements of the rank that has most: the first one.
    [[nodiscard]] std::int64_t most_elements() const {
        return extent(0, grid_rows) * extent(0, grid_columns);
    }

    std::int64_t size;
    std::int64_t block;
    int grid_rows = 1;
    int grid_columns = 1;

  private:
    [[nodiscard]] std::int64_t extent(int process, int processes) const {
        const auto n = static_cast<int>(size);
        const auto edge = static_cast<int>(block);
        const int first = 0;
        return numroc_(&n, &edge, &process, &first, &processes);
    }
};

// Whole rows of tiles, as evenly as possible: a rank's part of what is read, written and checked.
Block strip_of(const Problem& problem, int ranks, int rank) {
    const std::int64_t height = divide_up(problem.tiles(), ranks);
    const std::int64_t begin = std::min(rank * height, problem.tiles());
    return {{begin, std::min(begin + height, problem.tiles())}, {0, problem.tiles()}};
}

std::string library_of(const char* function) {
    Dl_info info{};
    void* const address = ::dlsym(RTLD_DEFAULT, function);
    const bool found = address != nullptr && ::dladdr(address, &info) != 0;
    return found ? std::filesystem::path(info.dli_fname).filename().string() : "a static library";
}

// ScaLAPACK may be linked with another BLAS than native, but the program's is found first.
std::string describe_blas() {
    const std::string theirs = library_of("sgemm_");
    const std::string ours = library_of("cblas_sgemm");
    return theirs == ours ? fmt::format("the same BLAS as native ({})", ours)
                          : fmt::format("its BLAS is {}, native's is {}", theirs, ours);
}

/// ScaLAPACK's psgemm over all ranks. A rank makes or reads its strip of A and B, whole tile rows,
/// which is redistributed to the blocks; C goes the other way. With tiles in files that is a part
/// of the run, else of set_up() and collect().
class LibraryProduct final : public Product {
  public:
    LibraryProduct(device::Arena& arena, const CaseContext& context, const ProductFiles& files);

    void set_up() override;
    void prepare() override;
    void run(device::Stream& stream) override;
    void collect() override {
        if (!files_) {  // else the files have the result
            redistribute(c_.span(), Way::to_strips);
        }
    }
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override {
        return files_ ? from_file("C", tile) : tile_of_strip(tile);
    }
    [[nodiscard]] std::string note() const override;

  private:
    enum class Way { to_blocks, to_strips };
    void redistribute(std::span<float> blocks, Way way);
    void load(Operand operand, std::span<float> blocks);
    /// A row of a tile within the strip.
    [[nodiscard]] std::span<float> line(TileIndex tile, std::int64_t number);
    [[nodiscard]] std::span<const float> tile_of_strip(TileIndex tile);
    [[nodiscard]] std::span<const float> from_file(std::string_view matrix, TileIndex tile) {
        return files_->read(matrix, tile, slot_.slot(0).span());
    }

    Problem problem_;
    const comm::Communicator& world_;
    int threads_;
    Block mine_;                                ///< the strip
    std::shared_ptr<const MatrixFiles> files_;  ///< null if A and B are in memory
    BlockCyclic distribution_;
    device::Buffer<float> a_;
    device::Buffer<float> b_;
    device::Buffer<float> c_;
    device::Buffer<float> strip_;  ///< of C for the check, of A and B before; row-major
    FileSlots slot_;
    std::vector<float> tile_;
    std::optional<ResultFiles> results_;

    // Made by set_up():
    std::optional<BlacsSystem> system_;
    std::optional<BlacsGrid> grid_;  ///< transposed, as ScaLAPACK sees the matrices
    std::optional<BlacsGrid> strips_;
    Descriptor descriptor_{};
};

// Reserves the most that ScaLAPACK itself takes: panels of psgemm, buffers of redistribution.
LibraryProduct::LibraryProduct(device::Arena& arena, const CaseContext& context,
                               const ProductFiles& files)
    : problem_(context.problem),
      world_(context.session.world()),
      threads_(context.session.threads()),
      mine_(strip_of(problem_, world_.size(), world_.rank())),
      files_(files.matrices),
      distribution_(problem_.size, world_.size()),
      a_(arena.make<float>(distribution_.most_elements())),
      b_(arena.make<float>(a_.size())),
      c_(arena.make<float>(a_.size())),
      strip_(arena.make<float>(std::max<std::int64_t>(elements_in(problem_, mine_), 1))),
      slot_(arena, problem_, context.options.data.in_files() ? 1 : 0),
      tile_(arena.make_vector<float>(problem_.elements({}))) {
    const std::int64_t redistributed =
        std::min(problem_.size * problem_.size, std::max(redistributed_at_a_time, problem_.size));
    arena.reserve(bytes_of<float>(a_.size() + 2 * redistributed));
    if (files_) {
        results_.emplace(mine_, files);
    }
}

void LibraryProduct::set_up() {
    system_.emplace(world_.handle());
    grid_.emplace(*system_, distribution_.grid_columns, distribution_.grid_rows);
    strips_.emplace(*system_, 1, world_.size());
    descriptor_ = describe(problem_.size, distribution_.block, distribution_.block, *grid_,
                           distribution_.width(world_.rank()));
    std::ranges::fill(c_.span(), 0.5F);
    if (!files_) {
        load(Operand::a, a_.span());
        load(Operand::b, b_.span());
    }
}

void LibraryProduct::prepare() {
    if (files_) {
        results_->prepare();
        files_->forget_inputs(mine_);
    }
}

void LibraryProduct::run(device::Stream& stream) {
    if (files_) {
        const Span span(stream.track(), Phase::read, "strips of A and B");
        load(Operand::a, a_.span());
        load(Operand::b, b_.span());
    }
    {
        const Span span(stream.track(), Phase::compute, "psgemm");
        multiply(problem_.size, a_.span().data(), b_.span().data(), c_.span().data(), descriptor_);
    }
    if (files_) {
        const Span span(stream.track(), Phase::copy_out, "strip of C");
        redistribute(c_.span(), Way::to_strips);
        for_each_tile(mine_, [&](TileIndex tile) { files_->write(tile, tile_of_strip(tile)); });
    }
}

// Moves all strips to the blocks or back, a few rows at a time, which are counted from 1.
void LibraryProduct::redistribute(std::span<float> blocks, Way way) {
    const auto size = static_cast<int>(problem_.size);
    const std::int64_t height =
        elements_of(problem_, strip_of(problem_, world_.size(), 0).rows).size();
    Descriptor strips = describe(problem_.size, problem_.size, height, *strips_, problem_.size);
    float* const strip = strip_.span().data();
    const int most = static_cast<int>(std::max<std::int64_t>(redistributed_at_a_time / size, 1));
    for (int first = 1; first <= size; first += most) {
        const int rows = std::min(most, size - first + 1);
        if (way == Way::to_blocks) {
            Cpsgemr2d(size, rows, strip, 1, first, strips.data(), blocks.data(), 1, first,
                      descriptor_.data(), grid_->context());
        } else {
            Cpsgemr2d(size, rows, blocks.data(), 1, first, descriptor_.data(), strip, 1, first,
                      strips.data(), grid_->context());
        }
    }
}

// Reads or makes this rank's strip, then redistributes all strips to the blocks.
void LibraryProduct::load(Operand operand, std::span<float> blocks) {
    if (files_) {
        for_each_tile(mine_, [&](TileIndex tile) {
            auto elements = from_file(name(operand), tile);
            for (std::int64_t number = 0; number < problem_.extent(tile.row); ++number) {
                const auto target = line(tile, number);
                std::ranges::copy(elements.first(target.size()), target.begin());
                elements = elements.subspan(target.size());
            }
        });
    } else {
        const Problem untiled{problem_.size, problem_.size, problem_.seed};
        const Range rows = elements_of(problem_, mine_.rows);
        const auto width = static_cast<std::size_t>(problem_.size);
        system::parallel_for(threads_, rows.size(), [&](std::int64_t row) {
            fill_rows(untiled, name(operand), rows.begin + row, 1, 0,
                      strip_.span().subspan(static_cast<std::size_t>(row) * width, width));
        });
    }
    redistribute(blocks, Way::to_blocks);
}

std::span<float> LibraryProduct::line(TileIndex tile, std::int64_t number) {
    const std::int64_t above = elements_of(problem_, {mine_.rows.begin, tile.row}).size();
    const std::int64_t begin = (above + number) * problem_.size + problem_.begin(tile.column);
    return strip_.span().subspan(static_cast<std::size_t>(begin),
                                 static_cast<std::size_t>(problem_.extent(tile.column)));
}

std::span<const float> LibraryProduct::tile_of_strip(TileIndex tile) {
    auto target = tile_.begin();
    for (std::int64_t number = 0; number < problem_.extent(tile.row); ++number) {
        target = std::ranges::copy(line(tile, number), target).out;
    }
    return std::span(tile_).first(static_cast<std::size_t>(problem_.elements(tile)));
}

std::span<const float> LibraryProduct::input(Operand operand, TileIndex tile) {
    if (files_) {
        return from_file(name(operand), tile);
    }
    const auto elements = std::span(tile_).first(static_cast<std::size_t>(problem_.elements(tile)));
    fill_tile(problem_, name(operand), tile, elements);
    return elements;
}

std::string LibraryProduct::note() const {
    return fmt::format(
        "ScaLAPACK psgemm ({}); block-cyclic, blocks of {}, {} x {} process grid; {}",
        library_of("psgemm_"), distribution_.block, distribution_.grid_rows,
        distribution_.grid_columns, describe_blas());
}

}  // namespace

// A row's name has a tile only if tiles are files: in memory only the check has tiles.
ProductPlan plan_library_product(const CaseContext& context, bench::PlannedCase& planned) {
    const int ranks = context.session.world().size();
    const bool in_files = context.options.data.in_files();
    ProductPlan plan{
        .block = strip_of(context.problem, ranks, context.rank()),
        .limit = {.sgemm = {.edge = host_sgemm_edge(context.problem), .computing_ranks = ranks}}};
    if (in_files) {
        add_tile_factors(context, planned.name);
        // A rank reads its strips of A and B, and writes that of C, once.
        const Bytes strip = bytes_of<float>(elements_in(context.problem, plan.block));
        plan.limit.storage =
            storage_limit(context, plan.block, 3 * static_cast<double>(strip.value));
    }
    // On this rank alone. ScaLAPACK may call another BLAS than native does.
    plan.multiply = [](std::int64_t edge, device::View<const float> a, device::View<const float> b,
                       device::View<float> c) {
        const BlacsSystem system(MPI_COMM_SELF);
        const BlacsGrid grid(system, 1, 1);
        multiply(edge, a.data(), b.data(), c.data(), describe(edge, edge, edge, grid, edge));
    };
    plan.make = [context, ranks](device::Arena& arena, const ProductFiles& files) {
        const Problem& problem = context.problem;
        const std::int64_t most = std::max(BlockCyclic(problem.size, ranks).most_elements(),
                                           elements_in(problem, strip_of(problem, ranks, 0)));
        if (most > std::numeric_limits<int>::max()) {
            throw Unavailable(fmt::format(
                "ScaLAPACK cannot multiply matrices of {} x {} on {} ranks (it counts a rank's "
                "elements in 32 bits): use more ranks or the native formulation",
                problem.size, problem.size, ranks));
        }
        return std::make_unique<LibraryProduct>(arena, context, files);
    };
    return plan;
}

}  // namespace quartet::matmul
