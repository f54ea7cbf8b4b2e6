#!/usr/bin/env python3
"""Recompute costs from docs/model.md and the pages of algorithms, one of each family, and compare them with castbench.

    python3 docs/recompute.py CASTBENCH

It has no line of castbench's code. Exact: integers and
fractions only. It prints a line per point and ends with 1 if any differs.
"""

import json
import subprocess
import sys
import tempfile
from fractions import Fraction
from functools import lru_cache
from math import comb

CASTBENCH = sys.argv[1] if len(sys.argv) > 1 else "castbench"


def ceil_div(a, b):
    return -(-a // b)


# LogP, and message sizes: LogGOPS. A machine gives hop D and gap g' of a message of s words.


class LogP:
    def __init__(self, L, o, g):
        self.L, self.o, self.g = L, o, g

    def hop(self):
        return self.L + 2 * self.o

    def gap(self):
        return max(self.g, self.o)

    def of(self, s):
        """A segment of s words, as a train of s small messages."""
        return self.hop() + (s - 1) * self.gap(), s * self.gap()


class LogGOPS:
    def __init__(self, L, o, g, G, O, H):
        self.L, self.o, self.g, self.G, self.O, self.H = L, o, g, G, O, H

    def times(self, s):
        ns = lambda ps: ceil_div((s - 1) * ps, 1000)  # noqa: E731
        return self.L + ns(self.G + self.H), self.o + ns(self.O), self.g + ns(self.G)

    def of(self, s):
        L, o, g = self.times(s)
        return L + 2 * o, max(g, o)


def profile(name):
    rows = json.loads(castbench("list", "--machines", "--format", "json"))
    values = {row["symbol"]: row["value"] for row in rows if row["machine"] == name}
    return LogGOPS(*(int(values[symbol].split()[0].replace(",", "")) for symbol in "LogGOH"))


# Multicast under LogP.


def reached(t, D, gap):
    """N(t), in closed form."""
    return sum(comb(a + (t - a * D) // gap, a) for a in range(t // D + 1))


def optimal_time(K, D, gap):
    t = 0
    while reached(t, D, gap) < K:
        t += 1
    return t


def fibonacci_part(K):
    numbers = [1, 1]  # f_1, f_2
    while numbers[-1] + numbers[-2] <= K:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[-3]


def split_time(K, D, gap, part):
    @lru_cache(None)
    def T(K):
        if K == 1:
            return 0
        s = part(K)
        return max(T(s) + D, T(K - s) + gap if K - s > 1 else 0)

    return T(K)


def halving_time(left, right, source, D, gap):
    """From any position: the splits are followed."""
    finish, t = 0, 0
    while left < right:
        if 2 * source < left + right:
            centre = left + ceil_div(right - left, 2)
            part, left, right = (centre, right, centre), left, centre - 1
        elif 2 * source > left + right:
            centre = left + (right - left) // 2
            part, left, right = (left, centre, centre), centre + 1, right
        else:
            part, left, right = (left, source - 1, source - 1), source, right
        finish = max(finish, t + D + halving_time(*part, D, gap))
        t += gap
    return finish


# Broadcast in segments. A tree is a list: for each node from 0 its children in order.


def tree_of_splits(K, part):
    children = [[] for _ in range(K)]

    def build(root, size):
        while size > 1:
            s = part(size)
            child = root + size - s
            children[root].append(child)
            build(child, s)
            size -= s

    build(0, K)
    return children


def binary(K):
    children = []
    for v in range(K):
        level = (v + 1).bit_length() - 1
        children.append([c for c in (v + 2**level, v + 2 ** (level + 1)) if c < K])
    return children


def k_nomial(K, r):
    places = [r**p for p in range(64) if r**p < K]
    children = []
    for v in range(K):
        below = [place for place in places if v % (place * r) == 0]
        receivers = [v + digit * place for place in reversed(below) for digit in range(1, r)]
        children.append([c for c in receivers if c < K])
    return children


def cut(n, m):
    s = ceil_div(n, m)
    c = ceil_div(n, s)
    return [s] * (c - 1) + [n - (c - 1) * s]


def lanes_of(k, children):
    d = max(1, max(len(own) for own in children))
    return max(1, k // d), min(k, d)


def segments_time(machine, children, n, m, k):
    """Every port sends in order, each message once it is held and the gap is over."""
    sizes = cut(n, m)
    lanes, p = lanes_of(k, children)
    finish, todo = 0, [(0, [0] * len(sizes))]
    while todo:
        node, held = todo.pop()
        finish = max([finish] + held)
        free, got = {}, {child: [0] * len(sizes) for child in children[node]}
        for j, size in enumerate(sizes):
            D, gap = machine.of(size)
            for x, child in enumerate(children[node]):
                port = (j % lanes, x % p)
                start = max(held[j], free.get(port, 0))
                free[port], got[child][j] = start + gap, start + D
        todo.extend(got.items())
    return finish


def multicast_bound(K, D, gap, k):
    """T(D, g) of k sends at once."""
    t = D
    while gap and sum(k**a * comb(a + (t - a * D) // gap, a) for a in range(t // D + 1)) < K:
        t += 1
    return t


def broadcast_bound(machine, K, n, m, k):
    """On a profile, however bytes are sent together."""
    lines = [(machine.G, 1000 * machine.g - machine.G), (machine.O, 1000 * machine.o - machine.O)]

    def item(s):
        (a, up), (b, down) = lines
        shares = [0, 1] + [y for y in [Fraction(s * (b - a), up - down)] if 0 < y < 1]
        x = int(min(max(s * per_byte + slope * y for per_byte, slope in lines) for y in shares))
        return machine.L + 2 * machine.o + (s - 1) * (machine.G + machine.H + 2 * machine.O) // 1000, x

    # A message has one byte or more; where short ones cost a port less, a part of a segment.
    part = max(1, n // m // K // k)
    s = part if item(1)[1] * part < item(part)[1] else 1
    hop, x = item(s)
    last = (ceil_div(n, k) - s) * x // s // 1000 + multicast_bound(K, hop, x // 1000, k)
    return max(multicast_bound(K, *machine.of(1), k), last)


# Summation.


def labels(P, D, gap):
    """The P - 1 smallest labels below the root."""
    most = optimal_time(P, D, gap)
    found = []
    for a in range(1, most // D + 1):
        for b in range((most - a * D) // gap + 1):
            found += [a * D + b * gap] * comb(a + b - 1, b)
    return sorted(found)[: P - 1]


def summation_optimal(machine, P, N):
    D, gap, o = machine.hop() + 1, max(machine.g, machine.o + 1), machine.o
    below = labels(P, D, gap)
    T = 0
    while T + 1 + sum(T - x - o for x in below if T - x > o) < N:
        T += 1
    return T


# Many messages on k ports.


def log_ceil(n, base):
    q = 0
    while base**q < n:
        q += 1
    return q


def F(q, r, k):
    return 0 if q == 0 else k // r * (k + 1) ** (q - 1) + F(q - 1, r - k % r, k)


def T_star(n, k, m):
    q, r = log_ceil(n, k + 1), (m - 1) % k + 1
    return ceil_div(m, k) - 1 + q + (0 if n - 1 <= F(q, r, k) else 1)


def k_tree(n, k, m, packed):
    H = 0
    while (k ** (H + 1) - 1) // (k - 1) < n - 1:
        H += 1
    full, a = (k ** (H + 1) - 1) // (k - 1), (n - 2) % k
    uneven = (a + 1) * (k // a) < k if packed and a else a and k % a
    higher = a > 0 and full - (n - 1) < k and uneven and (m - 1) % k >= k // a
    return ceil_div(m, k) - 1 + 1 + H + bool(higher)


# Multicast on a mesh, in links.


def position(label, h):
    x, y = divmod(label, h)
    return x, y if x % 2 == 0 else h - 1 - y


def distance(a, b, h):
    (ax, ay), (bx, by) = position(a, h), position(b, h)
    return abs(ax - bx) + abs(ay - by)


def dual_path(w, h, K):
    n = w * h
    total = 0
    for d in range(1, n - K + 1):
        W = sum(distance(label, label + d, h) for label in range(n - d))
        total += W * comb(n - 1 - d, K - 1)
    return Fraction(total, comb(n, K + 1))


def xy_tree(w, h, K):
    n = w * h
    N = lambda s: Fraction(comb(n - 1 - s, K), comb(n - 1, K))  # noqa: E731
    rows = sum(c * h * (1 - N((w - c) * h)) for c in range(1, w))
    return Fraction(2, n) * (rows + sum(r * w * w * (1 - N(h - r)) for r in range(1, h)))


# Arithmetic and randomness: ChaCha8.


def draws(seed, w, h, K):
    def quarter(x, a, b, c, d):
        for left, right, to, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[left] = (x[left] + x[right]) % 2**32
            mixed = x[to] ^ x[left]
            x[to] = (mixed << turn | mixed >> (32 - turn)) % 2**32

    def words():
        key = b"".join(word.to_bytes(8, "little") for word in (seed, w << 32 | h, K, 0))
        text = b"expand 32-byte k" + key
        counter = 0
        while True:
            block = text + counter.to_bytes(8, "little") + bytes(8)
            start = [int.from_bytes(block[i : i + 4], "little") for i in range(0, 64, 4)]
            x = list(start)
            for _ in range(4):
                for i in range(4):
                    quarter(x, i, 4 + i, 8 + i, 12 + i)
                for i in range(4):
                    quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
            yield from ((a + b) % 2**32 for a, b in zip(x, start))
            counter += 1

    n, stream = w * h, words()
    deck = list(range(n))
    while True:
        for i in range(K + 1):
            low = next(stream)
            other = i + ((low | next(stream) << 32) * (n - i) >> 64)
            deck[i], deck[other] = deck[other], deck[i]
        yield deck[0], deck[1 : K + 1]


# Multicast with worms: dual-path alone, whose two worms never meet.


def worm_dual_path(w, h, K, k, t_s, t_h, t_f, flits, trials, seed):
    total, stream = 0, draws(seed, w, h, K)
    for _ in range(trials):
        source, destinations = next(stream)
        paths = []
        for part in (sorted(d for d in destinations if d > source), sorted((d for d in destinations if d < source), reverse=True)):
            stops = [source] + part
            paths.append(sum(distance(a, b, h) for a, b in zip(stops, stops[1:])))
        ports, last = [0] * k, 0
        for hops in sorted((hops for hops in paths if hops), reverse=True):
            port = ports.index(min(ports))
            begun = ports[port] + t_s
            by_header = min(hops, flits + 1)
            ports[port] = begun + by_header * t_h + (flits + 1 - by_header) * t_f
            last = max(last, begun + hops * t_h + flits * t_f)
        total += last
    return Fraction(total, trials)


# The points.


def castbench(*arguments):
    run = subprocess.run([CASTBENCH, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"castbench {' '.join(map(str, arguments))}: {run.stderr}")
    return run.stdout


# Allreduce.


def allreduce_ring(K, n, c, machine):
    s = ceil_div(n, K)
    D = machine.of(s)[0]
    return (K - 1) * (2 * D + c * s)


def allreduce_rabenseifner(K, n, c, machine):
    p = K.bit_length() - 1
    r = K - 2**p
    both = lambda s: 2 * machine.of(s)[0] + c * s  # noqa: E731
    halves = [ceil_div(n, 2**j) for j in range(1, p + 1)]
    folded = both(halves[0]) + machine.of(n)[0] if r else 0
    return folded + sum(both(s) for s in halves)


def rounds(machine, sizes, c=0):
    """Where no gap exceeds its hop."""
    return sum(machine.of(s)[0] + c * s for s in sizes)


def circulant(K):
    """The blocks of each round."""
    skips = [K]
    while skips[-1] > 1:
        skips.append(ceil_div(skips[-1], 2))
    return [a - b for a, b in zip(skips, skips[1:])]


class Levels:
    """A node has R ranks, placed in turn on N nodes; they share nics, or have ports of their own."""

    def __init__(self, inside, network, R, N, nics=None):
        self.inside, self.network, self.R, self.N, self.nics = inside, network, R, N, nics

    def between(self, a, b):
        return self.inside if a % self.N == b % self.N else self.network

    def port(self, machine, me):
        place = me // self.N
        return (me % self.N, place % self.nics) if self.nics and machine is self.network else me


def executed(programs, levels):
    """As followed, on levels; operations in the order in which they ask."""
    ready, done = [0] * len(programs), [0] * len(programs)
    port, began, arrivals = {}, {}, {}
    while True:
        asks = []
        for me, steps in enumerate(programs):
            if done[me] < len(steps):
                act, other, *_ = steps[done[me]]
                if act == "to":
                    asks.append((ready[me], me))
                elif arrivals.get((other, me)):
                    asks.append((max(ready[me], arrivals[other, me][0]), me))
        if not asks:
            return max(ready)
        asked, me = min(asks)
        act, other, s, *c = programs[me][done[me]]
        machine = levels.between(me, other)
        L, o, g = machine.times(s)
        own = levels.port(machine, me)
        if act == "to":
            start = max(asked, port.get(own, 0))
            ready[me], port[own] = start + o, start + g
            arrivals.setdefault((me, other), []).append(start + o + L)
        else:
            arrivals[other, me].pop(0)
            start = max(asked, began[own] + g if own in began else 0)
            ready[me], began[own] = start + o + ceil_div(c[0] * s, 1000), start
        done[me] += 1


def ring(ranks, s, c, programs):
    """A block of s bytes of each once around; c is 0 where it is passed on, else it is combined."""
    for _ in ranks[1:]:
        for i, me in enumerate(ranks):
            programs[me] += [("to", ranks[(i + 1) % len(ranks)], s), ("from", ranks[i - 1], s, c)]


def lanes_of_rings(levels, n, c):
    """allreduce-lanes:ring+ring, where all blocks are alike: the programs."""
    N, R = levels.N, levels.R
    programs = [[] for _ in range(N * R)]
    nodes = [list(range(node, N * R, N)) for node in range(N)]
    for groups, s, c in (nodes, n // R, c), (zip(*nodes), n // R // N, c), (zip(*nodes), n // R // N, 0), (nodes, n // R, 0):
        for ranks in groups:
            ring(list(ranks), s, c, programs)
    return programs


def with_bit(K, j):
    return sum(s >> j & 1 for s in range(K))


def bounds():
    """Lower bounds on profiles; on the second one gap and overhead cross."""
    crossing = "".join(f"[{symbol}]\n{unit} = {value}\norigin = \"none\"\n" for symbol, unit, value in (
        ("L", "ns", 50), ("o", "ns", 7), ("g", "ns", 0),
        ("G", "ps_per_byte", 333), ("O", "ps_per_byte", 250), ("H", "ps_per_byte", 7),
    ))  # fmt: skip
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(f'schema = 1\nname = "crossing"\nbasis = "estimated"\n{crossing}')
        file.flush()
        for name, machine in (("celeron333-pvm", profile("celeron333-pvm")), (file.name, LogGOPS(50, 7, 0, 333, 250, 7))):
            for K, n, m, k in ((8, 1000, 16, 1), (9, 1001, 13, 2), (2, 20001, 20001, 1)):
                sizes = f"--machine {name} --bytes {n}B -K {K} -m {m} -k {k}"
                yield f"broadcast-chain --ports duplex {sizes}", broadcast_bound(machine, K, n, m, k)


def points():
    A, B = LogP(6, 2, 4), LogP(24, 3, 2)
    D, gap = A.hop(), A.gap()
    machine = "-L 6 -o 2 -g 4"
    other = "-L 24 -o 3 -g 2"
    yield f"halving {machine} -K 33 --source 12", halving_time(1, 33, 12, D, gap)
    yield f"fibonacci {machine} -K 1000", split_time(1000, D, gap, fibonacci_part)
    yield f"halving-floor {other} -K 1000", split_time(1000, B.hop(), B.gap(), lambda K: K // 2)
    yield f"optimal {machine} -K 100000", optimal_time(100000, D, gap)

    network = profile("ethernet100-held")
    size = network.of(2**20)
    yield "fibonacci --machine ethernet100-held --bytes 1MiB -K 18", split_time(18, *size, fibonacci_part)

    yield f"broadcast-chain --ports duplex {machine} -K 9 -n 65 -m 16", segments_time(A, [[v + 1] for v in range(8)] + [[]], 65, 16, 1)
    yield f"broadcast-binary --ports duplex {machine} -K 23 -n 65 -k 1 -m 16", segments_time(A, binary(23), 65, 16, 1)
    yield f"broadcast-k-nomial-4 --ports duplex {other} -K 50 -n 100 -k 14 -m 9", segments_time(B, k_nomial(50, 4), 100, 9, 14)
    fibonacci = tree_of_splits(30, fibonacci_part)
    yield f"broadcast-fibonacci --ports duplex {machine} -K 30 -n 97 -k 2 -m 7", segments_time(A, fibonacci, 97, 7, 2)
    binomial = segments_time(network, k_nomial(16, 2), 2**16, 12, 1)
    yield "broadcast-binomial --ports duplex --machine ethernet100-held --bytes 64KiB -K 16 -m 12", binomial

    yield f"barrier-dissemination {other} -K 100", 6 * max(B.hop(), B.gap()) + B.hop()
    yield f"barrier-linear {machine} -K 100", 2 * D + 2 * 98 * gap
    yield f"barrier-double-ring {machine} -K 100", 2 * 100 * D
    yield f"barrier-tree {machine} -K 64", 2 * 6 * D
    # Four rounds; 100 = 64 + 36, so one message in the last.
    first = 2 + max(2 * gap, 6)
    later = max(first + 2 * gap + 2, 3 * gap)
    yield f"barrier-dissemination {machine} -K 100 -r 4", max(3 * later + 2 + 6, 2 * later + first + 3 * gap) + 2

    words = f"{machine} -K 13 -n 1000 -c 1"
    yield f"allreduce-ring {words}", allreduce_ring(13, 1000, 1, A)
    yield f"allreduce-rabenseifner {words}", allreduce_rabenseifner(13, 1000, 1, A)

    yield f"allreduce-bine {machine} -K 16 -n 1001 -c 1", allreduce_rabenseifner(16, 1001, 1, A)
    yield f"allreduce-bine {machine} -K 16 -n 5 -c 1", allreduce_rabenseifner(16, 5, 1, A)


    blocks = f"{machine} -K 13 -n 50"
    yield f"reduce-scatter-circulant {blocks} -c 3", rounds(A, [b * 50 for b in circulant(13)], 3)
    yield f"reduce-scatter-pairwise {blocks} -c 3", rounds(A, 12 * [50], 3)
    yield f"reduce-scatter-recursive-halving {machine} -K 16 -n 50 -c 3", rounds(A, [400, 200, 100, 50], 3)
    yield f"allgather-bruck {blocks}", rounds(A, [50, 100, 200, 250])
    yield f"allgather-neighbour-exchange {machine} -K 14 -n 50", rounds(A, [50] + 6 * [100])
    yield f"allgather-pat {blocks}", rounds(A, [50, 100, 150, 300])
    yield f"reduce-scatter-pat {blocks} -c 3", rounds(A, [300, 150, 100, 50], 3)
    sixteen = f"{machine} -K 16 -n 50"
    yield f"allgather-bine {sixteen}", rounds(A, [50, 100, 200, 400])
    yield f"reduce-scatter-bine {sixteen} -c 3", rounds(A, [400, 200, 100, 50], 3)
    yield f"alltoall-bine {sixteen}", rounds(A, 4 * [400])
    yield f"reduce-k-nomial-4 {machine} -K 16 -n 1", 2 * (D + 2 * gap)
    yield f"alltoall-bruck {blocks}", rounds(A, [50 * with_bit(13, j) for j in range(4)])
    yield f"alltoall-bruck {blocks} -r 13", rounds(A, 12 * [50])
    yield f"alltoall-linear {blocks}", max(11 * 200 + 2, 2 + 6 + 49 * 4) + 11 * 200 + 2
    yield f"gather-linear {blocks}", 11 * 200 + A.of(50)[0]
    yield f"reduce-flat {blocks} -c 3", 11 * 200 + A.of(50)[0] + 150
    yield f"reduce-chain {machine} -K 13 -n 960 -m 16 -c 5", 12 * (A.of(60)[0] + 300) + 15 * (4 + 300)

    yield f"scan-linear {blocks} -c 3", 12 * (10 + 49 * 4 + 150)
    yield f"scan-direct {blocks} -c 3", 10 + 49 * 4 + 150 + 11 * 200
    yield f"exscan-direct {blocks} -c 3", 10 + 49 * 4 + 150 + 200 + 10 * 200


    five = "-L 5 -o 2 -g 4 -P 7 --operands 83"
    yield f"summation-optimal {five}", summation_optimal(LogP(5, 2, 4), 7, 83)

    yield "hypercube-balanced -n 100 -k 4 -m 18", T_star(100, 4, 18)
    yield "circulant -n 100 -k 1 -m 17", T_star(100, 1, 17)
    yield "k-tree -n 41 -k 3 -m 17", k_tree(41, 3, 17, False)
    yield "k-tree-packed -n 85 -k 4 -m 20", k_tree(85, 4, 20, True)

    yield "dual-path --mesh 8x6 -K 9 --trials 100", dual_path(8, 6, 9)
    yield "xy-tree --mesh 8x6 -K 9 --trials 100", xy_tree(8, 6, 9)
    worms = "--startup 100 --hop 3 --flit 2 --flits 20 --trials 50 --seed 7"
    yield f"worm-dual-path --mesh 5x4 -K 6 -k 1 {worms}", worm_dual_path(5, 4, 6, 1, 100, 3, 2, 20, 50, 7)

    yield "gossip-two-phase -n 12", (12 * 12 + 3 * 12 - 4) // 2
    yield "gossip-coupled -n 12", (12 * 12 + 2 * 12 - 1) // 2
    yield "gossip-optimal -n 12", (12 * 12 + 12) // 2


def levelled(directory):
    inside, network = LogGOPS(300, 100, 50, 20, 10, 0), LogGOPS(2000, 400, 300, 80, 10, 0)

    def keys(machine):
        return "".join(f'{key} = "{getattr(machine, key)}{"ns" if key in "Log" else "ps"}"\n' for key in "LogGO")

    for R, N, nics in (4, 3, None), (4, 3, 1), (6, 2, 4):
        path = f"{directory}/{R}-{N}-{nics}.toml"
        with open(path, "w") as file:
            file.write('schema = 1\nname = "levels"\nplacement = "round-robin"\n' + keys(network))
            file.write(f"nics = {nics}\n" if nics else "")
            file.write(f'[[level]]\nname = "node"\nranks = {R}\n' + keys(inside))
        levels = Levels(inside, network, R, N, nics)
        for n in 120, 12_000:
            point = f"--machine {path} --bytes {n} -K {N * R} -c 30"
            yield f"allreduce-lanes:ring+ring {point}", executed(lanes_of_rings(levels, n, 30), levels)


def sized(directory):
    """Messages from 8 KiB on have parameters of their own; those that two ranks exchange take 70 ps per byte more."""
    short = LogGOPS(2000, 400, 300, 80, 10, 5)

    def hop(s, x):
        if s < 8192:
            return short.of(s)[0]
        # The overhead goes on as before.
        o = 400 + ceil_div(8191 * 10, 1000) + ceil_div((s - 8192) * 10, 1000)
        return 9000 + 2 * o + ceil_div((s - 8192) * 100 + (s - 1) * x, 1000)

    path = f"{directory}/sizes.toml"
    with open(path, "w") as file:
        file.write('schema = 1\nname = "sizes"\nL = "2us"\no = "400ns"\ng = "300ns"\nG = "80ps"\nO = "10ps"\nH = "5ps"\n')
        file.write('[[sizes]]\nfrom = "8KiB"\nL = "9us"\nG = "100ps"\nH = "0ps"\nx = "70ps"\n')
    for n in 6_000, 80_000:
        point = f"--machine {path} --bytes {n} -K 8 -c 30"
        yield f"allreduce-recursive-doubling {point}", 3 * (hop(n, 70) + ceil_div(30 * n, 1000))
        yield f"allreduce-ring {point}", 7 * (2 * hop(n // 8, 0) + ceil_div(30 * (n // 8), 1000))


def main():
    wrong = count = 0
    directory = tempfile.TemporaryDirectory()
    kinds = (("analytic", points()), ("lower_bound", bounds()), ("simulated", levelled(directory.name)), ("simulated", sized(directory.name)))
    for key, some in kinds:
        for command, expected in some:
            answer = json.loads(castbench("cost", *command.split(), "--format", "json"))[key]
            agrees = Fraction(answer) == expected
            print(f"{'agrees ' if agrees else 'DIFFERS'}  castbench cost {command}: {key} {answer}, recomputed {expected}")
            count += 1
            wrong += not agrees
    print(f"{count - wrong} of {count} points agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
