//! GOAL, the text of LogGOPSim.

use algorithms::internals::engine::{self, Completion, Failure, Machine};
use algorithms::internals::engine::{Operation, Program};
use algorithms::logp::LogGops;
use algorithms::logp::LogP;
use castbench::verify::goal::reader::{GoalError, read};
use castbench::verify::goal::writer::write;

/// Reads a program and executes it twice, with the same time. Every operation runs once and within its processor's
/// time, and a program that runs in order can be exported and read again.
pub fn run(input: &[u8]) {
    let lines = 1 + input.iter().filter(|&&byte| byte == b'\n').count();
    let placed = |error: &GoalError| {
        assert!(
            (1..=lines).contains(&(error.line as usize)) && error.column >= 1,
            "nowhere: {error}"
        );
        assert!(!error.message.trim().is_empty());
    };
    let goal = match read(input) {
        Ok(goal) => goal,
        Err(error) => return placed(&error),
    };
    for machine in machines() {
        match engine::run(machine, &goal.program) {
            Ok(outcome) => executed(machine, &goal.program, &outcome),
            Err(Failure::Program(fault)) => placed(&goal.tell(&fault)),
            Err(Failure::Machine(error)) => assert!(!error.to_string().is_empty()),
        }
    }
    if goal.program.is_in_order() {
        let written = written(&goal.program);
        let again =
            read(&written).unwrap_or_else(|error| panic!("what was written is not read: {error}"));
        assert!(again.program.is_in_order());
        assert_eq!(written, self::written(&again.program));
        for machine in machines() {
            assert_eq!(
                engine::run(machine, &goal.program),
                engine::run(machine, &again.program),
                "{machine:?}"
            );
        }
    }
}

/// A common machine, and ones without overhead, without a gap, and with a cost per byte.
fn machines() -> [Machine; 4] {
    let logp = |L, o, g| LogP::new(L, o, g).map_or_else(|error| panic!("{error}"), Machine::LogP);
    let bytes = LogGops {
        L: 5_000,
        o: 1_000,
        g: 500,
        G: 8_000_000,
        O: 300_000,
        H: 1_000,
    };
    [
        logp(6, 2, 4),
        logp(1, 0, 3),
        logp(0, 1, 0),
        Machine::LogGops(bytes.into()),
    ]
}

fn written(program: &Program) -> Vec<u8> {
    let mut text = Vec::new();
    write("castbench", program, None, &mut text).unwrap_or_else(|error| panic!("{error}"));
    text
}

fn executed(machine: Machine, program: &Program, outcome: &Completion) {
    assert_eq!(outcome.ends.len(), program.processors() as usize);
    assert_eq!(
        outcome.finish,
        outcome.ends.iter().copied().max().unwrap_or(0)
    );
    let mut started = vec![None; program.operations()];
    let again = engine::observe(machine, program, |operation, at| {
        assert!(
            started[operation as usize].replace(at).is_none(),
            "operation {operation} began twice"
        );
    });
    assert_eq!(again.as_ref(), Ok(outcome), "{machine:?}");
    for processor in 0..program.processors() {
        let mut end = 0;
        let mut before = 0;
        for operation in program.range(processor) {
            let Some(at) = started[operation as usize] else {
                panic!("operation {operation} did not begin")
            };
            let takes = match (program.operation(operation), machine) {
                (Operation::Compute { time }, _) => time,
                (Operation::Send { .. } | Operation::Receive { .. }, Machine::LogP(model)) => {
                    model.o()
                }
                // At least the time of a message of one byte.
                (_, machine) => machine.at(1).map_or(0, |model| model.o()),
            };
            end = end.max(at + takes);
            assert!(
                !program.is_in_order() || at >= before,
                "operation {operation} overtakes"
            );
            before = at;
        }
        let own = outcome.ends[processor as usize];
        assert!(
            own >= end,
            "processor {processor} is done at {own}, before {end}"
        );
        assert!(
            own == end || matches!(machine, Machine::LogGops(_)),
            "processor {processor}: {own}, not {end}"
        );
    }
}
