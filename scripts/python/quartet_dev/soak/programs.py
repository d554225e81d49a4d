"""Small cases of the four programs: milliseconds each."""

SMALL = {"stream": "--sizes 64KiB --pushes 3", "matmul": "--size 96 --tile 32",
         "cg": "--size 100 --iterations 5", "fft": "--size 4096 --tiles 64"}
LONGER = {"stream": "--sizes 4MiB --pushes 20", "matmul": "--size 512 --tile 128",
          "cg": "--size 600 --iterations 100", "fft": "--size 2^18 --tiles 64"}  # tens of milliseconds
ENDLESS = 10000  # runs
