"""The result of a check of nodes: outliers and failures; and its table."""

import itertools
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Optional

from quartet.exit_codes import VERIFIED, WRONG_RESULT
from quartet.nodes.plan import LONGEST, PAIR
from quartet.results import grouped
from quartet.results.reference import (
    LEAST_VALUES,
    LOOSE,
    UNLIKELY,
    RateScores,
    Reference,
    ReferenceRate,
    score_rates,
    slow,
)
from quartet.sweep.folder import SweepFolder, judged_launches, launches
from quartet.text import ABOVE_LIMIT, DISTRUSTED, aligned, counted, listed, rate, widths_of, wrapped

NETWORK = "network"  # a node's best pair
FALSE_ALARMS = 0.05  # share of checks of equally fast nodes that name a node; of the whole check
HEADINGS = ("node", "what", "rate", "median", "below", "score")
SHOWN = 20  # of failures, and of names
TEXT = (0, 1)  # columns


class Rated(NamedTuple):
    """The rate of the best launch."""

    rate: float
    mark: str
    is_disturbed: bool = False  # as all other launches were


@dataclass(frozen=True)
class Outlier:
    """A node or a pair that is slow."""

    who: str
    what: str
    rated: Rated
    median: float  # of all nodes, or of the reference
    share: float  # below the median
    score: Optional[float] = None  # in robust deviations; None beside a reference


@dataclass
class Measurement:
    """The rates of one benchmark on all nodes, or pairs."""

    what: str
    unit: str
    rates: dict[str, Rated]
    known: dict[str, ReferenceRate] = field(default_factory=dict)  # the reference of each
    scores: Optional[RateScores] = None  # None if there are too few
    most_loss: float = LOOSE  # if a node might have lost more, nothing is decided
    detectable_loss: float = 1.0  # any node that had lost this share or more would be named, but much faster ones
    unnoticed: dict[str, float] = field(default_factory=dict)  # and theirs, of those without a reference
    has_slow: bool = False
    odd: list[str] = field(default_factory=list)  # nodes of another kind than those compared, without a reference
    no_reference: str = ""  # why the reference that was given says nothing of it
    left_out: list[str] = field(default_factory=list)  # of pairs: nodes whose network is slow
    is_of_other_kind: bool = False  # than most

    @property
    def tells(self) -> bool:
        """True of the nodes that it can compare."""
        return self.has_slow or self.detectable_loss <= self.most_loss or all(
            who in self.known and not self.known[who].is_loose for who in self.rates)


@dataclass
class CheckResult:
    measures: list[Measurement] = field(default_factory=list)
    slow: list[Outlier] = field(default_factory=list)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)  # reasons, by node and benchmark
    hidden: list[str] = field(default_factory=list)  # nodes whose pairs are all slow, as those of their partners are
    left: list[str] = field(default_factory=list)  # nodes and pairs of launches that were not run
    period: Optional[tuple[float, float]] = None  # of the launches, in seconds since 1970

    @property
    def disturbed(self) -> list[str]:
        """Nodes that may be slow only because all of their launches were disturbed."""
        return list(dict.fromkeys(one.who for one in self.slow if one.rated.is_disturbed and one.who not in self.named))

    @property
    def named(self) -> list[str]:
        return list(dict.fromkeys(one.who for one in self.slow if not one.rated.is_disturbed))

    @property
    def odd(self) -> list[str]:
        """Nodes, and pairs of others, with which too few are of a kind."""
        nodes = {who for one in self.measures if one.what not in (PAIR, NETWORK) for who in one.odd}
        return sorted({who for one in self.measures if one.what != NETWORK for who in one.odd
                       if who in nodes or nodes.isdisjoint(who.split(" - "))}, key=lambda who: (len(who), who))

    @property
    def is_decided(self) -> bool:
        return bool(self.named) or not self.disturbed and bool(self.measures) and all(
            one.tells and not (one.unnoticed or one.no_reference) for one in self.measures) and not self.odd


def evaluate(folder: SweepFolder, least: float, reference: Optional[Reference] = None) -> CheckResult:
    """Names what is at least the share `least` below the median, or below the bound of the reference."""
    found = CheckResult(period=folder.period())
    known: dict[tuple[str, str], ReferenceRate] = {}
    unknown: dict[str, str] = {}
    rates, units, kinds = _rates(folder, found, reference or Reference({}), known, unknown)
    measured = {host: kind for what in kinds if what != PAIR for host, kind in kinds[what].items()}
    usual = next(iter(Counter(measured.values()).most_common(1)), (None, 0))[0]
    kind_of = defaultdict(lambda: usual, measured)
    pairs = rates.pop(PAIR, {})
    share = FALSE_ALARMS / max(1, len(rates) + 2 * bool(pairs))
    for what, each in rates.items():
        measure = Measurement(what, units[what], {" ".join(hosts): rate for hosts, rate in each.items()},
                              no_reference=unknown.get(what, ""))
        _judge_kinds(found, measure, known, kind_of, share, least)
    # Processor time that others took explains slow links, unless a node was as fast as others in spite of it.
    by_itself, busy, slowed = found.named, {*found.disturbed}, {one.who for one in found.slow}
    fast = {host for each in rates.values() for (host,), rated in each.items() if rated.is_disturbed} - slowed
    pairs = {hosts: rated._replace(is_disturbed=rated.is_disturbed and (
        not busy.isdisjoint(hosts) or fast.isdisjoint(hosts))) for hosts, rated in pairs.items()}
    links: dict[str, dict[str, Rated]] = defaultdict(dict)  # of each node, by partner
    for (one, other), rated in pairs.items():
        links[one][other] = links[other][one] = rated
    best = {host: max(own.values()) for host, own in links.items()}
    kinds_of = {" - ".join(hosts): frozenset(map(kind_of.__getitem__, hosts)) for hosts in pairs}
    for host, own in links.items():  # of its best pairs the one with a partner of its own kind, if any
        near = [other for other, rated in own.items() if rated.rate > (1 - least) * best[host].rate]
        kinds_of[host] = min((frozenset((kind_of[host], kind_of[other])) for other in near), key=len)
    measure = Measurement(NETWORK, units.get(PAIR, ""), best, no_reference=unknown.get(PAIR, ""))
    _judge_kinds(found, measure, known, kinds_of, share, least)
    # A node whose pairs are all slow is named once, not with each pair, unless partners as slow may explain that.
    slow_hosts = {one.who for one in found.slow if one.what == NETWORK}
    faster = {host: {other for other in links[host] if (1 - least) * best[other].rate > best[host].rate}
              for host in slow_hosts}
    proved = {host for host in slow_hosts if host in by_itself or len(faster[host]) > 1 or faster[host] and len(
        links[host]) > 1 and not any(faster.get(other) for other in links[host])}
    found.hidden = sorted(host for host in slow_hosts - proved if not faster[host])
    found.slow = [one for one in found.slow if one.what != NETWORK or one.who in proved]
    others = {" - ".join(hosts): rate for hosts, rate in pairs.items() if proved.isdisjoint(hosts)}
    measure = Measurement(PAIR, units.get(PAIR, ""), others, left_out=sorted(proved))
    _judge_kinds(found, measure, known, kinds_of, share, least)
    found.slow.sort(key=lambda one: -one.share)
    return found


def _judge_kinds(found: CheckResult, every: Measurement, known: dict[tuple[str, str], ReferenceRate],
                 kind_of: Mapping[str, object], false_alarms: float, least: float) -> None:
    """Compares nodes, or pairs, with others of their kind. A few of another kind have the reference alone."""
    odd: list[str] = []
    groups = sorted(grouped(every.rates, kind_of.__getitem__).values(), key=len, reverse=True)
    for number, members in enumerate(groups):
        there = {who: known[every.what, who] for who in members if (every.what, who) in known}
        if number and len(members) < LEAST_VALUES:
            odd += [who for who in members if who not in there]
            members = list(there)
        if members:
            rates, why = {who: every.rates[who] for who in members}, "" if there else every.no_reference
            _judge(found, replace(every, rates=rates, known=there, no_reference=why, odd=odd,
                                  is_of_other_kind=number > 0), false_alarms, least)


def _judge(found: CheckResult, measure: Measurement, false_alarms: float, least: float) -> None:
    found.measures.append(measure)
    rates = {who: rated.rate for who, rated in measure.rates.items()}
    named: dict[str, float] = {}
    if len(rates) >= LEAST_VALUES:
        measure.scores = scores = score_rates(rates, false_alarms)
        named = slow(rates, false_alarms, least)
        measure.has_slow = bool(named)
        def least_noticed(who: str) -> float:  # a loss widens the spread of few rates
            return 0.01 + next((part for part in range(99, 0, -1) if who not in slow(
                {**rates, who: (1 - part / 100) * rates[who]}, false_alarms, least)), 0) / 100

        measure.most_loss = most = max(LOOSE, least + 0.01)
        ordered = sorted(rates, key=lambda who: -rates[who])
        fast = [] if least_noticed(ordered[len(ordered) // 2]) > most else list(itertools.takewhile(
            lambda found: found[1] > most,
            ((who, least_noticed(who)) for who in ordered if rates[who] * (1 - least) > scores.median)))
        measure.unnoticed = {who: loss for who, loss in fast if who not in measure.known}
        # Of many nodes some are tried.
        tried = ordered[len(fast)::max(1, len(rates)**2 // 2000)]
        measure.detectable_loss = max(map(least_noticed, tried))
        found.slow += [Outlier(who, measure.what, measure.rates[who], scores.median, share, scores.by_name[who])
                       for who, share in named.items()]
    found.slow += [Outlier(who, measure.what, measure.rates[who], known.rate, 1 - rates[who] / known.rate)
                   for who, known in measure.known.items() if rates[who] < known.bound and who not in named]


def _rates(
        folder: SweepFolder, found: CheckResult, reference: Reference, known: dict[tuple[str, str], ReferenceRate],
        unknown: dict[str, str]
) -> tuple[dict[str, dict[tuple[str, ...], Rated]], dict[str, str], dict[str, dict[str, object]]]:
    """The rate of the best launch, by benchmark and nodes, since a disturbed launch does not mean a slow node; the
    units, and the kinds of nodes. Adds the reference of each to `known`, or to `unknown` why there is none though one
    was given, and failures to `found`."""
    rates: dict[str, dict[tuple[str, ...], Rated]] = {}
    units: dict[str, str] = {}
    places: dict[str, dict[str, object]] = defaultdict(dict)
    kinds = {number: block.title for block in folder.plan.blocks for number in block.members}
    everything = launches(folder.plan)
    measured = judged_launches(folder, everything)
    for launch in everything:
        what, hosts, outcome = kinds[launch.number], launch.configuration.hosts, folder.outcome(launch)
        if outcome is None:
            found.left.append(" - ".join(hosts))
            continue
        why = "; ".join(folder.misplacement(launch))
        if outcome.exit_code != VERIFIED:
            why = "it gave a wrong result" if outcome.exit_code == WRONG_RESULT else \
                outcome.message or f"exit code {outcome.exit_code}"
        if why:
            found.failures[(" - ".join(hosts), what)] = why
            continue
        rows = [row for row in measured.get(launch, []) if not row.error and row.rate > 0]
        if not rows:
            found.failures[(" - ".join(hosts), what)] = "it left no rate"
        for row in rows:
            units[what] = row.unit
            places[what][" ".join(hosts)] = row.place
            each = rates.setdefault(what, {})
            other, is_disturbed = each.get(hosts), "disturbed" in row.flags
            best = max((row.rate, row.mark), other[:2] if other else (0.0, ""))
            each[hosts] = Rated(*best, is_disturbed and (not other or other.is_disturbed))
            there = reference.of(row)
            if there and row.rate <= UNLIKELY * there.rate:  # else the reference is not of such nodes
                names = [(PAIR, " - ".join(hosts)), *((NETWORK, host) for host in hosts)] if what == PAIR else \
                    [(what, " ".join(hosts))]
                known.update(dict.fromkeys(names, there))
            elif reference.known:
                unknown[what] = reference.why_not(row) if not there else \
                    f"the reference of {what} is far too low: of other nodes, or of busy ones"
    return rates, units, places


def render(found: CheckResult) -> str:
    """The slow nodes and pairs, the failures, and how much the rates differ."""
    units = {measure.what: measure.unit for measure in found.measures}
    rows = [HEADINGS, *((one.who, f"{one.what} {units[one.what]}", rate(value) + mark, rate(one.median),
                         f"{one.share:.0%}", "reference" if one.score is None else f"{one.score:.1f}")
                        for one in found.slow for value, mark, _ in [one.rated])]
    lines = [*(aligned(row, widths_of(rows), TEXT) for row in rows), ""] if found.slow else []
    failures = [f"{who}, {what}: failed: {why}" for (who, what), why in found.failures.items()]
    if len(failures) > SHOWN:
        failures[SHOWN:] = [f"{len(failures) - SHOWN} more failed"]
    lines += [line for text in failures for line in wrapped("x", text)]
    lines += [line for measure in found.measures for line in wrapped("", _spread(measure))]
    marks = {rated.mark for measure in found.measures for rated in measure.rates.values()}
    lines += [line for mark, text in (("!", ABOVE_LIMIT), ("?", DISTRUSTED)) if mark in marks
              for line in wrapped(mark, text)]
    lines += wrapped("", _verdict(found))
    until = "The same command runs them."
    if found.period:
        first, last, end = (time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))
                            for seconds in (*found.period, found.period[0] + LONGEST))
        lines += wrapped("", f"Measured from {first} to {last}.")
        until = f"Until {end} the same command runs them; after that it begins a new check." \
            if time.time() < found.period[0] + LONGEST else "A new check runs them."
    if found.left:
        where = listed(sorted({*found.left}), SHOWN)
        lines += wrapped("", f"{counted(len(found.left), 'launch')} not run yet: {where}. {until}")
    return "\n".join(lines) + "\n"


def _spread(measure: Measurement) -> str:
    noun = "pair" if measure.what == PAIR else "node"
    what = counted(len(measure.rates), noun)
    what += f" of another kind ({listed(list(measure.rates), 1)})" * measure.is_of_other_kind
    what += f" without those of {listed(measure.left_out, SHOWN)}" * bool(measure.left_out)
    for sign in "?!":
        marked = sum(rated.mark == sign for rated in measure.rates.values())
        what += f", {marked} of them marked {sign}" if marked else ""
    for known in list(measure.known.values())[:1]:
        what += f", reference {rate(known.rate)} {measure.unit} (below {rate(known.bound)} is slow)"
    if not measure.scores:
        return f"{measure.what}: {what}; at least {LEAST_VALUES} {noun}s are needed to compare them with each other"
    part = measure.detectable_loss
    loss = "no loss" if part > 0.99 else f"{'only ' * (part > measure.most_loss)}a loss of {part:.0%} or more"
    noticed = f"; here {loss} would have been noticed"
    what += f", median {rate(measure.scores.median)} {measure.unit}"
    return f"{measure.what}: {what}{noticed * (not measure.has_slow)}"


def _verdict(found: CheckResult) -> str:
    # Of a node that is named by its network rate, the pairs are left out.
    few, wide = ([measure.what for measure in found.measures if not measure.tells
                  and bool(measure.scores) == is_wide and not (found.slow and measure.what == PAIR)]
                 for is_wide in (False, True))
    whys = [f"fewer than {LEAST_VALUES} nodes or pairs have a rate of {', '.join(few)}"] * bool(few)
    odd = listed(found.odd, SHOWN)
    whys += [f"{odd}: fewer than {LEAST_VALUES} are of a kind (--hosts checks one kind)"] * bool(odd)
    whys += [f"{who}, {measure.what}: so fast that only a loss of {loss:.0%} or more would be noticed"
             for measure in found.measures for who, loss in measure.unnoticed.items()]
    whys += dict.fromkeys(filter(None, (measure.no_reference for measure in found.measures)))
    whys += [f"rates of {', '.join(wide)} are too few, or differ too much, to tell whether a node is slow"] * bool(wide)
    hidden = listed(found.hidden, SHOWN)
    whys += [f"{hidden}: their links are slow, but so are all links of their partners"] * bool(hidden)
    disturbed = listed(found.disturbed, SHOWN)
    whys += [f"{disturbed}: slow, but disturbed in every launch"] * bool(disturbed)
    if not found.is_decided:
        return f"Undecided: {'; '.join(whys) or 'no launch gave a rate'}."
    who = f"Slow: {listed(found.named, SHOWN)}." if found.named else "None is slow, as far as this check can tell."
    who += f" Undecided: {'; '.join(whys)}." * bool(whys)
    if not any(measure.scores for measure in found.measures):
        return who  # by the reference alone
    besides = ", the reference apart" * any(measure.known for measure in found.measures)
    return f"{who} Among equally fast, undisturbed nodes {FALSE_ALARMS:.0%} of such checks name one by chance{besides}."
