"""The parts of quartet gpu that measure: one for each kernel."""

from quartet.text import slug
from quartet_dev.gpu.kernels import ON_GPU
from quartet_dev.gpu.steps import Place, Step


def measurement_steps(place: Place, name: str) -> list[Step]:
    steps = []
    for benchmark in ON_GPU[name].benchmarks:
        document = f"{slug(benchmark.title)}.json"
        arguments = benchmark.small if place.small else benchmark.arguments
        folder = place.scratch / slug(f"{benchmark.title} {' '.join(arguments)}")
        data = ("--data", folder, "--generate") if benchmark.files else ()
        command = place.launch(benchmark.ranks, place.program(name), "--device", "cuda", *arguments,
                               *data, "--progress", "on", "--force", "--json",
                               place.logs / document)
        steps.append(Step(name, benchmark.title, command, benchmark.seconds, place.logs / document,
                          place.documents / document, place.cores_for(benchmark.ranks)))
    return steps
