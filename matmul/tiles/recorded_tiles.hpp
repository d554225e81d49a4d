#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "matmul/product.hpp"

namespace quartet::matmul {

/// Tiles of A and B as files have them, each compared with the manifest's checksum when it is read:
/// what the check of a product expects then comes from sound input. Where there is no manifest
/// nothing is compared.
class RecordedTiles final : public RankTiles {
  public:
    /// Reads the manifest, if there is one. `tiles` is borrowed. Throws Failure. Local.
    RecordedTiles(std::filesystem::path folder, RankTiles& tiles);

    /// Throws Failure that names the file where its elements are not the recorded ones.
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override { return tiles_.result(tile); }
    [[nodiscard]] bool owns(TileIndex tile) const override { return tiles_.owns(tile); }

  private:
    std::filesystem::path folder_;
    RankTiles& tiles_;
    std::map<std::string, std::uint64_t> checksums_;
};

}  // namespace quartet::matmul
