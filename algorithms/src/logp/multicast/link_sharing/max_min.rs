//! Max-min-fair rates: how simultaneous transfers share the links of their hosts.
//!
//! **Source.** Bertsekas and Gallager, "Data Networks", 2nd edition, Prentice Hall 1992, section 6.5.2: progressive
//! filling. All rates grow equally until a link is full; the rates over it stay, the others continue to grow.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// From one host to another.
pub(super) type Route = (u32, u32);

/// One direction of a host's link to the switch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Link {
    Up(u32),
    Down(u32),
}

fn links((from, to): Route) -> [Link; 2] {
    [Link::Up(from), Link::Down(to)]
}

/// The rest of a link for transfers whose rates are not fixed yet.
struct Spare {
    rate: BigRational,
    open: u64,
}

impl Spare {
    fn share(&self) -> BigRational {
        &self.rate / integer(self.open)
    }
}

/// The rate of each transfer, as a share of a link, by route; `transfers` counts those on each route.
///
/// Cost: at most a pass over the routes for each link.
pub(super) fn rates(transfers: &BTreeMap<Route, u64>) -> BTreeMap<Route, BigRational> {
    let mut open: BTreeMap<Route, u64> = transfers
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(&route, &count)| (route, count))
        .collect();
    let mut spare: BTreeMap<Link, Spare> = BTreeMap::new();
    for (&route, &count) in &open {
        for link in links(route) {
            spare
                .entry(link)
                .or_insert_with(|| Spare {
                    rate: BigRational::one(),
                    open: 0,
                })
                .open += count;
        }
    }
    let mut rates = BTreeMap::new();
    while let Some(least) = spare
        .values()
        .filter(|spare| spare.open > 0)
        .map(Spare::share)
        .min()
    {
        let full: Vec<Link> = spare
            .iter()
            .filter(|(_, own)| own.open > 0 && own.share() == least)
            .map(|(&link, _)| link)
            .collect();
        let fixed: Vec<(Route, u64)> = open
            .iter()
            .filter(|(route, _)| links(**route).iter().any(|link| full.contains(link)))
            .map(|(&route, &count)| (route, count))
            .collect();
        for (route, count) in fixed {
            open.remove(&route);
            for link in links(route) {
                if let Some(own) = spare.get_mut(&link) {
                    own.rate -= &least * integer(count);
                    own.open -= count;
                }
            }
            rates.insert(route, least.clone());
        }
    }
    debug_assert!(
        spare
            .values()
            .all(|spare| spare.rate >= BigRational::zero()),
        "a link carries more than it can"
    );
    rates
}

pub(super) fn integer(value: u64) -> BigRational {
    BigRational::from_integer(BigInt::from(value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ratio(numerator: u64, denominator: u64) -> BigRational {
        integer(numerator) / integer(denominator)
    }

    #[test]
    fn alone_a_transfer_has_its_links() {
        assert_eq!(
            rates(&BTreeMap::from([((0, 1), 1)])),
            BTreeMap::from([((0, 1), ratio(1, 1))])
        );
        assert!(rates(&BTreeMap::from([((0, 1), 0)])).is_empty());
        let beside = BTreeMap::from([((0, 1), 0), ((0, 2), 1)]);
        assert_eq!(rates(&beside), BTreeMap::from([((0, 2), ratio(1, 1))]));
    }

    /// Both directions of a link are full at the same time.
    #[test]
    fn directions_do_not_disturb_each_other() {
        let rates = rates(&BTreeMap::from([((0, 1), 1), ((1, 0), 1)]));
        assert!(rates.values().all(BigRational::is_one), "{rates:?}");
    }

    /// Three leave host 0; one of these shares host 1's downlink with a fourth, which gets the rest.
    #[test]
    fn what_one_cannot_use_another_gets() {
        let rates = rates(&BTreeMap::from([((0, 1), 1), ((0, 2), 2), ((3, 1), 1)]));
        let expected = [
            ((0, 1), ratio(1, 3)),
            ((0, 2), ratio(1, 3)),
            ((3, 1), ratio(2, 3)),
        ];
        assert_eq!(rates, BTreeMap::from(expected));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 256,
            rng_seed: proptest::test_runner::RngSeed::Fixed(60_502),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// Rates are max-min fair (Bertsekas and Gallager, section 6.5.2) if no link is overloaded and each transfer has a bottleneck: a full
        /// link over which no transfer is faster.
        #[test]
        fn every_transfer_has_a_bottleneck(
            transfers in prop::collection::btree_map((0u32..6, 0u32..6), 1u64..5, 1..20)
        ) {
            let rates = rates(&transfers);
            prop_assert_eq!(rates.len(), transfers.len());
            let over = |link: Link| rates.iter().filter(move |(route, _)| links(**route).contains(&link));
            let load = |link: Link| over(link).map(|(route, rate)| rate * integer(transfers[route])).sum::<BigRational>();
            for (&route, rate) in &rates {
                prop_assert!(links(route).into_iter().all(|link| load(link) <= BigRational::one()));
                let bottleneck = |link: Link| load(link).is_one() && over(link).all(|(_, other)| other <= rate);
                prop_assert!(links(route).into_iter().any(bottleneck), "{:?} in {:?}", route, rates);
            }
        }
    }
}
