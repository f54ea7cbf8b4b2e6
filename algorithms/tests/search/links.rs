//! Multicast on the mesh, counted in links: every set of links, every path that a rule allows, every multicast.
//!
//! **Enumerated.** 1. Every set of links of a small mesh, and which nodes it connects. The links that the messages of any
//! multicast cross connect its source with its destinations, so their number, counted with repetition, is not below
//! the smallest such set: that is the floor for all routes.
//! 2. Every path on which labels only rise, and every one on which they only fall: all that a rule of two networks
//! allows. Dual-path must be the shortest pair of them, multi-path the shortest of those that begin with the step that
//! its rule names, the fixed path the shortest without skipped labels. The greedy tree is at most 3/2 of the floor.
//! 3. Every source with every set of destinations, whose links are counted here and whose mean must be the expectation.
//!
//! Labels, neighbours and paths are made here from the definition of the snake.

use std::collections::{BTreeMap, BTreeSet};

use castbench_algorithms::internals::mesh::Sampling;
use castbench_algorithms::internals::mesh::labelling::Mesh;
use castbench_algorithms::internals::mesh::multicast::problem::{MeshMulticastPoint, ROUTINGS};
use castbench_algorithms::internals::mesh::multicast::steiner::Steiner;
use castbench_algorithms::internals::mesh::multicast::walk::Routes;
use castbench_algorithms::internals::problem::{At, Case, Memo};
use num_bigint::BigInt;
use num_rational::BigRational;

use super::Effort;

/// A mesh as its definition says.
struct Snake {
    w: i32,
    h: i32,
}

impl Snake {
    fn nodes(&self) -> u32 {
        (self.w * self.h).try_into().unwrap()
    }

    /// Column and row of a label: up in even columns, down in odd ones.
    fn at(&self, label: u32) -> (i32, i32) {
        let label = i32::try_from(label).unwrap();
        let (x, along) = (label / self.h, label % self.h);
        (
            x,
            if x % 2 == 0 {
                along
            } else {
                self.h - 1 - along
            },
        )
    }

    fn distance(&self, a: u32, b: u32) -> u64 {
        let ((ax, ay), (bx, by)) = (self.at(a), self.at(b));
        u64::from(ax.abs_diff(bx) + ay.abs_diff(by))
    }

    fn beside(&self, label: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.nodes()).filter(move |&other| self.distance(label, other) == 1)
    }

    /// The links, by the nodes they join.
    fn links(&self) -> Vec<(u32, u32)> {
        (0..self.nodes())
            .flat_map(|a| self.beside(a).filter(move |&b| a < b).map(move |b| (a, b)))
            .collect()
    }

    /// For every set of nodes the fewest links that connect it, by trying every set of links.
    fn floors(&self) -> Vec<u64> {
        let links = self.links();
        let mut fewest = vec![u64::MAX; 1 << self.nodes()];
        for set in 0..1u32 << links.len() {
            let mut parts: Vec<u32> = (0..self.nodes()).map(|node| 1 << node).collect();
            for (_, &(a, b)) in links
                .iter()
                .enumerate()
                .filter(|(number, _)| set >> number & 1 == 1)
            {
                let both = parts[a as usize] | parts[b as usize];
                (0..self.nodes())
                    .filter(|node| both >> node & 1 == 1)
                    .for_each(|node| parts[node as usize] = both);
            }
            for part in parts {
                fewest[part as usize] = fewest[part as usize].min(set.count_ones().into());
            }
        }
        // What connects a set connects every part of it.
        for set in (0..fewest.len()).rev() {
            for node in (0..self.nodes()).filter(|node| set >> node & 1 == 1) {
                let without = set & !(1 << node);
                fewest[without] = fewest[without].min(fewest[set]);
            }
        }
        fewest
    }

    /// Every path from `source` on which labels only rise, or only fall: its first step, the nodes it visits, its
    /// links.
    fn paths(&self, source: u32, rising: bool) -> Vec<(Option<u32>, u32, u64)> {
        let mut found = Vec::new();
        let mut pending = vec![(None, source, 0u32, 0u64)];
        while let Some((first, at, visited, links)) = pending.pop() {
            found.push((first, visited, links));
            for next in self.beside(at).filter(|&next| (next > at) == rising) {
                pending.push((first.or(Some(next)), next, visited | 1 << next, links + 1));
            }
        }
        found
    }
}

/// The shortest of these paths that visits a set, among those that begin with a step if one is named.
fn shortest(paths: &[(Option<u32>, u32, u64)], visits: u32, first: Option<u32>) -> u64 {
    let allowed = paths
        .iter()
        .filter(|path| visits & !path.1 == 0 && (first.is_none() || path.0 == first));
    if visits == 0 {
        0
    } else {
        allowed
            .map(|path| path.2)
            .min()
            .expect("some path visits them")
    }
}

/// The links of an algorithm's rule for one multicast, by exhaustive search; none for an algorithm without a rule here.
struct Rules<'a> {
    snake: &'a Snake,
    source: u32,
    up: Vec<(Option<u32>, u32, u64)>,
    down: Vec<(Option<u32>, u32, u64)>,
}

impl Rules<'_> {
    fn links(&self, name: &str, set: u32) -> Option<u64> {
        let Self {
            snake,
            source,
            up,
            down,
        } = self;
        let source = *source;
        let to: Vec<u32> = (0..snake.nodes())
            .filter(|node| set >> node & 1 == 1)
            .collect();
        let below = set & ((1 << source) - 1);
        let above = set & !below;
        let (x, y) = snake.at(source);
        match name {
            "dual-path" => Some(shortest(up, above, None) + shortest(down, below, None)),
            "fixed-path" => {
                let highest = 31u32.saturating_sub(above.leading_zeros());
                let all_above = (source + 1..=highest).map(|label| 1 << label).sum::<u32>();
                let all_below = (below.trailing_zeros()..source)
                    .map(|label| 1 << label)
                    .sum::<u32>();
                Some(shortest(up, all_above, None) + shortest(down, all_below, None))
            }
            "multi-path" => {
                Some(self.four_parts(up, above, y, 1) + self.four_parts(down, below, y, -1))
            }
            "unicast" => Some(to.iter().map(|&node| snake.distance(source, node)).sum()),
            "xy-tree" => {
                let mut used = BTreeSet::new();
                for (column, row) in to.iter().map(|&node| snake.at(node)) {
                    used.extend((x.min(column)..x.max(column)).map(|left| (left, y, true)));
                    used.extend((y.min(row)..y.max(row)).map(|low| (column, low, false)));
                }
                Some(used.len() as u64)
            }
            "column-path" => {
                let mut columns: BTreeMap<i32, (i32, i32)> = BTreeMap::new();
                for (column, row) in to.iter().map(|&node| snake.at(node)) {
                    let (upwards, downwards) = columns.entry(column).or_default();
                    (*upwards, *downwards) = ((row - y).max(*upwards), (y - row).max(*downwards));
                }
                let messages = columns
                    .into_iter()
                    .flat_map(|(column, (upwards, downwards))| {
                        let lengths = [upwards, downwards]
                            .into_iter()
                            .filter(|length| *length > 0);
                        let in_row = (upwards == 0 && downwards == 0).then_some(0);
                        lengths
                            .chain(in_row)
                            .map(move |length| x.abs_diff(column) + length.unsigned_abs())
                    });
                Some(messages.map(u64::from).sum())
            }
            _ => None,
        }
    }

    /// The two parts of one network: the destinations beyond the neighbour along the column begin with the step to it,
    /// the others with the step across.
    fn four_parts(&self, paths: &[(Option<u32>, u32, u64)], set: u32, y: i32, towards: i32) -> u64 {
        let along = self
            .source
            .checked_add_signed(towards)
            .filter(|label| *label < self.snake.nodes());
        let along = along.filter(|&label| self.snake.at(label).1 != y);
        let side = along.map_or(0, |label| self.snake.at(label).1 - y);
        let is_along = |node: u32| side != 0 && (self.snake.at(node).1 - y).signum() == side;
        let members = (0..self.snake.nodes()).filter(|node| set >> node & 1 == 1);
        let part = members
            .filter(|&node| is_along(node))
            .map(|node| 1 << node)
            .sum::<u32>();
        let firsts = || paths.iter().filter_map(|path| path.0);
        let across = firsts().find(|&first| Some(first) != along);
        let rest = set & !part;
        shortest(paths, part, along)
            + if rest == 0 {
                0
            } else {
                shortest(paths, rest, across)
            }
    }
}

/// Walks the paths of a multicast: the links they cross, every hop being one and every path beginning where the message
/// is.
fn walked(snake: &Snake, source: u32, set: u32, routes: &Routes) -> u64 {
    let mut holds = 1u32 << source;
    let mut links = 0;
    for path in routes.paths() {
        assert!(
            holds >> path[0] & 1 == 1,
            "a path begins where the message is"
        );
        for hop in path.windows(2) {
            assert_eq!(snake.distance(hop[0], hop[1]), 1, "a hop is a link");
            holds |= 1 << hop[1];
            links += 1;
        }
    }
    assert_eq!(set & !holds, 0, "every destination is visited");
    links
}

fn mean(total: u64, count: u64) -> BigRational {
    BigRational::new(BigInt::from(total), BigInt::from(count))
}

/// Every multicast on one mesh; counts those whose greedy tree is longer than the floor.
fn check(w: i32, h: i32, effort: &mut Effort, longer: &mut u32) {
    let snake = Snake { w, h };
    let mesh = Mesh::new(w.try_into().unwrap(), h.try_into().unwrap()).unwrap();
    let n = snake.nodes();
    let floors = snake.floors();
    effort.states += 1 << snake.links().len();
    // By destinations: how many multicasts, the links of their floors, and of each algorithm.
    let mut totals = vec![(0u64, 0u64, vec![0u64; ROUTINGS.entries.len()]); n as usize];
    let mut routes = Routes::default();
    for source in 0..n {
        let (up, down) = (snake.paths(source, true), snake.paths(source, false));
        effort.states += (up.len() + down.len()) as u64;
        let rules = Rules {
            snake: &snake,
            source,
            up,
            down,
        };
        for set in (0..1u32 << n).filter(|set| set >> source & 1 == 0) {
            effort.instances += 1;
            let to: Vec<u32> = (0..n).filter(|node| set >> node & 1 == 1).collect();
            let K = u32::try_from(to.len()).unwrap();
            let floor = floors[(set | 1 << source) as usize];
            let (count, floor_total, of_each) = &mut totals[to.len()];
            *count += 1;
            *floor_total += floor;
            for (entry, total) in ROUTINGS.entries.iter().zip(of_each) {
                let algorithm = entry.algorithm;
                let what = || format!("{} on {w}x{h} from {source} to {to:?}", entry.name);
                routes.clear();
                let formula = algorithm.route(mesh, source, &to, &mut routes);
                let links = walked(&snake, source, set, &routes);
                assert_eq!(formula, links, "{}", what());
                assert!(
                    floor <= links,
                    "{}: {links} links are below the floor {floor}",
                    what()
                );
                assert!(
                    links <= algorithm.most_links(mesh, K),
                    "{}: {links} links are above the most",
                    what()
                );
                if let Some(allowed) = rules.links(entry.name, set) {
                    assert_eq!(links, allowed, "{}: by its rule", what());
                }
                if entry.name == "steiner" {
                    assert!(
                        2 * links <= 3 * floor,
                        "{}: {links} links for {floor}",
                        what()
                    );
                    assert!(
                        links == floor || !Steiner::is_shortest(mesh, K),
                        "{}",
                        what()
                    );
                    *longer += u32::from(links > floor);
                }
                *total += links;
            }
        }
    }
    for (K, (count, floor, of_each)) in (0u32..).zip(totals) {
        for (entry, total) in ROUTINGS.entries.iter().zip(of_each) {
            let algorithm = entry.algorithm;
            let expected = algorithm.expected_links(mesh, K);
            assert!(
                expected.is_some() || entry.name == "steiner",
                "{} on {w}x{h}, K={K}",
                entry.name
            );
            assert!(
                expected.is_none_or(|expected| expected == mean(total, count)),
                "{} on {w}x{h}, K={K}",
                entry.name
            );
        }
        let point = MeshMulticastPoint {
            mesh,
            K,
            sampling: Sampling { trials: 2, seed: 1 },
        };
        let bound = (At {
            algorithm: ROUTINGS.entries[0].algorithm,
            point,
        })
        .lower_bound(&mut Memo::default())
        .unwrap();
        assert!(
            bound.to_rational() <= mean(floor, count),
            "{w}x{h}, K={K}: {bound} is above the mean of the floors"
        );
    }
}

#[test]
fn every_multicast_costs_what_its_rule_says_and_no_less_than_the_floor() {
    let (mut effort, mut longer) = (Effort::default(), 0);
    for (w, h) in [
        (1, 1),
        (1, 5),
        (5, 1),
        (2, 2),
        (3, 2),
        (2, 3),
        (3, 3),
        (2, 5),
        (5, 2),
        (4, 3),
        (3, 4),
    ] {
        check(w, h, &mut effort, &mut longer);
    }
    assert!(
        longer > 0,
        "the greedy tree should be longer somewhere, or its guarantee proves nothing"
    );
    effort.tell("multicast on a mesh, in links");
}
