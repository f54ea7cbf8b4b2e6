//! What no algorithm for a collective can beat.
//!
//! **Latency.** No multicast of one word to K ranks is faster, nor a collection of one word of each, which is a multicast backwards. A
//! rank with k ports begins at most k sends in any `max(g, k o)`, with duplex ports in any `max(g, o)`; all k are assumed to begin at
//! once.
//!
//! **Bandwidth.** Some rank sends, or receives, a number of words over its ports. On a machine with levels also what
//! must [enter and leave](crate::logp::levels::load) each group of ranks, by its ports or its nics, and what a word takes to all groups.
//!
//! **Combining.** Some rank combines a number of words, the first after a hop.
//!
//! **A switch** combines and copies. So a message may be all that a rank needs, and combining takes no time; the words that must enter
//! or leave one rank still pass its port.
//!
//! On a machine with levels each has the least of each parameter of the levels that count. With nics a rank has a port more: its own
//! one, and that of its nic.
//!
//! **Short messages.** On some machines a message of one word costs a port less than a word of a long one; with `o = g = 0` it costs
//! nothing, and no number of words takes any time. There messages are assumed to carry [`piece`] words or more: no algorithm of castbench
//! cuts a vector finer than each of its m segments in K blocks. One that a user gives can, so that its bound is without this.

use super::Goal;
use crate::error::{Error, fit};
use crate::log2::ceil_log2;
use crate::logp::levels::load;
use crate::logp::multicast::several_ports::one_message;
use crate::logp::pipeline::bounds::{named, over_ports, shortest};
use crate::logp::{Levels, LogP};
use crate::plan::Task;
use crate::plan::task::PortRule;
use crate::wide::Wide;

pub use crate::logp::levels::load::Set;

/// A time that no algorithm can beat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The time.
    pub time: u64,
    /// The reason for it, as a noun: latency.
    pub name: &'static str,
}

pub(super) const LATENCY: &str = "latency";

/// What one rank has to do at least, whichever it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The words that some rank sends, or receives.
    pub words: Wide,
    /// The words that some rank combines.
    pub combined: Wide,
    /// Whether the root sends these words to all ranks.
    pub is_multicast: bool,
}

/// The words of the shortest message: those of a part of a block of a segment; `parts` is K in algorithms of the catalogue.
pub(super) fn piece(task: &Task, parts: u64) -> u64 {
    // On k ports a vector may be cut into k parts.
    (task.least_words() / task.m / parts / task.k).max(1)
}

/// A lower bound of a collective, the largest of the bounds of the module; `piece` is the number of words that each message
/// carries or more. 0 for one rank.
pub(super) fn of_collective(goal: &dyn Goal, task: &Task, piece: u64) -> Result<Bound, Error> {
    let involved = goal.involved(task);
    if involved == 1 {
        return Ok(Bound {
            time: 0,
            name: LATENCY,
        });
    }
    if task.has_switch {
        return beside_switch(goal, task, piece);
    }
    let share = goal.share(task);
    let one = task.machine.fastest().at(1)?;
    let ports = task.k
        + u64::from(
            task.machine
                .levels()
                .is_some_and(|levels| levels.nics().is_some()),
        );
    // A shorter turn is a weaker bound.
    let turn = match task.rule {
        PortRule::Strict => ports.saturating_mul(one.o()).max(one.gap()),
        PortRule::Duplex => one.o().max(one.gap()),
    };
    let words = task.size(fit(share.words)?)?;
    let least = shortest(task.machine, task.size(piece)?)?.min(words.max(1));
    let reached = if share.is_multicast { task.K } else { 2 };
    let mut bandwidth = over_ports(task.machine, [words, least], reached, ports)?;
    // The largest block alone, sent to all ranks.
    let largest = goal.needed_by_all(task);
    if task.is_counted() && largest > 0 {
        let words = task.size(largest)?;
        let sent = over_ports(task.machine, [words, least.min(words)], task.K, ports)?;
        bandwidth = bandwidth.max(sent);
    }
    let combining = task
        .combining(fit(share.combined)?)?
        .checked_add(one.D())
        .ok_or(Error::Overflow)?;
    let mut between = 0;
    if let Some(levels) = task.machine.levels() {
        let forced = forced(goal, task, levels, least);
        // Groups whose blocks are empty may need no message.
        let is_needed = !task.has_empty();
        (bandwidth, between) = (
            bandwidth.max(forced.0),
            if is_needed { forced.1 } else { 0 },
        );
    }
    // The latency takes longest to find. It is no more than this, which halving takes on one port.
    let most = u64::from(ceil_log2(involved)).saturating_mul(one.D().max(turn));
    let is_less = bandwidth.max(combining).max(between) > most;
    let latency = if is_less {
        0
    } else {
        one_message(LogP::new(one.L(), one.o(), turn)?, involved, ports)?
    };
    let mut bound = Bound {
        time: latency.max(between),
        name: LATENCY,
    };
    let name = if share.is_multicast {
        named(words)
    } else {
        "bandwidth"
    };
    for (time, name) in [(bandwidth, name), (combining, "combining")] {
        if time > bound.time || time == bound.time && share.is_multicast && name == named(words) {
            bound = Bound { time, name };
        }
    }
    Ok(bound)
}

/// What no algorithm can beat where a switch combines and copies.
fn beside_switch(goal: &dyn Goal, task: &Task, piece: u64) -> Result<Bound, Error> {
    let alone = |rank| {
        let has_root = rank == task.root;
        let [first, last] = [rank; 2];
        goal.crossing(
            task,
            &Set {
                ranks: 1,
                first,
                last,
                has_root,
            },
        )
    };
    let ranks: Vec<u64> = match task.is_counted() {
        true => (0..task.K).collect(),
        false => vec![task.root, (task.root + 1) % task.K],
    };
    let words = ranks.into_iter().flat_map(alone).max().unwrap_or(0);
    let words = u64::try_from(words).map_err(|_| Error::Overflow)?;
    let words = task.size(words)?;
    let least = shortest(task.machine, task.size(piece)?)?.min(words.max(1));
    let bandwidth = over_ports(task.machine, [words, least], 2, 1)?;
    let latency = task.machine.fastest().at(1)?.D();
    Ok(if bandwidth > latency {
        Bound {
            time: bandwidth,
            name: "bandwidth",
        }
    } else {
        Bound {
            time: latency,
            name: LATENCY,
        }
    })
}

/// The words of the blocks of a set, and of all others: no more, where blocks differ and the set is no range of ranks.
pub(super) fn sides(task: &Task, set: &Set) -> [u128; 2] {
    let others = task.K - set.ranks;
    if !task.is_counted() {
        return [set.ranks, others].map(|ranks| u128::from(ranks) * u128::from(task.n));
    }
    if set.last - set.first + 1 > set.ranks {
        return [set.ranks, others].map(|ranks| task.at_least(ranks).into());
    }
    let inside = task.words(set.first..set.last + 1);
    let inside = inside.end - inside.start;
    [inside, task.start(task.K) - inside].map(u128::from)
}

/// The words of all blocks but the shortest.
pub(super) fn others(task: &Task) -> Wide {
    if task.is_counted() {
        return (task.start(task.K) - task.sizes().min().unwrap_or(0)).into();
    }
    Wide::from(task.K - 1) * Wide::from(task.n)
}

/// The root sends, or receives, all blocks but its own.
pub(super) fn of_root(task: &Task) -> Share {
    let words = match task.is_counted() {
        true => {
            let own = task.words(task.root..task.root + 1);
            (task.start(task.K) - (own.end - own.start)).into()
        }
        false => Wide::from(task.K - 1) * Wide::from(task.n),
    };
    Share {
        words,
        combined: Wide::ZERO,
        is_multicast: false,
    }
}

/// The root, and the ranks whose blocks have words.
pub(super) fn involved_by_root(task: &Task) -> u64 {
    if !task.is_counted() {
        return task.K;
    }
    let sizes = (0..).zip(task.sizes());
    let is_other = |&(rank, size): &(u64, u64)| rank != task.root && size > 0;
    1 + sizes.filter(is_other).count() as u64
}

/// The times that the ports of groups, and the latencies between them, force.
fn forced(goal: &dyn Goal, task: &Task, levels: &Levels, least: u64) -> (u64, u64) {
    let element = u128::from(task.element);
    let crossing = |set: &Set| {
        goal.crossing(task, set)
            .map(|words| words.saturating_mul(element))
    };
    let between = |groups: u64| goal.between(task, groups).saturating_mul(element);
    let load = load::Load {
        K: task.K,
        root: task.root,
        k: task.k,
        is_shared: task.rule == PortRule::Strict,
        least,
        crossing: &crossing,
        between: &between,
    };
    let Some((bandwidth, groups)) = levels.loaded(&load) else {
        return (0, 0);
    };
    let latency = groups
        .iter()
        .filter(|group| group.groups > 1)
        .filter_map(|group| group.latency().ok())
        .max();
    (bandwidth, latency.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collectives::gather::Gather;
    use crate::collectives::list;
    use crate::engine::Machine;
    use crate::logp::{Level, LogGops, Placement, Profile};

    /// Every rank needs all words, and some rank has this to do.
    struct Sharing(Share);

    impl Goal for Sharing {
        fn ends_with(&self, task: &Task, _: u64, _: u64) -> Option<(u64, u64)> {
            Some((0, task.K))
        }

        fn share(&self, _: &Task) -> Share {
            self.0
        }
    }

    #[test]
    fn the_largest_has_its_name() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        let of = |words: u64, combined: u64| {
            let share = Share {
                words: words.into(),
                combined: combined.into(),
                is_multicast: false,
            };
            of_collective(&Sharing(share), &Task::new(machine, 8, 100, 3), 1).unwrap()
        };
        // Ranks hold a word at 0, 10, 14, 18, 20, 22, 24 and 24.
        assert_eq!(
            of(1, 0),
            Bound {
                time: 24,
                name: LATENCY
            }
        );
        // 100 words 4 apart, then a hop.
        assert_eq!(
            of(100, 100),
            Bound {
                time: 99 * 4 + 10,
                name: "bandwidth"
            }
        );
        // A hop, then 200 words combined, 3 each.
        assert_eq!(
            of(100, 200),
            Bound {
                time: 200 * 3 + 10,
                name: "combining"
            }
        );
    }

    /// The latency is not computed where it cannot be the largest.
    #[test]
    fn no_bound_is_below_the_latency() {
        for (L, o, g) in [(6, 2, 4), (1, 0, 50), (0, 3, 1), (100, 0, 0)] {
            let model = LogP::new(L, o, g).unwrap();
            for (K, words) in (2..40).flat_map(|K| (1..40).map(move |words| (K, words))) {
                let task = Task::new(Machine::Words(model), K, words, 2);
                let [latency, bandwidth] = [
                    one_message(model, K, 1),
                    over_ports(task.machine, [words, 1], 2, 1),
                ];
                let combining = 2 * words + model.D();
                let expected = latency.unwrap().max(bandwidth.unwrap()).max(combining);
                let share = Share {
                    words: words.into(),
                    combined: words.into(),
                    is_multicast: false,
                };
                assert_eq!(
                    of_collective(&Sharing(share), &task, 1).unwrap().time,
                    expected,
                    "{task:?}"
                );
            }
        }
    }

    /// What crosses is what the goal says of every set of ranks, word by word.
    #[test]
    fn the_goal_states_what_crosses() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        for known in list::ALL {
            for (K, root) in (2..6).flat_map(|K| (0..K).map(move |root| (K, root))) {
                let root = if ["gather", "scatter", "reduce", "broadcast"].contains(&known.name) {
                    root
                } else {
                    0
                };
                let task = Task {
                    root,
                    ..Task::new(machine, K, 3, 0)
                };
                for members in 1..1u64 << K {
                    let is_in = |rank: u64| members >> rank & 1 == 1;
                    let of = |inside: bool| (0..K).filter(move |&rank| is_in(rank) == inside);
                    let set = Set {
                        ranks: of(true).count() as u64,
                        first: of(true).min().unwrap(),
                        last: of(true).max().unwrap(),
                        has_root: is_in(root),
                    };
                    let needs = |inside: bool| {
                        let is_needed = |block: u64, rank: u64| {
                            let from = known
                                .goal
                                .ends_with(&task, rank, block)
                                .map_or(0..0, |(from, of)| from..from + of);
                            from.into_iter().any(|from| is_in(from) != inside)
                        };
                        let blocks = 0..u64::try_from(known.goal.blocks(&task)).unwrap();
                        3 * blocks
                            .filter(|&block| of(inside).any(|rank| is_needed(block, rank)))
                            .count() as u128
                    };
                    let expected = [needs(true), needs(false)];
                    assert_eq!(
                        known.goal.crossing(&task, &set),
                        expected,
                        "{}, K = {K}, {set:?}",
                        known.name
                    );
                }
            }
        }
    }

    /// The root gets a block from its own node by its own port, and two through the nic: 2 x 10,000 B at 1 ns, of which messages of
    /// a third of a block or more take 1 B less.
    #[test]
    fn a_nic_is_a_port_more() {
        let far = LogGops {
            L: 1000,
            o: 0,
            g: 0,
            G: 1_000_000,
            O: 0,
            H: 0,
        };
        let inner = vec![Level {
            ranks: 2,
            machine: far,
        }];
        let levels = Levels::new(inner, far, Placement::Block, Some(1)).unwrap();
        let task = Task::new(Machine::LogGops(Profile::Levels(levels)), 4, 10_000, 0);
        let time = of_collective(&Gather, &task, piece(&task, task.K))
            .unwrap()
            .time;
        assert!((20_000..=20_998).contains(&time), "{time}");
    }
}
