//! Beside the cost of a point: how long the links of a network take.

use algorithms::cost::Exact;
use num_bigint::BigInt;
use num_rational::{BigRational, Ratio};

use crate::print::column::{Tabled as _, tabled};
use crate::print::{Column, Columns};

tabled! {
    /// How the messages of an algorithm load the links of a network.
    #[derive(Debug, Clone)]
    pub struct OnNetwork {
        /// the network
        pub network: String,
        /// where ranks stand on it
        pub placement: String,
        /// how long its busiest link takes, in units of a byte or word over a capacity of 1
        pub link_time: Option<Exact>,
        /// the link that takes longest
        pub busiest_link: Option<String>,
        /// least link time of any algorithm
        pub link_bound: Option<Exact>,
        /// link time over that bound
        pub link_ratio: Option<f64>,
        /// whether a schedule takes that bound
        pub link_exact: Option<bool>,
        /// link time of bytes, where capacities have a unit
        pub link_seconds: Option<f64>,
        /// of an allreduce: least link time of a reduce-scatter and then an allgather
        pub link_halves: Option<Exact>,
    }
}

/// The column with the name of the network.
pub const NETWORK: &str = "network";

/// Its columns for rows that may have one.
pub fn columns<'a, R: 'a>(of: impl Fn(&R) -> Option<OnNetwork> + Copy + 'a) -> Vec<Column<'a, R>> {
    Columns(OnNetwork::columns())
        .data_only(|name| ["link_exact", "link_seconds", "link_halves"].contains(&name))
        .0
        .into_iter()
        .map(|column| column.beside(of))
        .collect()
}

/// A fraction as costs are written.
pub fn exact(number: Ratio<u128>) -> Exact {
    match u64::try_from(*number.numer()) {
        Ok(whole) if number.is_integer() => Exact::Integer(whole),
        _ => {
            let [numer, denom] = [number.numer(), number.denom()].map(|part| BigInt::from(*part));
            Exact::Rational(BigRational::new_raw(numer, denom))
        }
    }
}
