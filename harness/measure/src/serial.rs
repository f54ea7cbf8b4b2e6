//! A program in the order of a measured rank: one operation after the other.
//!
//! A rank is one process that sends one message at a time, so it has one cpu and one port. In the program of a
//! broadcast in segments, an operation waits only for some earlier ones, and a node receives segments while it sends
//! others. In the textual order of such a program, a relay would receive all segments before it sends the first. So
//! each rank follows the order in which the engine begins the operations on the measurement's machine. Whatever an
//! operation waits for begins earlier, on its own processor and on others, so the order is legal and cannot deadlock.

use algorithms::error::Error;
use algorithms::internals::engine::Builder;
use algorithms::internals::engine::observe;
use algorithms::internals::engine::{Operation, Program};
use algorithms::internals::problem::Run;

/// A program in order, and the engine's results for the original.
#[derive(Debug, Clone)]
pub struct Serial {
    /// Every processor executes one operation after the other.
    pub program: Program,
    /// The end of the original on its machine.
    pub finish: u64,
    /// A processor whose sends use several ports in the original, which one port cannot do.
    pub several_ports: Option<u32>,
}

/// Orders the operations of each processor by their begin.
///
/// # Errors
/// Errors of the engine.
pub fn one_by_one((machine, program): &Run) -> Result<Serial, Error> {
    let mut begun = vec![(0, 0); program.operations()];
    let mut observed = 0_u32;
    // Of operations with equal begin, one that waits for another is observed later.
    let completion = observe(*machine, program, |operation, start| {
        begun[operation as usize] = (start, observed);
        observed += 1;
    })?;
    let several_ports = (0..program.processors()).find(|&processor| {
        let is_send =
            |operation: &u32| matches!(program.operation(*operation), Operation::Send { .. });
        let mut nics = program
            .range(processor)
            .filter(is_send)
            .map(|operation| program.resources(operation).1);
        nics.next()
            .is_some_and(|first| nics.any(|nic| nic != first))
    });
    let mut builder = Builder::new(program.processors())?;
    for processor in 0..program.processors() {
        builder.begin(processor)?;
        let mut order: Vec<u32> = program.range(processor).collect();
        order.sort_unstable_by_key(|&operation| begun[operation as usize]);
        for operation in order {
            builder.push(program.operation(operation))?;
        }
    }
    Ok(Serial {
        program: builder.in_order()?,
        finish: completion.finish,
        several_ports,
    })
}

#[cfg(test)]
mod tests {
    use algorithms::catalogue::find;
    use algorithms::cost::Limits;
    use algorithms::problem::Setting;

    use super::*;

    fn serial(name: &str, k: u64) -> Serial {
        let entry = find(name).unwrap();
        let mut values = entry.example();
        for (axis, value) in entry.axes().iter().zip(&mut values) {
            match axis.key {
                "ports" => *value = Some(1),
                "k" => *value = Some(k),
                _ => {}
            }
        }
        one_by_one(
            &entry
                .at(&Setting::default(), &values)
                .unwrap()
                .program(&Limits::default(), None)
                .unwrap()
                .unwrap(),
        )
        .unwrap()
    }

    /// A relay of a chain passes on a segment before it receives the last one.
    #[test]
    fn segments_stay_pipelined() {
        let Serial {
            program,
            several_ports,
            ..
        } = serial("broadcast-chain", 1);
        assert_eq!(several_ports, None);
        let second = program
            .range(1)
            .map(|operation| program.operation(operation));
        let sends: Vec<bool> = second
            .map(|operation| matches!(operation, Operation::Send { .. }))
            .collect();
        let first_send = sends.iter().position(|sends| *sends);
        let last_receive = sends.iter().rposition(|sends| !sends);
        assert!(first_send < last_receive, "{sends:?}");
    }

    #[test]
    fn several_ports_are_noticed() {
        assert!(serial("broadcast-binary", 2).several_ports.is_some());
    }
}
