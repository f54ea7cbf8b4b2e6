//! Plans of users in JSON, and schedules of all formats that `castbench verify` judges.

use std::path::Path;

use algorithms::error::Error;
use algorithms::internals::collectives::Collective;
use algorithms::internals::collectives::judge::judge;
use algorithms::internals::collectives::written::Written;
use algorithms::internals::collectives::{
    Algorithm, Closed, Goal, Plan, Task, allreduce, alltoall, scatter,
};
use algorithms::internals::engine::Machine;
use algorithms::logp::LogP;
use castbench::verify::json::read;
use castbench::verify::read::File;
use castbench::verify::shape::MAX_BYTES;
use castbench::verify::shape::Shape;
use castbench::verify::{Trouble, check, program};

struct Mine(Written);

impl Algorithm for Mine {
    fn formula(&self, _: &Task) -> Result<Closed, Error> {
        Ok(Closed::Executed { least: 0 })
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        self.0.plan(task)
    }
}

/// Reads and judges a schedule; what is right can be executed.
fn judged(input: &[u8]) {
    let file =
        File::new(Path::new("schedule"), input.to_vec()).unwrap_or_else(|error| panic!("{error}"));
    for asked in [
        None,
        Collective::named("allreduce"),
        Collective::named("barrier"),
    ] {
        match file.schedule(asked, 0, Some(3)) {
            Err(Trouble::Unread(_, explanation)) => assert!(!explanation.is_empty()),
            Err(Trouble::Wrong(finding)) => assert!(!finding.message.is_empty()),
            Err(Trouble::NotJudged(_, reason)) => assert!(!reason.is_empty()),
            Ok(schedule) => {
                if check(&schedule).is_ok() && schedule.program.is_none() {
                    let built = program::program(&schedule, Some(8), &|_| 1, None);
                    assert!(built.is_ok(), "right, and not executed: {built:?}");
                }
            }
        }
    }
}

/// Reads a plan for some collectives and ranks, and executes it. Errors say what and where.
pub fn run(input: &[u8]) {
    if input.len() as u64 > MAX_BYTES {
        return;
    }
    judged(input);
    let goals: [(&str, &dyn Goal); 3] = [
        ("allreduce", &allreduce::Allreduce),
        ("scatter", &scatter::Scatter),
        ("alltoall", &alltoall::Alltoall),
    ];
    let machine = LogP::new(6, 2, 4).map_or_else(|error| panic!("{error}"), Machine::Words);
    for (problem, goal) in goals {
        let Some(known) = Collective::named(problem) else {
            continue;
        };
        for ranks in 1..6 {
            let task = Task {
                m: 2,
                ..Task::new(machine, ranks.into(), 7, 1)
            };
            let shape =
                Shape::new(known, ranks, 0).unwrap_or_else(|explanation| panic!("{explanation}"));
            match read(input, &shape) {
                Err(explanation) => assert!(
                    explanation.starts_with("line ") || explanation.starts_with("plan"),
                    "nowhere: {explanation}"
                ),
                Ok((plan, _)) => {
                    let given: &dyn Algorithm = &Mine(plan);
                    let executed = given.compiled(&task);
                    // A hop takes 10; a plan that is refused has no cost.
                    if let Ok(time) = executed.and_then(|plan| judge(goal, &task, false, &plan)) {
                        assert!(
                            ranks == 1 || time >= 10,
                            "{problem} on {ranks} ranks in {time}"
                        );
                    }
                }
            }
        }
    }
}
