//! The event engine: its refusals, its order, its gaps. `catalogue` compares its times with formulas and simulators.

use std::collections::BTreeMap;

use castbench_algorithms::cost::LARGEST;
use castbench_algorithms::internals::engine::Builder;
use castbench_algorithms::internals::engine::{self, Failure, Fault, Machine, Wait};
use castbench_algorithms::internals::engine::{ANY, Operation, Program, Until};
use castbench_algorithms::internals::execution::of_program;
use castbench_algorithms::internals::execution::{Event, What};
use castbench_algorithms::logp::LogGops;
use castbench_algorithms::logp::LogP;

/// A program moved to a nic with another number, so that it uses the queue of events.
fn through_the_queue(program: &Program) -> Program {
    let mut builder = Builder::new(program.processors()).unwrap();
    for processor in 0..program.processors() {
        builder.begin(processor).unwrap();
        for operation in program.range(processor) {
            builder
                .push_on(program.operation(operation), (3, 7))
                .unwrap();
        }
    }
    let queued = builder.in_order().unwrap();
    assert!(program.is_in_order() && (!queued.is_in_order() || program.operations() == 0));
    queued
}

fn send(to: u32) -> Operation {
    Operation::Send {
        to,
        tag: 0,
        bytes: 1,
    }
}

fn receive(from: u32) -> Operation {
    Operation::Receive {
        from,
        tag: 0,
        bytes: 1,
    }
}

fn in_order(programs: &[&[Operation]]) -> Result<Program, Fault> {
    let mut builder = Builder::new(programs.len().try_into().unwrap())?;
    for (processor, program) in (0u32..).zip(programs) {
        builder.begin(processor)?;
        for operation in *program {
            builder.push(*operation)?;
        }
    }
    builder.in_order()
}

fn run(program: &Program) -> Result<u64, Failure> {
    engine::run(Machine::LogP(LogP::new(6, 2, 4).unwrap()), program).map(|outcome| outcome.finish)
}

/// Each mistake is reported before or while a program runs; it neither hangs nor gives a time.
#[test]
fn mistakes_are_reported() {
    assert_eq!(
        in_order(&[&[send(1), send(1)], &[receive(0)]]),
        Err(Fault::Unmatched {
            operation: 1,
            from: 0,
            to: 1,
            tag: 0,
            sends: 2,
            receives: 1
        })
    );
    assert_eq!(
        in_order(&[&[send(1), send(1)], &[receive(0)]])
            .unwrap_err()
            .to_string(),
        "from processor 0 to 1 with tag 0: 2 messages sent, 1 message received; each needs its counterpart"
    );
    assert_eq!(
        in_order(&[&[send(1)], &[receive(0), receive(0)]]),
        Err(Fault::Unmatched {
            operation: 2,
            from: 0,
            to: 1,
            tag: 0,
            sends: 1,
            receives: 2
        })
    );
    let other_tag = Operation::Receive {
        from: 0,
        tag: 5,
        bytes: 1,
    };
    assert!(matches!(
        in_order(&[&[send(1)], &[other_tag]]),
        Err(Fault::Unmatched {
            tag: 0,
            sends: 1,
            receives: 0,
            ..
        })
    ));
    assert_eq!(
        in_order(&[&[send(2)], &[]]),
        Err(Fault::NoSuchProcessor {
            operation: Some(0),
            named: 2,
            processors: 2
        })
    );
    let large = Operation::Send {
        to: 1,
        tag: 0,
        bytes: 9,
    };
    let truncated = Fault::Truncated {
        operation: 1,
        processor: 1,
        bytes: 9,
        room: 1,
    };
    let program = in_order(&[&[large], &[receive(0)]]).unwrap();
    assert_eq!(run(&program), Err(truncated.clone().into()));
    assert_eq!(run(&through_the_queue(&program)), Err(truncated.into()));
    let slow = Operation::Compute { time: u64::MAX - 5 };
    let program = in_order(&[&[Operation::Compute { time: 5 }, slow]]).unwrap();
    assert_eq!(
        run(&program),
        Err(Fault::TimeOverflow {
            operation: 1,
            processor: 0
        }
        .into())
    );
    assert_eq!(
        run(&through_the_queue(&program)),
        Err(Fault::TimeOverflow {
            operation: 1,
            processor: 0
        }
        .into())
    );
    assert!(matches!(
        run(&in_order(&[&[slow, send(1)], &[receive(0)]]).unwrap()),
        Err(Failure::Program(Fault::TimeOverflow { .. }))
    ));
}

/// With receives from any rank, only the number of messages can be checked before a program runs.
#[test]
fn mistakes_with_receives_of_any_are_reported() {
    let any = Operation::Receive {
        from: ANY,
        tag: ANY,
        bytes: 1,
    };
    let uneven = |sends, receives| {
        Err(Fault::Uneven {
            operation: sends,
            to: 1,
            sends,
            receives,
        })
    };
    assert_eq!(in_order(&[&[send(1)], &[any, any]]), uneven(1, 2));
    assert_eq!(in_order(&[&[send(1), send(1)], &[any]]), uneven(2, 1));
    assert_eq!(
        in_order(&[&[send(1)], &[any, any]])
            .unwrap_err()
            .to_string(),
        "to processor 1: 1 message sent, 2 messages received; each needs its counterpart"
    );
    assert_eq!(
        in_order(&[&[send(1), send(1)], &[any, receive(2)], &[]]),
        Err(Fault::Unmatched {
            operation: 3,
            from: 2,
            to: 1,
            tag: 0,
            sends: 0,
            receives: 1
        })
    );
    let of_any = Operation::Send {
        to: 1,
        tag: ANY,
        bytes: 1,
    };
    assert_eq!(
        in_order(&[&[of_any], &[any]]),
        Err(Fault::AnyTag { operation: 0 })
    );
    assert!(matches!(
        in_order(&[&[send(ANY)], &[any]]),
        Err(Fault::NoSuchProcessor { .. })
    ));
    // The first one takes the message that the second one names.
    let program = in_order(&[&[send(1)], &[any, receive(0)], &[send(1)]]).unwrap();
    let waits = vec![Wait {
        operation: 2,
        processor: 1,
        from: 0,
        tag: 0,
    }];
    assert_eq!(
        run(&program),
        Err(Fault::Deadlock { waits, blocked: 1 }.into())
    );
    let large = Operation::Send {
        to: 1,
        tag: 0,
        bytes: 1_000_000,
    };
    let Err(Failure::Program(truncated)) = run(&in_order(&[&[large], &[any]]).unwrap()) else {
        panic!("not refused")
    };
    assert_eq!(
        truncated.to_string(),
        "message truncated: processor 1 receives 1 byte, the sender sends 1,000,000"
    );
}

/// A receive that requires the start and the end of an operation is posted at its end, after one that requires only the
/// start.
#[test]
fn a_receive_is_posted_after_all_its_requirements() {
    let of = |bytes| Operation::Receive {
        from: 1,
        tag: 0,
        bytes,
    };
    let to = |bytes| Operation::Send {
        to: 0,
        tag: 0,
        bytes,
    };
    let mut builder = Builder::new(2).unwrap();
    builder.begin(0).unwrap();
    let first = builder.push(Operation::Compute { time: 10 }).unwrap();
    let both = builder.push(of(1)).unwrap();
    let start = builder.push(of(1000)).unwrap();
    builder.depend(both, first, Until::Done).unwrap();
    builder.depend(both, first, Until::Started).unwrap();
    builder.depend(start, first, Until::Started).unwrap();
    builder.begin(1).unwrap();
    let large = builder.push(to(1000)).unwrap();
    let small = builder.push(to(1)).unwrap();
    builder.depend(small, large, Until::Done).unwrap();
    // In the other order the large message would not fit.
    assert_eq!(run(&builder.by_dependencies().unwrap()), Ok(16));
}

/// Events name the sender of a received message: that of the first posted receive, also if a later message arrives
/// first or the receive names no sender.
#[test]
fn events_name_the_received_message() {
    let mut builder = Builder::new(3).unwrap();
    builder.begin(0).unwrap();
    let first = builder
        .push(Operation::Receive {
            from: 1,
            tag: 0,
            bytes: 1000,
        })
        .unwrap();
    let second = builder
        .push(Operation::Receive {
            from: 1,
            tag: 0,
            bytes: 1000,
        })
        .unwrap();
    let third = builder
        .push(Operation::Receive {
            from: ANY,
            tag: ANY,
            bytes: 1000,
        })
        .unwrap();
    builder.depend(second, first, Until::Started).unwrap();
    builder.depend(third, second, Until::Started).unwrap();
    builder.begin(1).unwrap();
    builder
        .push(Operation::Send {
            to: 0,
            tag: 0,
            bytes: 1000,
        })
        .unwrap();
    builder
        .push(Operation::Send {
            to: 0,
            tag: 0,
            bytes: 1,
        })
        .unwrap();
    builder.begin(2).unwrap();
    builder
        .push(Operation::Send {
            to: 0,
            tag: 7,
            bytes: 1,
        })
        .unwrap();
    let program = builder.by_dependencies().unwrap();
    let machine = Machine::LogGops(
        LogGops {
            L: 10,
            o: 1,
            g: 2,
            G: 1_000,
            O: 0,
            H: 1_000_000_000,
        }
        .into(),
    );
    let mut received = Vec::new();
    let mut emit = |event: Event| {
        if event.what == What::Receive {
            received.push((event.start, event.peer, event.item, event.transfer));
        }
    };
    of_program(machine, &program, &|_, event| event, &mut emit).unwrap();
    // Rank 2's message arrives first, because its cpu is free at 0; the large one is a microsecond later.
    assert_eq!(
        received
            .iter()
            .map(|receive| (receive.1, receive.2))
            .collect::<Vec<_>>(),
        [(2, 7), (1, 0), (1, 0)]
    );
    assert!(received[1].0 < 1000 && received[2].0 > 1000, "{received:?}");
    assert!(
        received[2].3 < received[1].3,
        "the large message was sent first: {received:?}"
    );
}

/// Values above the largest time have other meanings: a message that arrived then would look like a missing one.
#[test]
fn no_time_is_later_than_the_largest() {
    let ends_at = |time| in_order(&[&[Operation::Compute { time }]]).unwrap();
    let arrives_at = |time| {
        let before = Operation::Compute { time: time - 8 };
        in_order(&[&[before, send(1)], &[receive(0)]]).unwrap()
    };
    let overflow = |operation, processor| {
        Err(Fault::TimeOverflow {
            operation,
            processor,
        }
        .into())
    };
    let executed = |program: &Program| [run(program), run(&through_the_queue(program))];
    assert_eq!(executed(&ends_at(LARGEST)), [Ok(LARGEST), Ok(LARGEST)]);
    assert_eq!(
        executed(&ends_at(LARGEST + 1)),
        [overflow(0, 0), overflow(0, 0)]
    );
    // It arrives at the largest time, and receiving it ends too late.
    assert_eq!(
        executed(&arrives_at(LARGEST)),
        [overflow(2, 1), overflow(2, 1)]
    );
    assert_eq!(
        executed(&arrives_at(LARGEST + 1)),
        [overflow(1, 0), overflow(1, 0)]
    );
}

#[test]
fn processors_that_wait_for_each_other_are_named() {
    let program = in_order(&[
        &[receive(1), send(1)],
        &[receive(2), send(0)],
        &[receive(1), send(1)],
        &[],
    ]);
    // Processor 2 sends to 1, which receives from 2; no receive matches the message from 0 to 1: found before the
    // program runs.
    assert!(matches!(
        program,
        Err(Fault::Unmatched { from: 0, to: 1, .. })
    ));
    let program = in_order(&[
        &[receive(1)],
        &[receive(2), send(0), send(2)],
        &[receive(1), send(1)],
        &[send(4)],
        &[receive(3)],
    ]);
    let program = program.unwrap();
    let wait = |operation, processor, from| Wait {
        operation,
        processor,
        from,
        tag: 0,
    };
    let circle = Fault::Deadlock {
        waits: vec![wait(1, 1, 2), wait(4, 2, 1)],
        blocked: 3,
    };
    let Err(Failure::Program(Fault::Deadlock { mut waits, blocked })) = run(&program) else {
        panic!("no deadlock")
    };
    waits.sort_unstable_by_key(|wait| wait.processor);
    assert_eq!(Fault::Deadlock { waits, blocked }, circle);
    assert_eq!(
        run(&through_the_queue(&program)),
        Err(Fault::Deadlock {
            waits: vec![wait(0, 0, 1), wait(1, 1, 2), wait(4, 2, 1)],
            blocked: 3
        }
        .into())
    );
}

/// Operations that wait for a cycle are not part of it; of a long cycle the first ones are named.
#[test]
fn a_cycle_is_found_behind_operations_that_wait_for_it() {
    let program = in_order(&[
        &[receive(1)],
        &[receive(2), send(0)],
        &[receive(3), send(1), send(3)],
        &[receive(2), send(2)],
    ]);
    let Err(Failure::Program(fault @ Fault::Deadlock { .. })) = run(&program.unwrap()) else {
        panic!("no deadlock")
    };
    let message = fault.to_string();
    let one = |processor: u32, from: u32| {
        format!("processor {processor} waits for a message from {from} with tag 0")
    };
    let [a, b] = [one(2, 3), one(3, 2)];
    assert!(
        message.contains(&format!("{a}, {b}, and 2 more wait"))
            || message.contains(&format!("{b}, {a}, and 2 more wait")),
        "{message}"
    );
    let long: Vec<[Operation; 2]> = (0..40)
        .map(|own| [receive((own + 1) % 40), send((own + 39) % 40)])
        .collect();
    let long = in_order(&long.iter().map(|own| &own[..]).collect::<Vec<_>>());
    let Err(Failure::Program(Fault::Deadlock { waits, blocked: 40 })) = run(&long.unwrap()) else {
        panic!("no deadlock")
    };
    assert_eq!(waits.len(), 8);
    assert!(
        waits
            .windows(2)
            .all(|pair| pair[0].from == pair[1].processor)
    );
}

#[test]
fn dependencies_are_checked() {
    let mut builder = Builder::new(2).unwrap();
    assert_eq!(builder.push(send(1)), Err(Fault::NotBegun));
    builder.begin(0).unwrap();
    let numbers: Vec<u32> = (0..4)
        .map(|time| builder.push(Operation::Compute { time }).unwrap())
        .collect();
    assert_eq!(builder.begin(0), Err(Fault::TwoPrograms(0)));
    assert!(matches!(
        builder.begin(2),
        Err(Fault::NoSuchProcessor { named: 2, .. })
    ));
    assert_eq!(builder.idle().collect::<Vec<_>>(), [1]);
    builder.depend(numbers[1], numbers[0], Until::Done).unwrap();
    builder
        .depend(numbers[2], numbers[1], Until::Started)
        .unwrap();
    let mut fine = builder.clone();
    // 3 waits for nothing, but the cpu runs in program order: 0, 1, 2, 3.
    assert_eq!(run(&fine.clone().by_dependencies().unwrap()), Ok(6));
    builder.depend(numbers[1], numbers[2], Until::Done).unwrap();
    builder.depend(numbers[3], numbers[2], Until::Done).unwrap();
    let Err(Fault::Cycle {
        processor: 0,
        mut operations,
    }) = builder.by_dependencies()
    else {
        panic!("no cycle")
    };
    operations.sort_unstable();
    assert_eq!(operations, [1, 2]);
    let message = Fault::Cycle {
        processor: 0,
        operations,
    }
    .to_string();
    assert_eq!(message, "2 operations on processor 0 wait for each other");
    fine.begin(1).unwrap();
    let foreign = fine.push(Operation::Compute { time: 1 }).unwrap();
    assert_eq!(
        fine.depend(foreign, numbers[0], Until::Done),
        Err(Fault::Foreign {
            later: 4,
            earlier: 0
        })
    );
}

/// Waiting for operations with higher numbers is not a cycle.
#[test]
fn operations_with_higher_numbers_may_run_first() {
    let mut builder = Builder::new(1).unwrap();
    builder.begin(0).unwrap();
    let numbers: Vec<u32> = [1, 10, 100]
        .map(|time| builder.push(Operation::Compute { time }).unwrap())
        .into();
    builder.depend(numbers[0], numbers[1], Until::Done).unwrap();
    builder.depend(numbers[0], numbers[2], Until::Done).unwrap();
    builder.depend(numbers[1], numbers[2], Until::Done).unwrap();
    let program = builder.clone().by_dependencies().unwrap();
    let mut starts = BTreeMap::new();
    let machine = Machine::LogP(LogP::new(6, 2, 4).unwrap());
    let outcome = engine::observe(machine, &program, |operation, start| {
        starts.insert(operation, start);
    });
    assert_eq!(outcome.unwrap().finish, 111);
    assert_eq!(starts, [(0, 110), (1, 100), (2, 0)].into());
    // Operations that wait for the cycle, or for which it waits, are not named.
    let first = builder.push(Operation::Compute { time: 0 }).unwrap();
    builder.depend(numbers[2], first, Until::Done).unwrap();
    builder.depend(numbers[2], numbers[1], Until::Done).unwrap();
    let Err(Fault::Cycle {
        processor: 0,
        mut operations,
    }) = builder.by_dependencies()
    else {
        panic!("no cycle")
    };
    operations.sort_unstable();
    assert_eq!(operations, [1, 2]);
}

/// k concurrent sends and k concurrent receives, each with its cpu and nic.
#[test]
fn several_ports_work_at_once() {
    let ports = |k: u32| {
        let mut builder = Builder::new(9).unwrap();
        builder.begin(0).unwrap();
        for to in 1..9 {
            let port = to % k;
            builder.push_on(send(to), (port, port)).unwrap();
        }
        for processor in 1..9 {
            builder.begin(processor).unwrap();
            builder.push(receive(0)).unwrap();
        }
        run(&builder.by_dependencies().unwrap())
    };
    // The last of 8, 4, 2 sends 4 apart arrives, after a hop of 10.
    assert_eq!(
        [1, 2, 4, 8].map(ports),
        [Ok(7 * 4 + 10), Ok(3 * 4 + 10), Ok(4 + 10), Ok(10)]
    );
}

/// The gap separates receives from receives and sends from sends, but not a receive from a send.
#[test]
fn the_gap_is_kept_in_each_direction() {
    let wide = Machine::LogP(LogP::new(1, 1, 100).unwrap());
    let finish = |programs: &[&[Operation]]| {
        engine::run(wide, &in_order(programs).unwrap())
            .unwrap()
            .ends
    };
    assert_eq!(
        finish(&[&[send(1), receive(1)], &[receive(0), send(0)]]),
        [6, 4]
    );
    assert_eq!(
        finish(&[&[receive(1), receive(2)], &[send(0)], &[send(0)]]),
        [103, 1, 1]
    );
    assert_eq!(
        finish(&[&[send(1), send(2)], &[receive(0)], &[receive(0)]]),
        [101, 3, 103]
    );
}

/// The gap between two messages is that of the one that crosses the port in between: of two sends the first, of two receives
/// the second. A free port takes the short message in first where both wait.
#[test]
fn the_gap_is_that_of_the_message_in_between() {
    let machine = Machine::Words(LogP::new(10, 1, 2).unwrap());
    let send = |to, bytes| Operation::Send { to, tag: 0, bytes };
    let receive = |from, bytes| Operation::Receive {
        from,
        tag: 0,
        bytes,
    };
    let senders = |long, short| [vec![send(2, long)], vec![send(2, short)]];
    let ends = |program| engine::run(machine, &program).unwrap().ends[2];
    for (long, short) in [(11, 1), (11, 3), (2, 1)] {
        let [one, other] = senders(long, short);
        // The long message is there after o + L + (long-1) g'.
        let there = 11 + 2 * (long - 1);
        let long_first = in_order(&[&one, &other, &[receive(0, long), receive(1, short)]]).unwrap();
        assert_eq!(ends(long_first), there + 2 * short + 1);
        let short_first = [receive(1, short), receive(0, long)];
        let expected = there.max(11 + 2 * (short - 1) + 2 * long) + 1;
        assert_eq!(
            ends(in_order(&[&one, &other, &short_first]).unwrap()),
            expected
        );
        // On its own, a receiver takes each message when it is there.
        let mut builder = Builder::new(3).unwrap();
        for (rank, steps) in [
            (0, &one[..]),
            (1, &other),
            (2, &[receive(0, long), receive(1, short)]),
        ] {
            builder.begin(rank).unwrap();
            for &step in steps {
                builder.push(step).unwrap();
            }
        }
        assert_eq!(ends(builder.by_dependencies().unwrap()), expected);
    }
    let two = in_order(&[&[send(1, 11), send(1, 1)], &[receive(0, 11), receive(0, 1)]]).unwrap();
    assert_eq!(engine::run(machine, &two).unwrap().ends, [23, 34]);
}

#[test]
fn the_room_of_a_receive_costs_nothing() {
    let machine = Machine::LogGops(
        LogGops {
            L: 5_000,
            o: 1_000,
            g: 500,
            G: 8_000_000,
            O: 0,
            H: 0,
        }
        .into(),
    );
    let receive = |bytes| Operation::Receive {
        from: 0,
        tag: 0,
        bytes,
    };
    let send = |bytes| Operation::Send {
        to: 1,
        tag: 0,
        bytes,
    };
    let finish = |room| {
        engine::run(machine, &in_order(&[&[send(8)], &[receive(room)]]).unwrap())
            .unwrap()
            .finish
    };
    assert_eq!(finish(8), finish(u64::MAX));
    let huge = in_order(&[&[send(u64::MAX)], &[receive(u64::MAX)]]).unwrap();
    assert!(matches!(
        engine::run(machine, &huge),
        Err(Failure::Machine(_))
    ));
}
