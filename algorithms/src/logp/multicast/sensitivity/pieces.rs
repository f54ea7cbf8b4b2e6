//! The piece of the cost that is active at a ratio of gap to hop, and its end. [`super`] has the argument.

use std::ops::ControlFlow;

use super::fractions::{Fraction, Most};
use super::piece::Piece;
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::logp::multicast::Multicast;

/// The direction of the ratio `g'/D`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// The gap grows relative to the hop.
    Rising,
    /// The hop grows relative to the gap.
    Falling,
}

/// Where a piece ends in its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Nowhere: it is the last one.
    Never,
    /// At this ratio, beyond which another piece is active.
    At(Fraction),
    /// Beyond this ratio, up to which it was searched.
    NotBefore(Fraction),
}

/// The cost of a multicast in one direction.
///
/// What grows is w and what it grows against is u: gap and hop, or hop and gap. Fractions are `w/u` and grow in the direction.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub tree: &'a dyn Multicast,
    pub K: u64,
    pub source: u64,
    pub direction: Direction,
}

/// The cost `of_u * u + of_w * w`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    of_u: u64,
    of_w: u64,
}

impl Line {
    fn at(self, ratio: Fraction) -> u128 {
        let (of_u, of_w) = (u128::from(self.of_u), u128::from(self.of_w));
        // Each product is below 2^128; a saturated sum exceeds every cost.
        (of_u * u128::from(ratio.den)).saturating_add(of_w * u128::from(ratio.num))
    }
}

/// The most crossings of a piece that are visited in one direction: about 1 s.
pub(super) const MAX_CROSSINGS: usize = 1 << 20;

impl View<'_> {
    /// The piece that is active at `ratio` and just beyond it, and its end.
    ///
    /// # Errors
    /// [`Error::Overflow`] where a cost at a ratio nearby does not fit in 64 bits.
    pub(super) fn piece(&self, ratio: Fraction) -> Result<(Piece, End), Error> {
        let (line, beyond) = self.line_beyond(ratio)?;
        let end = if self.tree.adapts() {
            self.end_by_walking(line, beyond)?
        } else {
            let most_of_u = (self.cost(ratio)? / ratio.den).min(self.K - 1);
            self.end_by_tangents(line, most_of_u)?
        };
        let piece = match self.direction {
            Direction::Rising => Piece { hops: line.of_u, gaps: line.of_w },
            Direction::Falling => Piece { hops: line.of_w, gaps: line.of_u },
        };
        Ok((piece, end))
    }

    fn cost(&self, ratio: Fraction) -> Result<u64, Error> {
        let (D, gap) = match self.direction {
            Direction::Rising => (ratio.den, ratio.num),
            Direction::Falling => (ratio.num, ratio.den),
        };
        self.tree.time(LogP::new(D, 0, gap)?, self.K, self.source)
    }

    fn is_on(&self, line: Line, ratio: Fraction) -> Result<bool, Error> {
        Ok(u128::from(self.cost(ratio)?) == line.at(ratio))
    }

    fn turned(&self) -> Self {
        let direction = match self.direction {
            Direction::Rising => Direction::Falling,
            Direction::Falling => Direction::Rising,
        };
        Self { direction, ..*self }
    }

    /// The line that is active just beyond `ratio`, and a ratio up to which it certainly is.
    ///
    /// Where the cost bends, the ratio has a denominator of at most the most of w that a line has which is active there. So
    /// it does not bend before the next fraction with such a denominator. Of a tree that does not adapt a fraction farther away may
    /// do, which keeps the numbers small: a convex function that is on a line at both ends and between is on it all the way.
    fn line_beyond(&self, ratio: Fraction) -> Result<(Line, Fraction), Error> {
        let here = self.cost(ratio)?;
        let most_of_w = here.checked_div(ratio.num).map_or(self.K - 1, |most| most.min(self.K - 1));
        let surely = most_of_w.max(ratio.den);
        let mut most = if self.tree.adapts() { surely } else { ratio.den };
        loop {
            let beyond = ratio.next_above(Most::Denominator(most)).ok_or(Error::Overflow)?;
            let line = self.line_through((ratio, here), beyond)?;
            if most == surely || self.is_on(line, ratio.mediant(beyond)?)? {
                return Ok((line, beyond));
            }
            most = most.saturating_mul(2).min(surely);
        }
    }

    /// The line through the costs at two neighbours, `second.num * first.den - second.den * first.num = 1`: nothing is rounded.
    fn line_through(&self, (first, here): (Fraction, u64), second: Fraction) -> Result<Line, Error> {
        let there = self.cost(second)?;
        let minor = |a: (u64, u64), b: (u64, u64)| {
            let product = |(x, y): (u64, u64)| u128::from(x) * u128::from(y);
            product(a).checked_sub(product(b)).ok_or(Error::Overflow).and_then(fit)
        };
        Ok(Line {
            of_u: minor((here, second.num), (there, first.num))?,
            of_w: minor((there, first.den), (here, second.den))?,
        })
    }

    /// Where `line` ends, for a tree that is the same on every machine and of which no node has more than `most_of_u`.
    ///
    /// Newton's iteration on a convex function, starting beyond its last bend.
    fn end_by_tangents(&self, line: Line, most_of_u: u64) -> Result<End, Error> {
        let mut tangent = self.last_line(most_of_u)?;
        if tangent == line {
            return Ok(End::Never);
        }
        loop {
            // The cost is convex, so later lines have more of w and less of u.
            let rise = line.of_u.checked_sub(tangent.of_u).ok_or(Error::Overflow)?;
            let run = tangent.of_w.checked_sub(line.of_w).filter(|&run| run > 0).ok_or(Error::Overflow)?;
            let crossing = Fraction::new(rise, run);
            if self.is_on(line, crossing)? {
                return Ok(End::At(crossing));
            }
            let (before, _) = self.turned().line_beyond(crossing.inverse())?;
            tangent = Line { of_u: before.of_w, of_w: before.of_u };
        }
    }

    /// The line beyond all bends of a tree that is the same on every machine: two lines bend at `rise/run`, which is
    /// `most_of_u` at most.
    fn last_line(&self, most_of_u: u64) -> Result<Line, Error> {
        let num = most_of_u.checked_add(1).ok_or(Error::Overflow)?;
        let (first, second) =
            (Fraction { num, den: 1 }, Fraction { num: num.checked_add(1).ok_or(Error::Overflow)?, den: 1 });
        let of_w = self.cost(second)?.checked_sub(self.cost(first)?).ok_or(Error::Overflow)?;
        let of_u = u128::from(self.cost(first)?).checked_sub(u128::from(of_w) * u128::from(num));
        Ok(Line { of_u: fit(of_u.ok_or(Error::Overflow)?)?, of_w })
    }

    /// Where `line`, which is active up to `from` at least, ends, for any tree.
    ///
    /// Crossing by crossing: between two of them the cost is on the line everywhere or nowhere.
    fn end_by_walking(&self, line: Line, from: Fraction) -> Result<End, Error> {
        // No other line crosses below this: it has at most K - 1 more of w.
        let first = Fraction { num: 1, den: self.K };
        let from = if from.is_below(first) { first } else { from };
        let walked = (0..MAX_CROSSINGS).try_fold(from, |at, _| match self.walk_on(line, at) {
            Ok(Ok(next)) => ControlFlow::Continue(next),
            Ok(Err(end)) => ControlFlow::Break(Ok(end)),
            Err(error) => ControlFlow::Break(Err(error)),
        });
        match walked {
            ControlFlow::Break(end) => end,
            ControlFlow::Continue(at) => Ok(End::NotBefore(at)),
        }
    }

    /// One crossing farther, or the end.
    fn walk_on(&self, line: Line, at: Fraction) -> Result<Result<Fraction, End>, Error> {
        let next = self.next_crossing(line, at);
        // Beyond the last crossing any ratio is valid: the mediant with 1/0.
        let between = at.mediant(next.unwrap_or(Fraction { num: 1, den: 0 }))?;
        Ok(match (self.is_on(line, between)?, next) {
            (false, _) => Err(End::At(at)),
            (true, None) => Err(End::Never),
            (true, Some(next)) => Ok(next),
        })
    }

    /// The first ratio above `at` where a line of a tree of K nodes may cross this one: the other has less of u, by
    /// at most what this one has, and more of w, or the other way round. None has more than K - 1 of either.
    fn next_crossing(&self, line: Line, at: Fraction) -> Option<Fraction> {
        let less_of_u = at.next_above(Most::Numerator(line.of_u));
        let less_of_w = at.next_above(Most::Denominator(line.of_w));
        let next = match (less_of_u, less_of_w) {
            (Some(a), Some(b)) => Some(if a.is_below(b) { a } else { b }),
            (a, b) => a.or(b),
        };
        let last = Fraction { num: self.K - 1, den: 1 };
        next.filter(|&next| !last.is_below(next))
    }
}
