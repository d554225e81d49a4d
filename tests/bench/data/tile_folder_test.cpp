#include "bench/data/tile_folder.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <optional>
#include <vector>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A folder that all ranks see, with seven files of different lengths.
class TileFolderTest : public testing::Test {
  protected:
    void SetUp() override {
        if (world.rank() == 0) {
            temporary.emplace();
        }
        path = world.broadcast(world.rank() == 0 ? (temporary->path() / "data").string() : "", 0);
        for (std::int64_t index = 0; index < 7; ++index) {
            files.push_back({block_file("x", index), {index + 1, 3}});
        }
    }
    void TearDown() override { world.barrier(); }

    [[nodiscard]] TileFolder<double> folder(std::uint64_t seed = 1) const {
        Manifest wanted;
        wanted.kernel = "test";
        wanted.seed = seed;
        wanted.shape = {28, 3};
        wanted.order = "row-major";
        return {path, wanted, files};
    }

    /// Makes the data; how many files that took, all ranks together.
    int generate(const TileFolder<double>& data) {
        int filled = 0;
        data.generate(world, topology, [&](const TileFile& file, std::span<double> elements) {
            std::ranges::fill(elements, static_cast<double>(file.shape[0]));
            ++filled;
        });
        return static_cast<int>(world.sum(filled));
    }

    /// Does something to the folder, on one rank.
    template <typename Change>
    void once(Change change) {
        world.barrier();
        if (world.rank() == 0) {
            change();
        }
        world.barrier();
    }

    /// The complaint of all ranks; empty if there is none.
    std::string complaint_of_verify(const TileFolder<double>& data) {
        std::string complaint;
        try {
            data.verify(world, topology);
        } catch (const UsageError& error) {
            complaint = error.what();
        }
        EXPECT_EQ(world.gather(complaint),
                  std::vector<std::string>(static_cast<std::size_t>(world.size()), complaint));
        return complaint;
    }

    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    std::optional<TemporaryFolder> temporary;
    std::filesystem::path path;
    std::vector<TileFile> files;
};

TEST_F(TileFolderTest, EachFileIsMadeOnceAndHoldsWhatWasAskedFor) {
    const auto data = folder();
    EXPECT_EQ(generate(data), 7);
    for (const TileFile& file : files) {
        std::vector<double> elements(static_cast<std::size_t>(3 * file.shape[0]));
        read_npy<double>(data.path_of(file.name), file.shape, elements);
        EXPECT_EQ(elements.back(), static_cast<double>(file.shape[0])) << file.name;
    }
    EXPECT_NO_THROW(data.require_usable(Switch::off));
    EXPECT_EQ(complaint_of_verify(data), "");
    EXPECT_EQ(data.size(), bytes_of<double>(3 * 28));
    EXPECT_EQ(std::ssize(read_manifest(path).checksums), 7);
    world.barrier();
}

TEST_F(TileFolderTest, OnlyWhatIsMissingOrWrongIsMadeAgain) {
    const auto data = folder();
    generate(data);
    EXPECT_EQ(generate(data), 0);
    once([&] {
        std::filesystem::remove(data.path_of("x-2.npy"));
        std::filesystem::resize_file(data.path_of("x-4.npy"), 100);
    });
    EXPECT_EQ(generate(data), 2);
    EXPECT_EQ(complaint_of_verify(data), "");
}

TEST_F(TileFolderTest, AlteredAndTruncatedFilesAreNamed) {
    const auto data = folder();
    generate(data);
    once([&] {
        std::fstream file(data.path_of("x-3.npy"), std::ios::in | std::ios::out);
        file.seekp(-1, std::ios::end);
        file.put('!');
    });
    EXPECT_THAT(complaint_of_verify(data), AllOf(HasSubstr("x-3.npy"), HasSubstr("checksum")));
    EXPECT_EQ(generate(data), 1);
    once([&] { std::filesystem::resize_file(data.path_of("x-5.npy"), 200); });
    EXPECT_THAT(complaint_of_verify(data), HasSubstr("x-5.npy"));
}

TEST_F(TileFolderTest, RefusesWhatIsNotThereOrIsOtherData) {
    const auto data = folder();
    EXPECT_THAT(message_of<UsageError>([&] { data.require_usable(Switch::off); }),
                AllOf(HasSubstr("manifest.json"), HasSubstr("--generate")));
    EXPECT_NO_THROW(data.require_usable(Switch::on));
    generate(data);
    EXPECT_THAT(message_of<UsageError>([&] { folder(2).require_usable(Switch::on); }),
                HasSubstr("seed"));
    once([&] { std::filesystem::remove(data.path_of("x-0.npy")); });
    EXPECT_THAT(message_of<UsageError>([&] { data.require_usable(Switch::off); }),
                HasSubstr("x-0.npy"));
    once([&] {
        std::filesystem::remove_all(path);
        std::ofstream(path) << "a file";
    });
    EXPECT_THAT(message_of<UsageError>([&] { data.require_usable(Switch::on); }),
                HasSubstr("not a folder"));
    world.barrier();
}

TEST_F(TileFolderTest, NeverUsesOrReplacesFilesWithoutAManifest) {
    const auto data = folder();
    once([&] {
        std::filesystem::create_directories(path);
        for (const TileFile& file : files) {
            write_npy<double>(path / file.name, file.shape,
                              std::vector(static_cast<std::size_t>(3 * file.shape[0]), 1.0));
        }
    });
    EXPECT_THAT(message_of<UsageError>([&] { data.require_usable(Switch::off); }),
                AllOf(HasSubstr("has no manifest.json"), HasSubstr("--generate")));
    EXPECT_THAT(message_of<UsageError>([&] { data.require_usable(Switch::on); }),
                AllOf(HasSubstr("x-0.npy"), HasSubstr("name another folder")));
    world.barrier();
}

}  // namespace
}  // namespace quartet::bench
