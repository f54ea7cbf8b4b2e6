//! Collectives under LogGOPS with strict or duplex ports: every program of sends, receives and combinations of a few ranks.
//!
//! What ranks hold at the start and need at the end is read from [`Goal`]; all else of the catalogue is not used.
//!
//! **Enumerated.** At every whole time every free rank may begin to receive a message that has arrived, to send any of
//! its values to any rank, to combine two values of a word; or it waits. A message has at most one value of each word and
//! costs what its words cost. One of a barrier costs one word and tells all that its sender knows. Programs that
//! [`Script`](castbench_algorithms::internals::collectives::script::Script) cannot write are included: a rank keeps any
//! number of partial results, and combines when it likes. The operator may commute.
//!
//! **Duplex ports**, one in each direction: a rank sends while it receives. It combines while it does neither, and sends nothing that it
//! still receives.
//!
//! **Why that is all.**
//! - Times of an execution in order are longest paths. So every operation begins as early as its predecessor, its port
//!   and its message allow, and leaving out a word or an operation delays nothing. A rank that lets an operation pass
//!   which it could begin waits for a message or a port, and begins that operation only after another one.
//! - A word that a rank gets twice is left out of the message received later: what it holds, makes, or will receive is not
//!   sent to it. (Not in barriers, whose messages tell several things at once.)
//! - Where each contribution is needed by one rank, a value is sent or combined once, and then need not be kept. The
//!   result does not leave the rank that needs it.
//! - Ranks that the goal does not distinguish may change names.
//! - What is sent or combined too late to reach a goal is left out.
//! - A state is dropped if [`Search::least_left`] shows that it cannot end in time.
//!
//! Small instances are also searched with every message and combination that can end in time, with the same result.

use std::collections::{BTreeSet, HashSet};

use castbench_algorithms::cost::{Exact, Limits};
use castbench_algorithms::error::Error;
use castbench_algorithms::internals::collectives::{self, Collective, Goal, PortRule, Task, list};
use castbench_algorithms::internals::engine::Machine;
use castbench_algorithms::internals::problem::Case;
use castbench_algorithms::logp::LogP;

use super::Effort;

/// Later than all times.
const NEVER: u32 = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Message {
    /// How long until it has arrived.
    arrives: u32,
    words: u32,
    /// Whether its receiver has let it pass.
    passed: bool,
    values: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Rank {
    held: usize,
    /// What it holds when it is no longer busy: what it is receiving or combining.
    making: usize,
    /// How long it receives and combines nothing else.
    busy: u32,
    /// How long it sends nothing because it does something else.
    no_send: u32,
    /// How long it combines nothing because it sends.
    no_combine: u32,
    /// How long its port sends nothing else.
    send_in: u32,
    /// How long ago its last receive began.
    received: u32,
    /// Whether it has let a combination, and a send, pass.
    passed: [bool; 2],
    /// Whether it begins nothing more now.
    waits: bool,
    coming: Vec<Message>,
}

impl Rank {
    /// When it may begin its next send.
    fn free_in(&self) -> u32 {
        self.no_send.max(self.send_in).max(u32::from(self.waits))
    }

    /// It begins nothing that it could begin now, until it has begun something else.
    fn wait(&mut self, g: u32) {
        self.passed[0] |= self.busy == 0 && self.no_combine == 0;
        self.passed[1] |= self.free_in() == 0;
        self.waits = true;
        if self.busy == 0 {
            for message in &mut self.coming {
                message.passed |= message.arrives == 0 && self.received >= message.words * g;
            }
        }
    }
}

type State = Vec<Rank>;

/// What a bit in a set of values stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    /// A rank that is known to have entered.
    Entered,
    /// A word.
    Words,
    /// A word and the ranks whose contributions are combined: bit `2^K * word + ranks`.
    Combined,
}

#[derive(Debug)]
struct Search {
    L: u32,
    o: u32,
    g: u32,
    c: u32,
    K: usize,
    rule: PortRule,
    values: Values,
    /// Words of all ranks; of a barrier the ranks.
    words: usize,
    /// Whether a rank keeps what it has sent or combined.
    keeps: bool,
    start: Vec<usize>,
    goal: Vec<usize>,
    /// The values of which the goal of each rank can be combined.
    parts: Vec<usize>,
    /// New names of ranks, and of values.
    names: Vec<(Vec<usize>, Vec<usize>)>,
    /// Whether programs are left out that are not faster than others.
    shortens: bool,
}

fn bits(mut set: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(bit)
    })
}

fn set_of(bits: impl Iterator<Item = usize>) -> usize {
    bits.fold(0, |set, bit| set | 1 << bit)
}

/// All orders of K ranks.
fn orders(K: usize) -> Vec<Vec<usize>> {
    (0..K).fold(vec![vec![]], |orders: Vec<Vec<usize>>, rank| {
        let with = |order: &Vec<usize>, at: usize| [&order[..at], &[rank], &order[at..]].concat();
        orders
            .iter()
            .flat_map(|order| (0..=order.len()).map(move |at| with(order, at)))
            .collect()
    })
}

impl Search {
    fn new(goal: &dyn Goal, task: &Task, shortens: bool) -> Self {
        let Machine::Words(model) = task.machine else {
            panic!("{task:?} counts no words")
        };
        let [L, o, g, c] =
            [model.L(), model.o(), model.gap(), task.c].map(|time| u32::try_from(time).unwrap());
        let size = |size: u128| usize::try_from(size).unwrap();
        let [K, n, blocks] = [
            size(task.K.into()),
            size(task.n.into()),
            size(goal.blocks(task)),
        ];
        // Of each block the ranks that have a contribution, and those whose contributions each rank needs.
        let block = |block: usize| {
            let has = |rank: &usize| goal.starts_with(task, *rank as u64, block as u64);
            let needs = |rank| {
                let needed = goal.ends_with(task, rank as u64, block as u64);
                needed.map_or(0, |(first, count)| {
                    set_of((first..first + count).map(|of| size((of % task.K).into())))
                })
            };
            (
                set_of((0..K).filter(has)),
                (0..K).map(needs).collect::<Vec<_>>(),
            )
        };
        let blocks: Vec<_> = (0..blocks).map(block).collect();
        let values = match () {
            () if goal.is_idempotent() => Values::Entered,
            () if blocks.iter().all(|(has, _)| has.is_power_of_two()) => Values::Words,
            () => Values::Combined,
        };
        let needs = |of: usize| {
            move |needs: &Vec<usize>| needs.iter().filter(|set| *set >> of & 1 == 1).count()
        };
        let keeps = !shortens
            || blocks
                .iter()
                .any(|block| (0..K).any(|of| needs(of)(&block.1) > 1));
        let words = if values == Values::Entered {
            K
        } else {
            blocks.len() * n
        };
        let value = |word: usize, ranks: usize| match (values, ranks) {
            (_, 0) => 0,
            (Values::Entered, ranks) => ranks,
            (Values::Words, _) => 1 << word,
            (Values::Combined, ranks) => 1 << ((word << K) + ranks),
        };
        let all = |of: &dyn Fn(usize) -> usize| {
            (0..blocks.len() * n).fold(0, |all, word| all | value(word, of(word / n)))
        };
        let start = (0..K)
            .map(|rank| all(&|block| blocks[block].0 & 1 << rank))
            .collect();
        let goal: Vec<_> = (0..K)
            .map(|rank| all(&|block| blocks[block].1[rank]))
            .collect();
        let part =
            |value: usize| move |whole: usize| value >> K == whole >> K && value & whole == value;
        let parts = goal.iter().map(|&goal| match values {
            Values::Entered | Values::Words => goal,
            Values::Combined => {
                set_of((0..words << K).filter(|&value| bits(goal).any(part(value))))
            }
        });
        let parts = parts.collect();
        // Another order of the ranks, if it maps each block to another one of the same kind.
        let named = |order: Vec<usize>| {
            let set = |set: usize| set_of(bits(set).map(|rank| order[rank]));
            let mut is_free = vec![true; blocks.len()];
            let block = |(has, needs): &(usize, Vec<usize>)| {
                let mut new = vec![0; K];
                needs
                    .iter()
                    .zip(&order)
                    .for_each(|(&needed, &to)| new[to] = set(needed));
                let new = (set(*has), new);
                let to = (0..blocks.len()).find(|&to| is_free[to] && blocks[to] == new)?;
                is_free[to] = false;
                Some(to)
            };
            let to: Vec<usize> = blocks.iter().map(block).collect::<Option<_>>()?;
            let word = |word: usize| to[word / n] * n + word % n;
            let table = match values {
                Values::Entered => order.clone(),
                Values::Words => (0..words).map(word).collect(),
                Values::Combined => (0..words << K)
                    .map(|old| (word(old >> K) << K) + set(old % (1 << K)))
                    .collect(),
            };
            let names: BTreeSet<&usize> = table.iter().collect();
            assert!(
                names.len() == table.len(),
                "two values get one name: {table:?}"
            );
            Some((order, table))
        };
        let names = orders(K)
            .into_iter()
            .filter(|order| shortens || order.is_sorted())
            .filter_map(named)
            .collect();
        Self {
            L,
            o,
            g,
            c,
            K,
            rule: task.rule,
            values,
            words,
            keeps,
            start,
            goal,
            parts,
            names,
            shortens,
        }
    }

    fn hop(&self) -> u32 {
        self.L + 2 * self.o
    }

    /// The contributions in values: of combined ones bit `K * word + rank`.
    fn items(&self, values: usize) -> usize {
        match self.values {
            Values::Entered | Values::Words => values,
            Values::Combined => bits(values).fold(0, |all, value| {
                all | (value % (1 << self.K)) << ((value >> self.K) * self.K)
            }),
        }
    }

    /// The words that a message with such values or items has at least.
    fn least_words(&self, items: usize) -> u32 {
        match self.values {
            Values::Entered => u32::from(items > 0),
            Values::Words => items.count_ones(),
            Values::Combined => set_of(bits(items).map(|item| item / self.K)).count_ones(),
        }
    }

    /// The values that can still be of use to a rank which holds them so long before the end.
    fn useful(&self, rank: usize, left: Option<u32>) -> usize {
        match left {
            None => 0,
            _ if !self.shortens => usize::MAX,
            Some(left) if left >= self.hop() => self.parts.iter().fold(0, |all, parts| all | parts),
            Some(left) if left >= self.c => self.parts[rank],
            Some(_) => self.goal[rank],
        }
    }

    /// What a message from one rank to another may have.
    fn contents(
        &self,
        (from, sender): (usize, &Rank),
        (to, receiver): (usize, &Rank),
        left: u32,
    ) -> Vec<usize> {
        let known = receiver.held | receiver.making;
        let coming = receiver
            .coming
            .iter()
            .fold(known, |all, message| all | message.values);
        let coming = if self.shortens { coming } else { 0 };
        match self.values {
            Values::Entered => Vec::from_iter((sender.held & !known != 0).then_some(sender.held)),
            _ => {
                let useful = sender.held & !if self.keeps { coming } else { self.goal[from] };
                let useful = useful & self.useful(to, left.checked_sub(self.hop()));
                let width = if self.values == Values::Words {
                    1
                } else {
                    1 << self.K
                };
                let with = |contents: Vec<usize>, word: usize| {
                    let values = bits(useful).filter(|value| value / width == word);
                    let more = values
                        .flat_map(|value| contents.iter().map(move |set| set | 1 << value))
                        .collect();
                    [contents.clone(), more].concat()
                };
                (0..self.words).fold(vec![0], with).split_off(1)
            }
        }
    }

    /// Everything that rank p may begin now.
    fn beginnings(&self, state: State, p: usize, left: u32, found: &mut Vec<State>) {
        let mut begin = |change: &dyn Fn(&mut State)| {
            let mut next = state.clone();
            next[p].passed = [false; 2];
            next[p]
                .coming
                .iter_mut()
                .for_each(|message| message.passed = false);
            change(&mut next);
            if next[p].busy == 0 {
                next[p].held |= std::mem::take(&mut next[p].making);
            }
            self.beginnings(next, p, left, found);
        };
        let rank = &state[p];
        if rank.busy == 0
            && rank.no_combine == 0
            && !rank.passed[0]
            && self.values == Values::Combined
        {
            let useful = self.useful(p, left.checked_sub(self.c));
            for (left, right) in
                bits(rank.held).flat_map(|left| bits(rank.held).map(move |right| (left, right)))
            {
                let made = 1 << (left | right);
                let fit = left < right
                    && left >> self.K == right >> self.K
                    && (left & right) % (1 << self.K) == 0;
                if fit && !rank.held & useful & made != 0 {
                    let spent = if self.keeps {
                        0
                    } else {
                        1 << left | 1 << right
                    };
                    begin(&|next| {
                        (next[p].busy, next[p].no_send) = (self.c, self.c);
                        (next[p].making, next[p].held) = (made, rank.held & !spent);
                    });
                }
            }
        }
        for (at, message) in rank.coming.iter().enumerate() {
            let is_ready =
                message.arrives == 0 && !message.passed && rank.received >= message.words * self.g;
            if rank.busy == 0 && is_ready {
                begin(&|next| {
                    next[p].coming.remove(at);
                    (next[p].busy, next[p].making, next[p].received) = (self.o, message.values, 0);
                    if self.rule == PortRule::Strict {
                        next[p].no_send = self.o;
                    }
                });
            }
        }
        if rank.free_in() == 0 && !rank.passed[1] {
            for to in (0..self.K).filter(|&to| to != p) {
                for values in self.contents((p, rank), (to, &state[to]), left) {
                    let words = if self.values == Values::Entered {
                        1
                    } else {
                        values.count_ones()
                    };
                    let arrives = self.o + self.L + (words - 1) * self.g;
                    begin(&|next| {
                        next[to].coming.push(Message {
                            arrives,
                            words,
                            passed: false,
                            values,
                        });
                        next[to].coming.sort_unstable();
                        next[p].send_in = self.o.max(words * self.g);
                        let until = match self.rule {
                            PortRule::Strict => &mut next[p].busy,
                            PortRule::Duplex => &mut next[p].no_combine,
                        };
                        *until = self.o;
                        next[p].held &= !if self.keeps { 0 } else { values };
                    });
                }
            }
        }
        let mut state = state;
        if self.shortens {
            state[p].wait(self.g);
        }
        found.push(state);
    }

    /// A time unit later.
    fn later(&self, mut state: State) -> State {
        for rank in &mut state {
            rank.waits = false;
            rank.coming
                .iter_mut()
                .for_each(|message| message.arrives = message.arrives.saturating_sub(1));
            if rank.busy == 1 {
                rank.held |= std::mem::take(&mut rank.making);
            }
            for time in [
                &mut rank.busy,
                &mut rank.no_send,
                &mut rank.no_combine,
                &mut rank.send_in,
            ] {
                *time = time.saturating_sub(1);
            }
            rank.received = NEVER.min(rank.received + 1);
        }
        state
    }

    /// When each rank may hold each item, without and with messages that are not sent yet.
    fn heard(&self, state: &State) -> [Vec<Vec<u32>>; 2] {
        let mut sent = vec![vec![NEVER; usize::BITS as usize]; self.K];
        for (rank, heard) in state.iter().zip(&mut sent) {
            let mut hear = |values, time: u32| {
                bits(self.items(values)).for_each(|item| heard[item] = time.min(heard[item]))
            };
            hear(rank.held, 0);
            hear(rank.making, rank.busy);
            rank.coming
                .iter()
                .for_each(|message| hear(message.values, message.arrives.max(rank.busy) + self.o));
        }
        let mut all = sent.clone();
        for (rank, heard) in state.iter().zip(&sent) {
            for (item, &time) in heard.iter().enumerate().filter(|(_, time)| **time < NEVER) {
                let known = time.max(rank.free_in()) + self.hop();
                all.iter_mut()
                    .for_each(|heard| heard[item] = known.min(heard[item]));
            }
        }
        [sent, all]
    }

    /// A time that passes before all ranks hold what they need:
    /// - each contribution takes a hop from a rank that holds it;
    /// - the combination of several is combined where all are, and then takes a hop to other ranks;
    /// - words that no message brings yet pass the port of their receiver one after the other;
    /// - so do words that only one rank has pass its port.
    fn least_left(&self, state: &State) -> u32 {
        if !self.shortens {
            return 0;
        }
        let [sent, heard] = self.heard(state);
        let train = |items, free: u32| match self.least_words(items) {
            0 => 0,
            words => free + self.hop() + (words - 1) * self.g,
        };
        let missing: Vec<usize> = (0..self.K)
            .map(|r| self.items(self.goal[r] & !state[r].held))
            .collect();
        let unsent = |q: usize, item: usize| sent[q][item] == NEVER;
        let mut least = 0;
        for (r, rank) in state.iter().enumerate() {
            for value in bits(self.goal[r] & !rank.held) {
                least = least.max(self.least_made(state, &heard, r, value));
            }
            let others = (0..self.K).filter(|&q| q != r);
            let new = set_of(bits(missing[r]).filter(|&item| unsent(r, item)));
            least = least.max(train(
                new,
                others
                    .clone()
                    .map(|q| state[q].free_in())
                    .min()
                    .unwrap_or(0),
            ));
            let only = bits(others.clone().fold(0, |all, q| all | missing[q]))
                .filter(|&item| !unsent(r, item));
            let only = set_of(only.filter(|&item| others.clone().all(|q| unsent(q, item))));
            least = least.max(train(only, rank.free_in()));
        }
        least
    }

    /// The sum, over all ranks and the values they lack, of lower bounds on when a rank holds a value.
    fn all_left(&self, state: &State) -> u32 {
        let [_, heard] = self.heard(state);
        let of = |(r, rank): (usize, &Rank)| {
            bits(self.goal[r] & !rank.held)
                .map(|value| self.least_made(state, &heard, r, value))
                .sum::<u32>()
        };
        state.iter().enumerate().map(of).sum()
    }

    /// A lower bound on when one rank holds one value.
    fn least_made(&self, state: &State, heard: &[Vec<u32>], r: usize, value: usize) -> u32 {
        let all = |q: usize| {
            bits(self.items(1 << value))
                .map(|item| heard[q][item])
                .max()
                .unwrap_or(0)
        };
        if self.values != Values::Combined {
            return all(r);
        }
        let has = |q: usize| {
            let rank = &state[q];
            let coming = rank
                .coming
                .iter()
                .filter(|message| message.values >> value & 1 == 1);
            let coming = coming
                .map(|message| message.arrives.max(rank.busy) + self.o)
                .min()
                .unwrap_or(NEVER);
            match () {
                () if rank.held >> value & 1 == 1 => 0,
                () if rank.making >> value & 1 == 1 => rank.busy,
                () => coming.min(all(q).max(rank.busy) + self.c),
            }
        };
        let known = |q| has(q).max(state[q].free_in()) + self.hop();
        (0..self.K)
            .filter(|&q| q != r)
            .map(known)
            .fold(has(r), u32::min)
    }

    /// The state with ranks renumbered: the first, in order, of all equivalent states.
    fn named(&self, state: &State) -> State {
        let renamed = |(order, table): &(Vec<usize>, Vec<usize>)| {
            let set = |set: usize| set_of(bits(set).map(|value| table[value]));
            let mut new = vec![Rank::default(); self.K];
            for (rank, &to) in state.iter().zip(order) {
                let coming = rank.coming.iter().map(|message| Message {
                    values: set(message.values),
                    ..*message
                });
                let mut coming: Vec<_> = coming.collect();
                coming.sort_unstable();
                new[to] = Rank {
                    held: set(rank.held),
                    making: set(rank.making),
                    coming,
                    ..*rank
                };
            }
            new
        };
        self.names.iter().map(renamed).min().unwrap_or_default()
    }

    /// Whether some program ends by this time.
    fn ends_by(&self, limit: u32, states: &mut usize) -> bool {
        let begin = |&held: &usize| Rank {
            held,
            received: NEVER,
            ..Rank::default()
        };
        let mut stack = vec![(0, self.start.iter().map(begin).collect::<State>())];
        let mut seen = HashSet::new();
        while let Some((time, state)) = stack.pop() {
            *states += 1;
            let mut partial = vec![state];
            for p in 0..self.K {
                let mut found = Vec::new();
                partial
                    .into_iter()
                    .for_each(|state| self.beginnings(state, p, limit - time, &mut found));
                found.retain(|state| time + self.least_left(state) <= limit);
                partial = found;
            }
            if partial.iter().any(|state| {
                state
                    .iter()
                    .zip(&self.goal)
                    .all(|(rank, goal)| goal & !rank.held == 0)
            }) {
                return true;
            }
            let later = partial.into_iter().map(|state| self.later(state));
            let mut later: Vec<_> = later
                .filter(|state| time + 1 + self.least_left(state) <= limit)
                .collect();
            later.sort_by_cached_key(|state| std::cmp::Reverse(self.all_left(state)));
            for state in later {
                let next = (time + 1, self.named(&state));
                if seen.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        false
    }
}

/// The best algorithm of the catalogue, and the bound.
fn best(collective: &'static Collective, task: Task) -> (u64, &'static str, u64) {
    let segments = (1..=task.n).flat_map(|m| {
        collective
            .entries
            .iter()
            .map(move |entry| (entry, Task { m, ..task }))
    });
    let costs = segments.filter_map(|(entry, task)| {
        let found = match collective
            .at(entry.algorithm, task)
            .costs(&Limits::default())
        {
            Err(Error::Parameter { .. }) => return None,
            found => found.unwrap(),
        };
        match (found.simulated.cost(), found.lower_bound) {
            (Some(Exact::Integer(cost)), Exact::Integer(bound)) => Some((cost, entry.name, bound)),
            costs => panic!("{}: {costs:?}", entry.name),
        }
    });
    costs.min_by_key(|cost| cost.0).unwrap()
}

/// Whether ranks alone carry it out: a program has no switch. The claims `bound-*-switch` hold the others against their bounds.
fn is_of_ranks(name: &str) -> bool {
    !name.contains("-switch")
}

/// Compares every algorithm of a collective with the optimum.
fn hold(collective: &'static Collective, effort: &mut Effort, task: Task, least: u64) {
    let cases = collective.entries.iter();
    let cases = cases.filter(|listed| is_of_ranks(listed.name));
    let cases = cases.map(|listed| (listed.name, collective.at(listed.algorithm, task)));
    effort.hold_of(cases, &task, least);
}

/// The least time of all programs that end before `cost`, else `cost`; with the number of states.
fn search(goal: &dyn Goal, task: &Task, cost: u64, shortens: bool) -> (u64, usize) {
    let (search, mut states) = (Search::new(goal, task, shortens), 0);
    let ends = |time: &u64| search.ends_by(u32::try_from(*time).unwrap(), &mut states);
    ((0..cost).find(ends).unwrap_or(cost), states)
}

/// Small machines L, o, g, c with `g = D`, `g > D`, `g < D` and `L = 0`, and the most ranks that do not take too long.
const MACHINES: [([u64; 4], u64); 4] = [
    ([1, 0, 1, 1], 4),
    ([1, 1, 4, 1], 4),
    ([2, 1, 3, 2], 4),
    ([0, 1, 1, 1], 3),
];

/// Compares the best algorithm with the least time of all programs; lines where it takes longer.
fn gaps(
    collective: &'static Collective,
    rule: PortRule,
    effort: &mut Effort,
    sizes: &[(u64, u64)],
) -> Vec<String> {
    let points = MACHINES
        .iter()
        .flat_map(|machine| sizes.iter().map(move |size| (machine, size)));
    let points = points.filter(|((_, most), (K, _))| K <= most);
    let line = |(&([L, o, g, c], _), &(K, n)): (&([u64; 4], u64), &(u64, u64))| {
        let c = if collective.parameters.0.iter().any(|axis| axis.key == "c") {
            c
        } else {
            0
        };
        let task = Task {
            rule,
            ..Task::new(Machine::Words(LogP::new(L, o, g).unwrap()), K, n, c)
        };
        let (cost, name, bound) = best(collective, task);
        let (least, states) = search(collective.goal, &task, cost, true);
        effort.add(states);
        (1..=n).for_each(|m| hold(collective, effort, Task { m, ..task }, least));
        let point = format!("{} L={L} o={o} g={g} c={c} K={K} n={n}", collective.name);
        assert!(
            bound <= least,
            "{point}: the bound {bound} is above the optimum {least}"
        );
        // The same where nothing is left out, on instances for which that is not too much.
        let most = if collective.goal.blocks(&task) == 1 {
            3
        } else {
            2
        };
        if n == 1 && (K == 2 || K == 3 && least <= most) {
            let (all, states) = search(collective.goal, &task, least, false);
            effort.add(states);
            assert_eq!(all, least, "{point}: a program that was left out is faster");
        }
        println!(
            "{point}: {name} {cost}, {}",
            if least == cost {
                "optimal"
            } else {
                "not optimal"
            }
        );
        (least < cost).then(|| format!("{point}: optimum {least}, {name} {cost}, bound {bound}"))
    };
    points.filter_map(line).collect()
}

#[test]
fn every_program_of_small_collectives() {
    use collectives::{
        allgather, allreduce, alltoall, barrier, broadcast, gather, reduce, reduce_scatter, scan,
        scatter,
    };
    let mut effort = Effort::default();
    let one = [(2, 1), (3, 1), (4, 1)];
    let two = [(2, 1), (3, 1), (4, 1), (2, 2)];
    let three = [(2, 1), (3, 1), (4, 1), (2, 2), (3, 2)];
    let strict = PortRule::Strict;
    let lines = [
        gaps(&barrier::BARRIER, strict, &mut effort, &one),
        gaps(&broadcast::BROADCAST, strict, &mut effort, &three),
        gaps(&gather::GATHER, strict, &mut effort, &three),
        gaps(&scatter::SCATTER, strict, &mut effort, &three),
        gaps(&allgather::ALLGATHER, strict, &mut effort, &three),
        gaps(&alltoall::ALLTOALL, strict, &mut effort, &two),
        gaps(&reduce::REDUCE, strict, &mut effort, &three),
        gaps(
            &reduce_scatter::REDUCE_SCATTER,
            strict,
            &mut effort,
            &[(2, 1), (3, 1), (2, 2)],
        ),
        gaps(&allreduce::ALLREDUCE, strict, &mut effort, &two),
        gaps(&scan::SCAN, strict, &mut effort, &two),
        gaps(&scan::EXSCAN, strict, &mut effort, &two),
    ];
    assert_eq!(lines.concat().join("\n"), GAPS.trim());
    let searched: BTreeSet<&str> = effort.evaluated.keys().copied().collect();
    let listed = list::ALL.iter().flat_map(|known| known.entries);
    assert_eq!(
        searched,
        listed
            .map(|entry| entry.name)
            .filter(|name| is_of_ranks(name))
            .collect(),
        "search each collective"
    );
    effort.tell("collectives");
}

/// In broadcasts that state their lanes messages from several senders do not contend; they have a search of their own.
#[test]
fn every_program_of_small_collectives_on_duplex_ports() {
    use collectives::{
        allgather, allreduce, alltoall, barrier, gather, reduce, reduce_scatter, scan, scatter,
    };
    let mut effort = Effort::default();
    let one = [(2, 1), (3, 1), (4, 1)];
    let two = [(2, 1), (3, 1), (4, 1), (2, 2)];
    let three = [(2, 1), (3, 1), (4, 1), (2, 2), (3, 2)];
    let duplex = PortRule::Duplex;
    let lines = [
        gaps(&barrier::BARRIER, duplex, &mut effort, &one),
        gaps(&gather::GATHER, duplex, &mut effort, &three),
        gaps(&scatter::SCATTER, duplex, &mut effort, &three),
        gaps(&allgather::ALLGATHER, duplex, &mut effort, &three),
        gaps(&alltoall::ALLTOALL, duplex, &mut effort, &two),
        gaps(&reduce::REDUCE, duplex, &mut effort, &three),
        gaps(
            &reduce_scatter::REDUCE_SCATTER,
            duplex,
            &mut effort,
            &[(2, 1), (3, 1), (2, 2)],
        ),
        gaps(&allreduce::ALLREDUCE, duplex, &mut effort, &two),
        gaps(&scan::SCAN, duplex, &mut effort, &two),
        gaps(&scan::EXSCAN, duplex, &mut effort, &two),
    ];
    assert_eq!(lines.concat().join("\n"), DUPLEX_GAPS.trim());
    effort.tell("collectives on duplex ports");
}

/// Where none is optimal on duplex ports.
const DUPLEX_GAPS: &str = "
reduce L=1 o=1 g=4 c=1 K=3 n=2: optimum 11, reduce-chain 12, bound 7
reduce-scatter L=1 o=0 g=1 c=1 K=2 n=2: optimum 3, reduce-scatter-ring 4, bound 3
reduce-scatter L=1 o=1 g=4 c=1 K=2 n=2: optimum 8, reduce-scatter-ring 9, bound 7
reduce-scatter L=2 o=1 g=3 c=2 K=2 n=2: optimum 9, reduce-scatter-ring 11, bound 8
allreduce L=2 o=1 g=3 c=2 K=2 n=2: optimum 9, allreduce-ring 10, bound 7
scan L=1 o=0 g=1 c=1 K=2 n=2: optimum 3, scan-linear 4, bound 2
scan L=1 o=1 g=4 c=1 K=4 n=1: optimum 8, scan-recursive-doubling 10, bound 7
scan L=1 o=1 g=4 c=1 K=2 n=2: optimum 7, scan-linear 9, bound 7
scan L=2 o=1 g=3 c=2 K=2 n=2: optimum 9, scan-linear 11, bound 7
exscan L=1 o=1 g=4 c=1 K=4 n=1: optimum 8, exscan-recursive-doubling 9, bound 7
";

/// Where no algorithm of the catalogue is optimal.
const GAPS: &str = "
alltoall L=2 o=1 g=3 c=2 K=4 n=1: optimum 11, alltoall-pairwise 12, bound 10
reduce L=1 o=1 g=4 c=1 K=3 n=2: optimum 11, reduce-chain 12, bound 7
reduce-scatter L=1 o=0 g=1 c=1 K=2 n=2: optimum 3, reduce-scatter-ring 4, bound 3
reduce-scatter L=1 o=1 g=4 c=1 K=2 n=2: optimum 8, reduce-scatter-ring 9, bound 7
reduce-scatter L=2 o=1 g=3 c=2 K=2 n=2: optimum 10, reduce-scatter-ring 11, bound 8
allreduce L=1 o=1 g=4 c=1 K=3 n=1: optimum 8, allreduce-recursive-doubling 11, bound 7
scan L=1 o=0 g=1 c=1 K=2 n=2: optimum 3, scan-linear 4, bound 2
scan L=1 o=1 g=4 c=1 K=4 n=1: optimum 8, scan-recursive-doubling 10, bound 7
scan L=1 o=1 g=4 c=1 K=2 n=2: optimum 7, scan-linear 9, bound 7
scan L=2 o=1 g=3 c=2 K=2 n=2: optimum 9, scan-linear 11, bound 7
exscan L=1 o=1 g=4 c=1 K=4 n=1: optimum 8, exscan-recursive-doubling 9, bound 7
";
