//! Summation under LogP as a problem: axes, algorithms, and one of them at one point.

use std::fmt;

use super::optimal::SummationOptimal;
use super::paper::SummationPaper;
use super::schedule::{Operation, Schedule};
use super::{Summation, check_instance, gap, optimal, simulator};
use crate::cost::{By, Exact, Limits, Published, Simulated};
use crate::engine::{Machine, schedules};
use crate::error::Error;
use crate::execution::{self, Class, Emit, Event, Hints, Stage, View, Which};
use crate::logp::{LogP, axes};
use crate::papers;
use crate::problem::{
    At, Axis, Carrier, Case, Kind, Listing, Memo, Problem, Run, Setting, Value, coordinates,
    listed, needed,
};
use crate::text::{grouped, plural};

/// What is summed, on which machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SummationPoint {
    /// The machine; its time unit is that of an addition.
    pub model: LogP,
    /// Processors; at least 1.
    pub P: u64,
    /// Numbers to be summed; at least 1.
    pub operands: u64,
}

const PROCESSORS: Axis = Axis::new(
    "P",
    &["P_processors"],
    Kind::Count,
    "processors P",
    "processors",
);

const OPERANDS: Axis = Axis::new(
    "operands",
    &["N_operands"],
    Kind::Count,
    "operands N",
    "numbers to be summed, the N of the papers",
);

const OPTIMUM_PAPER: &str =
    "Karp, Sahay, Santos, Schauser 1993, Optimal broadcast and summation in the LogP model";

/// N operands summed on P processors under LogP.
pub const LOGP_SUMMATION: Problem = Problem {
    limits: &[[
        "summation-optimal, summation-paper",
        "P and operands = 2^64 - 1",
        "the cost does not fit in 64 bits; summation-paper also refuses fewer operands than its theorem needs",
    ]],
    ..Problem::new(
        ["logp-summation", "Summation under LogP"],
        &[axes::L, axes::O, axes::G, PROCESSORS, OPERANDS],
        &[&[("L", 5), ("o", 2), ("g", 4), ("P", 7), ("operands", 82)]],
        &SUMMATIONS,
    )
};

/// The summations.
pub static SUMMATIONS: Listing<dyn Summation, SummationPoint> = Listing {
    point,
    entries: listed! {
        "summation-paper" => SummationPaper, (papers::LOGP, "algorithm 2, theorems 5 and 6"):
            "the broadcast tree reversed, cut in preorder";
        "summation-optimal" => SummationOptimal, (OPTIMUM_PAPER, "section 5"):
            "the most fruitful processors only, as late as they can send";
    },
};

fn point(_: &Setting, values: &[Value]) -> Result<SummationPoint, Error> {
    let [L, o, g, P, operands] = coordinates(values)?;
    let model = LogP::new(needed("L", L)?, needed("o", o)?, needed("g", g)?)?;
    let (P, operands) = (needed("P", P)?, needed("operands", operands)?);
    check_instance(P, operands)?;
    Ok(SummationPoint { model, P, operands })
}

impl Case for At<dyn Summation, SummationPoint> {
    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let SummationPoint { model, P, operands } = self.point;
        let (P, operands) = (plural(P, "processor"), plural(operands, "operand"));
        writeln!(
            out,
            "{operands} on {P}; an addition takes one time unit, the sum ends up on processor 0"
        )?;
        let [L, o, g, gap] = [model.L(), model.o(), model.g(), gap(model)].map(grouped);
        writeln!(
            out,
            "L = {L}, o = {o}, g = {g}: a processor takes in a partial sum every max(g, o+1) = {gap}"
        )
    }

    fn analytic(&self, _: &mut Memo) -> Result<Option<(Exact, By)>, Error> {
        let SummationPoint { model, P, operands } = self.point;
        let time = self.algorithm.time(model, P, operands)?;
        Ok(Some((Exact::Integer(time), By::Formula)))
    }

    fn program(&self, carrier: Carrier) -> Option<Result<Run, Error>> {
        let program = |schedule| {
            Ok((
                carrier.machine(self.point.model),
                schedules::summation(&schedule, carrier.bytes)?,
            ))
        };
        Some(self.schedule().and_then(program))
    }

    fn execute(&self, _: &Which, emit: Emit<'_>) -> Result<Stage, Error> {
        let (point, schedule) = (self.point, self.schedule()?);
        simulator::execute(point.model, &schedule)?;
        let program = schedules::summation(&schedule, 1)?;
        // The operations of the program are those of the schedule, processor by processor.
        let steps: Vec<Operation> = (0..schedule.processors())
            .flat_map(|p| schedule.program(p))
            .copied()
            .collect();
        let complete = |operation: u32, event: Event| match steps[operation as usize] {
            Operation::Combine { from } => Event {
                class: 1,
                peer: from,
                ..event
            },
            _ => event,
        };
        let finish = execution::of_program(Machine::LogP(point.model), &program, &complete, emit)?;
        let stage = Stage {
            classes: ADDITIONS,
            ..Stage::new(program.processors())
        };
        Ok(stage.drawn(hints(point, &schedule, finish)))
    }

    fn lower_bound(&self, _: &mut Memo) -> Result<Exact, Error> {
        let SummationPoint { model, P, operands } = self.point;
        optimal::time(model, P, operands).map(Exact::Integer)
    }

    fn published(&self) -> Vec<Published> {
        let SummationPoint { model, P, operands } = self.point;
        self.algorithm.published(model, P, operands)
    }

    fn too_large(&self, limits: &Limits) -> Option<String> {
        executable(self.point.P, self.point.operands, limits).err()
    }

    fn work(&self) -> u64 {
        self.point.P.saturating_add(self.point.operands)
    }

    fn simulate(&self) -> Result<Simulated, Error> {
        let trace = simulator::execute(self.point.model, &self.schedule()?)?;
        Ok(Simulated::Exact(trace.finish))
    }
}

/// What a processor adds.
const ADDITIONS: &[Class] = &[
    Class {
        name: "adds own operands",
        brief: "adds {time}",
        mark: '+',
    },
    Class {
        name: "adds the partial sum received",
        brief: "adds the sum of {peer}",
        mark: 'c',
    },
];

fn hints(
    SummationPoint { model, P, operands }: SummationPoint,
    schedule: &Schedule,
    finish: u64,
) -> Hints {
    let own: Vec<u64> = (0..schedule.processors())
        .map(|p| schedule.operands(p))
        .collect();
    let [L, o, g, finish] = [model.L(), model.o(), model.g(), finish].map(grouped);
    let idle = match own.iter().filter(|&&operands| operands == 0).count() {
        0 => String::new(),
        idle => format!("; {} without a part", plural(idle as u64, "processor")),
    };
    let title = format!(
        "{} on {}",
        plural(operands, "operand"),
        plural(P, "processor")
    );
    let subtitle =
        format!("L = {L}, o = {o}, g = {g}; processor 0 holds the sum at {finish}{idle}");
    let note =
        "operands: how many of its own; the first of them is there without an addition".to_owned();
    let hints = Hints::new(View::Timelines, title, subtitle);
    Hints {
        note,
        noun: "processor",
        beside: ("operands", own),
        ..hints
    }
}

impl At<dyn Summation, SummationPoint> {
    fn schedule(&self) -> Result<Schedule, Error> {
        let SummationPoint { model, P, operands } = self.point;
        // `too_large` has refused what needs more than 32 bits.
        let P = u32::try_from(P).map_err(|_| Error::Overflow)?;
        self.algorithm.schedule(model, P, operands)
    }
}

/// The most processors of a summation that is executed: about 420 bytes each, 7 GB in all.
const MAX_EXECUTED: u64 = 1 << 24;

/// The most operands that are added one by one, for any limits: minutes.
const MAX_ADDITIONS: u64 = 1 << 34;

/// Refuses a summation that is not executed, and says why.
fn executable(P: u64, operands: u64, limits: &Limits) -> Result<(), String> {
    let most = limits.nodes.min(MAX_EXECUTED);
    if P > most {
        return Err(format!(
            "P = {P} is above the {most} processors that are simulated"
        ));
    }
    let most = limits.hops.min(MAX_ADDITIONS);
    if operands > most {
        return Err(format!(
            "operands = {operands} is above the {most} that are added one by one"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Evaluation;
    use crate::logp::summation::optimal::SummationOptimal;
    use crate::logp::summation::paper::SummationPaper;
    use crate::logp::summation::schedule::Schedule;
    use crate::violation::Rule;

    const ALL: [&dyn Summation; 2] = [&SummationPaper, &SummationOptimal];

    #[test]
    fn what_is_too_large_is_not_executed() {
        let model = LogP::new(5, 2, 4).unwrap();
        let limits = Limits {
            nodes: 7,
            hops: 100,
        };
        for (P, operands, reason) in [
            (8, 100, "P = 8 is above the 7"),
            (7, 101, "operands = 101 is above the 100"),
        ] {
            assert!(!is_simulated(P, operands, &limits) && is_simulated(7, 100, &limits));
            for algorithm in ALL {
                let evaluation = evaluate(algorithm, model, P, operands, &limits).unwrap();
                assert!(
                    matches!(evaluation.simulated, Simulated::Skipped(why) if why.starts_with(reason))
                );
            }
        }
        let huge = Limits {
            nodes: u64::MAX,
            hops: u64::MAX,
        };
        assert!(
            !is_simulated(MAX_EXECUTED + 1, 1, &huge) && !is_simulated(1, MAX_ADDITIONS + 1, &huge)
        );
    }

    #[test]
    fn an_instance_has_a_processor_and_an_operand() {
        let model = LogP::new(5, 2, 4).unwrap();
        for (P, operands, symbol) in [(0, 5, "P"), (5, 0, "operands"), (0, 0, "P")] {
            let refused = |error: Error| matches!(error, Error::Parameter { symbol: which, .. } if which == symbol);
            assert!(refused(check_instance(P, operands).unwrap_err()));
            for algorithm in ALL {
                assert!(refused(algorithm.time(model, P, operands).unwrap_err()));
                assert!(refused(
                    algorithm
                        .schedule(model, P.try_into().unwrap(), operands)
                        .unwrap_err()
                ));
                assert!(refused(
                    evaluate(algorithm, model, P, operands, &Limits::default()).unwrap_err()
                ));
                assert!(algorithm.published(model, P, operands).is_empty());
            }
        }
    }

    /// Takes one time unit by its formula; its schedule adds nothing.
    struct Wrong;

    impl Summation for Wrong {
        fn time(&self, _: LogP, _: u64, _: u64) -> Result<u64, Error> {
            Ok(1)
        }

        fn schedule(&self, _: LogP, _: u32, operands: u64) -> Result<Schedule, Error> {
            let mut schedule = Schedule::default();
            schedule.push(operands, []);
            Ok(schedule)
        }
    }

    #[test]
    fn a_rejected_schedule_is_an_error() {
        let left = Rule::NotAdded.broken("processor 0 never adds 4 of its operands");
        let found = evaluate(
            &Wrong,
            LogP::new(6, 2, 4).unwrap(),
            1,
            5,
            &Limits::default(),
        );
        assert_eq!(found, Err(left.into()));
    }

    fn evaluate(
        algorithm: &'static dyn Summation,
        model: LogP,
        P: u64,
        operands: u64,
        limits: &Limits,
    ) -> Result<Evaluation, Error> {
        let point = SummationPoint { model, P, operands };
        At { algorithm, point }.costs(limits)
    }

    fn is_simulated(P: u64, operands: u64, limits: &Limits) -> bool {
        executable(P, operands, limits).is_ok()
    }
}
