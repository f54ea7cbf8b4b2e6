//! Allreduce on tori: where ranks stand, and a vector that is cut into parts, each of which begins in another dimension.
//!
//! With k ports a torus has `ceil(k/2)` dimensions. The last side is the largest divisor of K whose `ceil(k/2)`-th power is at most K, the
//! one before it likewise for what is left and one dimension less, and so on: `8x4` for 32 ranks and k = 3 or 4. In a side of 1 there is
//! nowhere to send to, so the torus has only the other d, and min(k, 2d) parts, one for each port with a link. Ranks are numbered along
//! the last dimension first, as networks `torus:8x4` number them. Part i begins in dimension `i mod d` and goes on with the next ones,
//! around; from part d on it is mirrored: it sees coordinate x as -x.
//!
//! **Cost** where parts and blocks have one size: in a round all ranks send messages of the same sizes, then receive and combine as
//! many, at the same time, so one of them is followed. For other n the times of all ranks are followed, for up to 2^22 messages.

use std::ops::Range;
use std::rc::Rc;

use crate::collectives::{Algorithm, Closed, Properties};
use crate::cost::LARGEST;
use crate::error::{Error, refuse_if};
use crate::plan::task::PortRule;
use crate::plan::timeline::{DuplexClock, Line, PortsClock};
use crate::plan::{Hop, Phase, Plan, Task, Words, narrow, part};
use crate::wide::Wide;

/// Most ranks: their rounds are followed one by one.
const MOST: u64 = 1 << 16;

/// A dimension of a torus as a part sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dimension {
    stride: u64,
    /// How many ranks are in a row.
    pub side: u64,
    is_mirrored: bool,
}

impl Dimension {
    /// The coordinate of a rank.
    pub fn at(self, rank: u64) -> u64 {
        self.seen(rank / self.stride % self.side)
    }

    /// The rank with another coordinate.
    pub fn moved(self, rank: u64, at: u64) -> u64 {
        let own = rank / self.stride % self.side;
        rank - own * self.stride + self.seen(at % self.side) * self.stride
    }

    fn seen(self, at: u64) -> u64 {
        match self.is_mirrored {
            true => (self.side - at) % self.side,
            false => at,
        }
    }
}

/// The steps of a part that goes from dimension to dimension, `log(side)` in each, rounded up: the dimension, and which of its steps it is.
pub(super) fn in_turn(
    part: &[Dimension],
    radix: u64,
) -> impl DoubleEndedIterator<Item = (Dimension, u32)> + Clone {
    let steps = move |dimension: &Dimension| {
        let whole = dimension.side.ilog(radix);
        whole + u32::from(radix.pow(whole) < dimension.side)
    };
    let most = part.iter().map(steps).max().unwrap_or(0);
    let all = (0..most).flat_map(move |step| part.iter().map(move |dimension| (*dimension, step)));
    all.filter(move |(dimension, step)| *step < steps(dimension))
}

/// The rounds of an allreduce on a torus.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub rounds: u64,
    /// At most two for each dimension.
    pub parts: u64,
    /// The messages of a part in a round.
    pub each: u64,
    /// Whether words are scattered, so that an allgather follows, the same messages backwards.
    pub scatters: bool,
}

impl Shape {
    /// So many rounds that scatter words, in each a message of each part, where a part has these dimensions.
    pub fn scattering(task: &Task, part: &[Dimension], rounds: u64) -> Self {
        Self {
            rounds,
            parts: task.k.min(2 * part.len() as u64),
            each: 1,
            scatters: true,
        }
    }
}

/// What differs between allreduces on a torus, in whose rounds each rank sends messages of each part, then receives and combines as many.
pub(super) trait OnTorus: Sync {
    /// Its rounds, where a part has these dimensions.
    ///
    /// # Errors
    /// [`Error::Parameter`] where it is not defined.
    fn shape(&self, task: &Task, part: &[Dimension]) -> Result<Shape, Error>;

    /// The words of a message of a round, of a part with this many, where they are divided without rest.
    fn words(&self, part: &[Dimension], round: u64, words: u64) -> u64;

    /// A message: to which rank, and which words, by its sender, the round, its number in it, and the words of the part.
    fn message(
        &self,
        part: &[Dimension],
        rank: u64,
        message: [u64; 2],
        words: Range<u64>,
    ) -> (u64, Words);
}

/// The torus of a task: the dimensions of each of 2d parts, in its order. One rank has one dimension.
fn parts(task: &Task) -> Result<Vec<Vec<Dimension>>, Error> {
    refuse_if!(task.K > MOST, "K" = task.K => "expected at most {MOST} ranks of a torus");
    let (mut torus, mut stride, mut left) = (Vec::new(), 1, task.K);
    for others in (1..=narrow(task.k.div_ceil(2))).rev() {
        let fits = |side: &u64| side.checked_pow(others).is_some_and(|all| all <= left);
        let divides = |side: &u64| left.is_multiple_of(*side);
        let side = (1..=left).take_while(fits).filter(divides).last();
        let side = side.unwrap_or(1);
        if side > 1 || task.K == 1 && others == 1 {
            torus.insert(0, (stride, side));
        }
        (stride, left) = (stride * side, left / side);
    }
    let dimensions = torus.len() as u64;
    let dimension = |part: u64, index: u64| {
        let (stride, side) = torus[narrow((part + index) % dimensions) as usize];
        Dimension {
            stride,
            side,
            is_mirrored: part >= dimensions,
        }
    };
    let own = |part| {
        (0..dimensions)
            .map(|index| dimension(part, index))
            .collect()
    };
    Ok((0..2 * dimensions).map(own).collect())
}

impl<T: OnTorus> Algorithm for T {
    /// Where all parts and their blocks have one size all ranks do the same at the same time, so one is followed.
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let parts = parts(task)?;
        let shape = self.shape(task, &parts[0])?;
        let blocks = if shape.scatters { task.K } else { 1 };
        if !task.n.is_multiple_of(shape.parts * blocks) {
            return Ok(Closed::Between([0, LARGEST]));
        }
        let hop = |round, message: u64| {
            let part = &parts[narrow(message / shape.each) as usize];
            task.hop(self.words(part, round, task.n / shape.parts))
        };
        let messages = shape.parts * shape.each;
        let hops = |round| (0..messages).map(|message| hop(round, message)).collect();
        let rounds: Vec<_> = (0..shape.rounds).map(hops).collect::<Result<_, _>>()?;
        Closed::exact(match task.rule {
            PortRule::Strict => followed::<PortsClock>(task, &rounds, shape.scatters),
            PortRule::Duplex => followed::<DuplexClock>(task, &rounds, shape.scatters),
        })
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (parts, n) = (Rc::new(parts(task)?), task.n);
        let shape = self.shape(task, &parts[0])?;
        let in_round = shape.parts * shape.each;
        let of = move |rank, number: u64| {
            let (index, message) = (number % in_round / shape.each, number % shape.each);
            let (own, words) = (&parts[narrow(index) as usize], part(n, index, shape.parts));
            self.message(own, rank, [number / in_round, message], words)
        };
        let half = || {
            let (to, words) = (of.clone(), of.clone());
            let to = move |rank, number| to(rank, number).0;
            let words = move |rank, number| words(rank, number).1;
            let phase = Phase::new(task, shape.rounds * in_round, to, words);
            Plan::phase(phase.in_round(in_round).combined())
        };
        let back = shape.scatters.then(|| half().reversed(false));
        Plan::in_turn(task, [half()].into_iter().chain(back).map(Ok))
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            has_ports: true,
            ..Properties::PLAIN
        }
    }
}

/// When a rank has done these rounds, and then them backwards without combining.
fn followed<L: Line>(task: &Task, rounds: &[Vec<Hop>], is_doubled: bool) -> Wide {
    let mut rank = L::idle(task);
    for hops in rounds {
        let arrivals: Vec<Wide> = hops.iter().map(|&hop| rank.send(hop)).collect();
        let received = hops.iter().zip(arrivals);
        received.for_each(|(&hop, arrival)| rank.combine(hop, arrival));
    }
    for hops in rounds.iter().rev().filter(|_| is_doubled) {
        let arrivals: Vec<Wide> = hops.iter().rev().map(|&hop| rank.send(hop)).collect();
        let received = hops.iter().rev().zip(arrivals);
        received.for_each(|(&hop, arrival)| rank.receive(hop, arrival));
    }
    rank.end()
}
