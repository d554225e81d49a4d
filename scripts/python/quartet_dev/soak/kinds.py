"""What is tried, in which shares."""

from quartet_dev.soak import full_disks, kept_tiles, kills, pairs, signals
from quartet_dev.soak.plan import Kind

KINDS = (Kind("kills", 3, kills.disturb), Kind("tiles", 2, kept_tiles.disturb), Kind("signals", 4, signals.stop),
         Kind("pauses", 2, signals.pause), Kind("disks", 1, full_disks.disturb, needs_mounts=True),
         Kind("pairs", 2, pairs.disturb))
