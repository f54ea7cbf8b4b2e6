//! Converts the end of a piece, a ratio of gap to hop, into values of L, o and g.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One as _, Signed as _, Zero as _};

use super::fractions::Fraction;
use super::piece::Piece;
use super::pieces::End;
use crate::cost::Exact;
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::reach::{Parameter, Reach, Side};

/// A piece and the ratio `g'/D` at which it ends on its side.
#[derive(Clone, Copy)]
pub(super) struct Cone {
    pub piece: Piece,
    pub end: End,
}

/// A machine between two pieces, which are equal unless they meet there.
pub(super) struct Around {
    pub model: LogP,
    /// Where `g'/D` is less.
    pub falling: Cone,
    /// Where `g'/D` is greater.
    pub rising: Cone,
}

/// The value of a parameter at which a piece ends, if it does, and whether the end is known or the search stopped there.
struct Limit {
    value: Option<BigRational>,
    known: bool,
}

impl Limit {
    /// `value` converts a ratio to the parameter; none where the ratio is never reached.
    fn of(end: End, value: impl Fn(BigRational) -> Option<BigRational>) -> Self {
        let fraction = |ratio: Fraction| BigRational::new(ratio.num.into(), ratio.den.into());
        match end {
            End::Never => Self { value: None, known: true },
            End::At(ratio) => Self { value: value(fraction(ratio)), known: true },
            End::NotBefore(ratio) => Self { value: value(fraction(ratio)), known: false },
        }
    }

    fn is_above(&self, least: u64) -> bool {
        self.value.as_ref().is_some_and(|value| *value > rational(least))
    }

    fn is_below(&self, most: u64) -> bool {
        self.value.as_ref().is_some_and(|value| *value < rational(most))
    }

    fn upwards(self) -> Reach {
        match self.value {
            None => Reach::NoEnd,
            Some(value) if self.known => Reach::Breakpoint(Exact::from(value)),
            Some(value) => Reach::NotBefore(Exact::from(value)),
        }
    }

    fn downwards(self) -> Reach {
        match self.value {
            Some(value) if value.is_positive() => Self { value: Some(value), ..self }.upwards(),
            _ => Reach::Zero,
        }
    }
}

fn rational(value: impl Into<BigInt>) -> BigRational {
    BigRational::from_integer(value.into())
}

/// A breakpoint at another parameter's value, or zero.
fn down_to(value: u64) -> Reach {
    if value == 0 { Reach::Zero } else { Reach::Breakpoint(Exact::Integer(value)) }
}

impl Around {
    pub(super) fn L(&self) -> Parameter {
        let (gap, o) = (self.model.gap(), self.model.o());
        let value = |ratio: BigRational| Some(rational(gap) / ratio - rational(o) * rational(2));
        let side = |cone: Cone| (cone.piece.hops, Limit::of(cone.end, value));
        let (slope, limit) = side(self.falling);
        let above = Side { slope, reach: limit.upwards() };
        let below = (self.model.L() > 0).then(|| {
            let (slope, limit) = side(self.rising);
            Side { slope, reach: limit.downwards() }
        });
        Parameter { below, above }
    }

    pub(super) fn g(&self) -> Parameter {
        let (g, o, D) = (self.model.g(), self.model.o(), self.model.D());
        let value = |ratio: BigRational| Some(ratio * rational(D));
        let above = if g < o && self.rising.piece.gaps > 0 {
            Side { slope: 0, reach: Reach::Breakpoint(Exact::Integer(o)) }
        } else {
            Side { slope: self.rising.piece.gaps, reach: Limit::of(self.rising.end, value).upwards() }
        };
        let below = (g > 0).then(|| {
            let slope = if g > o { self.falling.piece.gaps } else { 0 };
            let limit = Limit::of(self.falling.end, value);
            let reach = if g > o && limit.is_above(o) {
                limit.downwards()
            } else if slope > 0 {
                down_to(o)
            } else {
                Reach::Zero
            };
            Side { slope, reach }
        });
        Parameter { below, above }
    }

    /// The ratio falls with o up to g and rises above. A piece without gaps continues there.
    pub(super) fn o(&self) -> Result<Parameter, Error> {
        let (g, o) = (self.model.g(), self.model.o());
        let above = if o < g {
            let limit = Limit::of(self.falling.end, |ratio| self.o_below_g(&ratio));
            let reach = if limit.is_below(g) {
                limit.upwards()
            } else if self.falling.piece.gaps > 0 {
                Reach::Breakpoint(Exact::Integer(g))
            } else {
                Limit::of(self.end_of_falling_turned(), |ratio| self.o_above_g(&ratio)).upwards()
            };
            Side { slope: slope_below_g(self.falling.piece)?, reach }
        } else {
            let limit = Limit::of(self.rising.end, |ratio| self.o_above_g(&ratio));
            Side { slope: slope_above_g(self.rising.piece)?, reach: limit.upwards() }
        };
        let below = if o == 0 { None } else { Some(self.below_o()?) };
        Ok(Parameter { below, above })
    }

    fn below_o(&self) -> Result<Side, Error> {
        let (g, o) = (self.model.g(), self.model.o());
        if o <= g {
            let limit = Limit::of(self.rising.end, |ratio| self.o_below_g(&ratio));
            return Ok(Side { slope: slope_below_g(self.rising.piece)?, reach: limit.downwards() });
        }
        if self.model.L() == 0 {
            return self.below_o_without_latency();
        }
        let limit = Limit::of(self.falling.end, |ratio| self.o_above_g(&ratio));
        let reach = if limit.is_above(g) {
            limit.downwards()
        } else if self.falling.piece.gaps > 0 {
            down_to(g)
        } else {
            Limit::of(self.end_of_falling_turned(), |ratio| self.o_below_g(&ratio)).downwards()
        };
        Ok(Side { slope: slope_above_g(self.falling.piece)?, reach })
    }

    /// Without latency the ratio is 1/2 above g, and rises below: the line can continue there.
    fn below_o_without_latency(&self) -> Result<Side, Error> {
        let (slope, g) = (slope_above_g(self.falling.piece)?, self.model.g());
        let goes_on = g > 0 && slope_below_g(self.rising.piece)? == slope;
        let limit = Limit::of(self.rising.end, |ratio| self.o_below_g(&ratio));
        Ok(Side { slope, reach: if goes_on { limit.downwards() } else { down_to(g) } })
    }

    /// Where the piece of the falling side ends when the ratio rises again.
    fn end_of_falling_turned(&self) -> End {
        if self.falling.piece == self.rising.piece {
            self.rising.end
        } else {
            End::At(Fraction::new(self.model.gap(), self.model.D()))
        }
    }

    /// The o at which `g / (L + 2o)` is this ratio.
    fn o_below_g(&self, ratio: &BigRational) -> Option<BigRational> {
        Some((rational(self.model.g()) / ratio - rational(self.model.L())) / rational(2))
    }

    /// The o at which `o / (L + 2o)` is this ratio; it stays below 1/2, or at it.
    fn o_above_g(&self, ratio: &BigRational) -> Option<BigRational> {
        let rest = BigRational::one() - ratio * rational(2);
        let L = rational(self.model.L());
        (rest.is_positive() && !L.is_zero()).then(|| ratio * L / rest)
    }
}

/// The slope over o where gaps are g.
fn slope_below_g(piece: Piece) -> Result<u64, Error> {
    fit(2 * u128::from(piece.hops))
}

/// The same where gaps are o.
fn slope_above_g(piece: Piece) -> Result<u64, Error> {
    fit(2 * u128::from(piece.hops) + u128::from(piece.gaps))
}
