//! The messages in the slots of the last rounds.

use super::layout::index;

/// The last message, from 0, in each slot of each of the rounds from that of the last batch on.
///
/// In every round all messages that need more copies get an equal share of the k slots ([`reach`](super::super::bounds::reach)). Each
/// remaining slot goes to one message, which then has enough.
pub(super) fn slots(rounds: u32, messages: u64, k: u64) -> Vec<Vec<u64>> {
    let mut first = 0;
    let round = |_| {
        let (share, over) = (k / (messages - first), k % (messages - first));
        let count = |message: u64| share + u64::from(message < first + over);
        let slots = (first..messages)
            .flat_map(|message| std::iter::repeat_n(message, index(count(message))))
            .collect();
        first += over;
        slots
    };
    (0..rounds).map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::bounds::reach;
    use super::*;

    /// The least number of copies is that of the bound.
    #[test]
    fn every_message_reaches_as_many_nodes_as_the_bound_has_it() {
        for (k, rounds) in (2..=16).flat_map(|k| (1..=5).map(move |rounds| (k, rounds))) {
            for messages in 1..=k {
                let slots = slots(rounds, messages, k);
                assert!(slots.iter().all(|slots| slots.len() == index(k)));
                let copies = |message| {
                    let sends = |slots: &Vec<u64>| {
                        slots.iter().filter(|&&slot| slot == message).count() as u128
                    };
                    slots.iter().fold(0, |copies, slots| {
                        copies * (u128::from(k) + 1) + sends(slots)
                    })
                };
                assert_eq!(
                    (0..messages).map(copies).min(),
                    Some(reach(rounds, messages, k)),
                    "{k} {rounds} {messages}"
                );
            }
        }
    }
}
