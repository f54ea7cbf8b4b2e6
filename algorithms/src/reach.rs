//! How a cost changes with one parameter of a machine, and how far that slope holds.

use crate::cost::Exact;

/// How far a slope holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// For every greater value.
    NoEnd,
    /// Down to zero; there is no lesser value.
    Zero,
    /// To this value of the parameter, an integer or a fraction, where the slope changes.
    Breakpoint(Exact),
    /// To this value at least; larger values were not searched.
    NotBefore(Exact),
}

/// How the cost changes on one side of a parameter's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// By how much the cost grows with each unit of the parameter.
    pub slope: u64,
    /// How far this slope holds.
    pub reach: Reach,
}

/// How the cost changes with one parameter, the others fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Below its value; none where that is 0.
    pub below: Option<Side>,
    /// Above its value.
    pub above: Side,
}
