#include "device/host/runtime/require_host.hpp"
#include "device/model/model_linear_algebra.hpp"

namespace quartet::device {

namespace {

/// A share without elements: only how many bytes a product would read of it is known.
class ModelMatrixShare final : public MatrixShare {
  public:
    ModelMatrixShare(const ModelWork& work, double bytes, std::int64_t columns, std::int64_t rows)
        : work_(work), bytes_(bytes), columns_(columns), rows_(rows) {}

    void fill(const ReadRow& /*read_row*/) override {}
    void multiply(View<const double> x, View<double> y, Stream& stream) override {
        require_host(x, columns_, "a product: x has another size");
        require_host(y, rows_, "a product: y has another size");
        ModelWork::enqueue(work_.traffic(bytes_), "multiply", stream);
    }
    void visit(const VisitRow& /*visit_row*/) const override {}
    [[nodiscard]] View<const double> storage() const override { return {}; }

  private:
    const ModelWork& work_;
    double bytes_;
    std::int64_t columns_;
    std::int64_t rows_;
};

class ModelMatrixFactory final : public MatrixFactory {
  public:
    explicit ModelMatrixFactory(const ModelWork& work) : work_(work) {}

    std::unique_ptr<MatrixShare> make_matrix(const RowBlock& block) override {
        const double elements = static_cast<double>(matrix_elements(block.rows, block.columns));
        return std::make_unique<ModelMatrixShare>(work_, element_bytes * elements, block.columns,
                                                  block.rows);
    }
    std::unique_ptr<MatrixShare> make_matrix(const TrianglePart& part) override {
        check(part.size >= 0 && part.parts > 0, "no part of a triangle");
        const auto size = static_cast<double>(part.size);
        const double elements = size * (size + 1) / 2 / part.parts;
        return std::make_unique<ModelMatrixShare>(work_, element_bytes * elements, part.size,
                                                  part.size);
    }
    [[nodiscard]] Bytes matrix_memory(const RowBlock& /*block*/) const override { return {}; }
    [[nodiscard]] Bytes matrix_memory(const TrianglePart& /*part*/) const override { return {}; }

  private:
    static constexpr double element_bytes = 8;

    const ModelWork& work_;
};

}  // namespace

std::unique_ptr<MatrixFactory> make_model_matrix_factory(const ModelWork& work) {
    return std::make_unique<ModelMatrixFactory>(work);
}

}  // namespace quartet::device
