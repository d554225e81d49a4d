"""Results that others may compare with: reviewed, without names of hosts and people, with checksums."""
