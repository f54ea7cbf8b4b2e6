//! The times of all ranks of a plan, without the engine: one time line for each rank.
//!
//! Rounds are followed in their order, or backwards, with what is under way in a list, trees along their edges. Other plans are followed by their
//! scripts: a rank goes on until it waits for a message, and again when that has been sent.

use std::collections::HashMap;
use std::iter;

use super::rounds::{Phase, Stretch};
use super::script::{Act, Script};
use super::task::{Hop, PortRule, Task, narrow};
use super::timeline::{DuplexClock, Line, PortsClock, RankClock};
use super::words::Deal;
use super::{Part, Plan, Tree};
use crate::error::Error;
use crate::wide::Wide;

/// Most messages that are followed: 64 rounds of 2^16 ranks.
const MOST: u64 = 1 << 22;

/// When the last rank is done; `None` for too many messages.
///
/// # Errors
/// [`Error::Overflow`].
pub fn time(plan: &Plan, task: &Task) -> Result<Option<Wide>, Error> {
    if plan.messages(task) > MOST.into() || task.K > MOST {
        return Ok(None);
    }
    match task.rule {
        PortRule::Strict if task.k == 1 => end::<RankClock>(plan, task),
        PortRule::Strict => end::<PortsClock>(plan, task),
        PortRule::Duplex => end::<DuplexClock>(plan, task),
    }
}

fn end<L: Line>(plan: &Plan, task: &Task) -> Result<Option<Wide>, Error> {
    let ranks = narrow(task.K).saturating_add(plan.switches());
    let mut lines = vec![L::idle(task); ranks as usize];
    if task.K > 1 {
        follow(plan, task, None, &mut lines)?;
    }
    Ok(lines.iter().map(L::end).max())
}

/// Follows a plan, or the plan backwards: then it is said whether ranks combine what they receive.
fn follow(
    plan: &Plan,
    task: &Task,
    back: Option<bool>,
    lines: &mut [impl Line],
) -> Result<(), Error> {
    match plan {
        Plan::Rounds(phases) => in_direction(phases.iter(), back)
            .try_for_each(|phase| follow_rounds(phase, task, back, lines)),
        Plan::Then(parts) => in_direction(parts.iter(), back)
            .try_for_each(|Part { task, plan, .. }| follow(plan, task, back, lines)),
        Plan::Reverse { plan, is_combined } if back.is_none() && has_rounds_only(plan) => {
            follow(plan, task, Some(*is_combined), lines)
        }
        Plan::Tree(tree) => follow_tree(tree, task, lines),
        Plan::Reverse { .. } | Plan::Groups(_) | Plan::Switch(_) | Plan::Script { .. } => {
            follow_script(plan, task, lines)
        }
    }
}

fn has_rounds_only(plan: &Plan) -> bool {
    match plan {
        Plan::Rounds(_) => true,
        Plan::Then(parts) => parts.iter().all(|part| has_rounds_only(&part.plan)),
        _ => false,
    }
}

/// From the first to the last, or backwards.
fn in_direction<T>(
    mut items: impl DoubleEndedIterator<Item = T>,
    back: Option<bool>,
) -> impl Iterator<Item = T> {
    iter::from_fn(move || match back {
        None => items.next(),
        Some(_) => items.next_back(),
    })
}

/// The hops of messages, of which many in a row have one size.
fn hops(task: &Task) -> impl FnMut(u64) -> Result<Hop, Error> {
    let mut known: Option<(u64, Hop)> = None;
    move |words| match known {
        Some((known, hop)) if known == words => Ok(hop),
        _ => {
            let hop = task.hop(words)?;
            known = Some((words, hop));
            Ok(hop)
        }
    }
}

fn follow_rounds<L: Line>(
    phase: &Phase,
    task: &Task,
    back: Option<bool>,
    lines: &mut [L],
) -> Result<(), Error> {
    let mut exchange = Exchange {
        hop: hops(task),
        arrivals: Vec::with_capacity(lines.len()),
    };
    for Stretch { rounds, period } in in_direction(phase.stretches(), back) {
        let mut left = (rounds.end - rounds.start) / period;
        let first = match back {
            None => rounds.start,
            Some(_) => rounds.end - period,
        };
        let period = in_direction(first..first + period, back);
        let period: Vec<_> = period.map(|round| mail(phase, task, round, back)).collect();
        let mut steady = Steady::default();
        let root = phase.is_begun_by_one().then(|| task.rank(0));
        while left > 0 {
            for mail in &period {
                exchange.follow(mail, lines)?;
            }
            left -= 1;
            if left > 0 {
                left -= steady.skip(left, root, back, lines);
            }
        }
    }
    Ok(())
}

/// From which rank to which one a message goes, with how many words, and whether they are combined. A hop is twice as long.
type Mail = (u32, u32, u64, bool);

/// The messages of a round.
fn mail(phase: &Phase, task: &Task, round: u64, back: Option<bool>) -> Vec<Mail> {
    let deal = Deal::new(task);
    let mut all = Vec::new();
    for message in in_direction(phase.round(round), back) {
        let combines = back.unwrap_or_else(|| phase.combines(message));
        let one = |number| {
            let to = phase.to(number, message)?;
            let words = phase.count(task, deal, number, message);
            let [from, to] = [number, to].map(|number| phase.rank(task, number));
            Some(match back {
                None => (from, to, words, combines),
                Some(_) => (to, from, words, combines),
            })
        };
        all.extend((0..task.K).filter_map(one));
    }
    all
}

/// How rounds are followed.
struct Exchange<H> {
    hop: H,
    /// When the messages of a round arrive.
    arrivals: Vec<Wide>,
}

impl<H: FnMut(u64) -> Result<Hop, Error>> Exchange<H> {
    fn follow(&mut self, mail: &[Mail], lines: &mut [impl Line]) -> Result<(), Error> {
        self.arrivals.clear();
        for &(from, _, words, _) in mail {
            let hop = (self.hop)(words)?;
            self.arrivals.push(lines[from as usize].send(hop));
        }
        for (&(_, to, words, combines), &arrival) in mail.iter().zip(&self.arrivals) {
            let (line, hop) = (&mut lines[to as usize], (self.hop)(words)?);
            if combines {
                line.combine(hop, arrival);
            } else {
                line.receive(hop, arrival);
            }
        }
        Ok(())
    }
}

/// Periods with the same messages, in a row. So many of them add to all times what as many before them added.
///
/// A time after d periods is `x_i' = max_j(x_j + A_ij)` over the times before them, with the same A for any d in a row. Let d periods, and
/// the next d, add the same `c_i`. The j that decides the second time has `c_j >= c_i`, for else less had been added. So where no time
/// depends on one that grows by more than itself does, the j that decides grows as i does, none overtakes it, and d more periods add `c_i`
/// again. All ranks must grow alike, except a root that receives nothing. It waits for no other rank, so less may be added to it.
/// Backwards no other rank waits for it, so more may be added to it.
struct Steady<L> {
    /// The lines as they once were.
    lines: Vec<L>,
    /// How many periods ago.
    age: u64,
    /// After so many they are taken anew.
    most: u64,
    /// What as many periods as these added to each rank before that.
    added: Option<(u64, Vec<Option<Wide>>)>,
}

impl<L> Default for Steady<L> {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            age: 0,
            most: 1,
            added: None,
        }
    }
}

impl<L: Line> Steady<L> {
    /// How many of the `left` periods need not be followed, after another one was; what they add is added.
    fn skip(&mut self, left: u64, root: Option<u32>, back: Option<bool>, lines: &mut [L]) -> u64 {
        self.age += 1;
        if let Some((age, _)) = self.added
            && age > self.age
        {
            return 0;
        }
        let pairs = lines.iter_mut().zip(&mut self.lines);
        let added: Vec<_> = pairs.map(|(line, before)| added(line, before)).collect();
        let is_uniform = is_uniform(&added, root, back);
        let again = (self.age, added);
        if is_uniform && self.added.as_ref() == Some(&again) {
            let (age, added) = again;
            for (line, added) in lines.iter_mut().zip(added) {
                let all = left / age * added.unwrap_or_default();
                used(line).for_each(|time| *time += all);
            }
            return left / age * age;
        }
        if is_uniform || self.added.is_some() || self.age >= self.most {
            self.added = is_uniform.then_some(again);
            self.most = 2 * self.age.max(self.most);
            self.age = 0;
            self.lines = lines.to_vec();
        }
        0
    }
}

/// Whether all ranks but the root have grown alike, and the root no more, or backwards no less.
fn is_uniform(added: &[Option<Wide>], root: Option<u32>, back: Option<bool>) -> bool {
    let mut others = (0..).zip(added).filter(|(rank, _)| Some(*rank) != root);
    let Some((_, &Some(alike))) = others.next() else {
        return false;
    };
    let may_differ = |root: u32| {
        added[root as usize].is_some_and(|own| match back {
            None => own <= alike,
            Some(_) => own >= alike,
        })
    };
    others.all(|(_, added)| *added == Some(alike)) && root.is_none_or(may_differ)
}

/// The times that were used.
fn used(line: &mut impl Line) -> impl Iterator<Item = &mut Wide> {
    line.times().filter(|time| **time != Wide::ZERO)
}

/// What has been added to all times that were used; `None` where it is not the same.
fn added<L: Line>(line: &mut L, before: &mut L) -> Option<Wide> {
    let mut added = None;
    for (now, before) in line.times().zip(before.times()) {
        if (*now, *before) == (Wide::ZERO, Wide::ZERO) {
            continue;
        }
        let own = now.checked_sub(*before)?;
        if *before == Wide::ZERO || added.is_some_and(|added| added != own) {
            return None;
        }
        added = Some(own);
    }
    added.or(Some(Wide::ZERO))
}

fn follow_tree(tree: &Tree, task: &Task, lines: &mut [impl Line]) -> Result<(), Error> {
    let (mut hop, mut script) = (hops(task), Script::of_sizes());
    // Of each child when the messages arrive that it receives, or sends to its parent.
    let mut arrivals = vec![Vec::new(); lines.len()];
    for number in tree.in_turn() {
        let rank = task.rank(number);
        let line = &mut lines[rank as usize];
        script.clear();
        tree.write(task, rank, &mut script);
        for step in script.steps() {
            let is_child = (step.act == Act::Send) == tree.is_up;
            let child = if is_child {
                number
            } else {
                task.number(step.peer)
            };
            let (mail, hop) = (
                &mut arrivals[narrow(child) as usize],
                hop(script.words(step))?,
            );
            match step.act {
                Act::Send => mail.push(line.send(hop)),
                Act::Receive => line.receive(hop, mail[step.round as usize]),
                _ => line.combine(hop, mail[step.round as usize]),
            }
        }
    }
    Ok(())
}

fn follow_script(plan: &Plan, task: &Task, lines: &mut [impl Line]) -> Result<(), Error> {
    let (script, ends) = plan.scripts(task)?;
    let mut next: Vec<_> = [0].into_iter().chain(ends.iter().copied()).collect();
    let mut arrivals = HashMap::new();
    // Those that can go on.
    let mut ranks: Vec<_> = (0..narrow(ends.len() as u64)).collect();
    while let Some(rank) = ranks.pop() {
        let (line, next) = (&mut lines[rank as usize], &mut next[rank as usize]);
        for step in &script.steps[*next..ends[rank as usize]] {
            let hop = if u64::from(rank) < task.K {
                task.hop(script.words(step))?
            } else {
                Hop::OF_SWITCH
            };
            match step.act {
                Act::Send => {
                    arrivals.insert((rank, step.peer, step.round), line.send(hop));
                    ranks.push(step.peer);
                }
                Act::Local { .. } => line.work(hop.q),
                act => {
                    let Some(arrival) = arrivals.remove(&(step.peer, rank, step.round)) else {
                        break;
                    };
                    if act == Act::Receive {
                        line.receive(hop, arrival);
                    } else {
                        line.combine(hop, arrival);
                    }
                }
            }
            *next += 1;
        }
    }
    Ok(())
}
