//! Random programs, as they are written and before they are checked.

use std::ops::Range;

use castbench_algorithms::internals::engine::{ANY, Builder, Operation, Until};
use proptest::prelude::*;

/// An operation, its cpu and nic, and the earlier operations of its processor that it waits for.
pub type Step = (Operation, (u32, u32), Vec<(usize, Until)>);

/// The operations of each processor.
pub type Written = Vec<Vec<Step>>;

/// A receive size that fits every message.
const ROOM: u64 = 1000;

/// Programs whose messages and computations can happen one by one in order, and whose operations depend only on earlier
/// ones of their processor. `wild` of four receives name no sender, and as many no tag.
pub fn programs(
    processors: Range<u32>,
    steps: Range<usize>,
    wild: Range<u64>,
    times: Range<u64>,
) -> impl Strategy<Value = Written> {
    let last = processors.end - 1;
    let port = || (0u32..2, 0u32..2);
    let step = (
        any::<bool>(),
        (0..last, 0..last),
        0u32..2,
        (1u64..6, times),
        (port(), port()),
        any::<[u64; 2]>(),
    );
    (processors, prop::collection::vec(step, steps), wild).prop_map(|(processors, steps, wild)| {
        let mut written = vec![Vec::new(); processors as usize];
        for (is_message, (a, b), tag, (bytes, time), (first_port, second_port), [bits, any]) in
            steps
        {
            let (a, b) = (a % processors, b % processors);
            let mut add = |processor: u32, operation, port, bits: u64| {
                let operations: &mut Vec<Step> = &mut written[processor as usize];
                let count = operations.len();
                // Up to three of the operations so far, none in two of three cases.
                let waits = (0..3)
                    .map(|i| bits >> (8 * i))
                    .filter(|bits| bits & 3 == 0 && count > 0);
                let until = |bits: u64| {
                    if bits & 4 == 0 {
                        Until::Done
                    } else {
                        Until::Started
                    }
                };
                let waits = waits
                    .map(|bits| {
                        (
                            usize::try_from(bits >> 3 & 31).unwrap() % count,
                            until(bits),
                        )
                    })
                    .collect();
                operations.push((operation, port, waits));
            };
            if is_message {
                let named = |bits: u64, name| if bits % 4 < wild { ANY } else { name };
                let (from, of_tag) = (named(any, a), named(any >> 8, tag));
                add(a, Operation::Send { to: b, tag, bytes }, first_port, bits);
                add(
                    b,
                    Operation::Receive {
                        from,
                        tag: of_tag,
                        bytes: ROOM,
                    },
                    second_port,
                    bits >> 32,
                );
            } else {
                add(a, Operation::Compute { time }, first_port, bits);
            }
        }
        written
    })
}

/// Adds the operations to a builder, in a unit of time that is 1/`scale` of the given one; on this port alone and without
/// waits, where one is given.
pub fn build(written: &Written, builder: &mut Builder, scale: u64, port: Option<(u32, u32)>) {
    for (processor, operations) in (0u32..).zip(written) {
        builder.begin(processor).unwrap();
        let mut numbers = Vec::new();
        for (operation, own, waits) in operations {
            let scaled = match *operation {
                Operation::Compute { time } => Operation::Compute { time: time * scale },
                other => other,
            };
            let number = builder.push_on(scaled, port.unwrap_or(*own)).unwrap();
            for &(earlier, until) in waits.iter().filter(|_| port.is_none()) {
                builder.depend(number, numbers[earlier], until).unwrap();
            }
            numbers.push(number);
        }
    }
}
