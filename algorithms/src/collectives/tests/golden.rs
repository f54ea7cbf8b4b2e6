//! What every rank did at many points when algorithms were converted into plans: a hash per algorithm, held equal since.
//!
//! Equal costs do not say that an algorithm still is the one of its page; equal scripts do.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::super::Task;
use super::{for_each_case, machines};
use crate::plan::script::{Act, Script};

/// FNV-1a, of 64-bit numbers: the same on every platform and with every compiler.
struct Hash(u64);

impl Hash {
    fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_script(&mut self, (script, ends): &(Script, Vec<usize>)) {
        ends.iter().for_each(|&end| self.add(end as u64));
        for step in &script.steps {
            let act = match step.act {
                Act::Send => 0,
                Act::Receive => 1,
                Act::CombineBefore => 2,
                Act::CombineAfter => 3,
                Act::Local { left, right } => 4 + (u64::from(left) << 8) + (u64::from(right) << 16),
            };
            [act, step.buffer.into(), step.peer.into(), step.round.into()]
                .into_iter()
                .for_each(|number| self.add(number));
            for &(start, end) in script.pieces(step) {
                self.add(start);
                self.add(end);
            }
        }
    }
}

#[test]
fn scripts_are_those_of_before() {
    let machines = machines();
    let found = Mutex::new(BTreeMap::new());
    for_each_case(|case| {
        let algorithm = case.listed.algorithm;
        let (mut hash, mut points) = (Hash(0xcbf2_9ce4_8422_2325), 0);
        for &machine in [machines.first(), machines.get(4), machines.last()]
            .into_iter()
            .flatten()
        {
            for K in (1..=18).chain([24, 31, 32, 33, 64, 100]) {
                for n in [1, 2, 5, K, K + 1, 4 * K, 321] {
                    for task in case.tasks(machine, K, n, 1) {
                        let Ok(time) = algorithm.time(&task) else {
                            continue;
                        };
                        let Task { root, m, r, k, .. } = task;
                        [K, n, root, m, r, k, time.unwrap_or(u64::MAX)]
                            .into_iter()
                            .for_each(|number| hash.add(number));
                        hash.add(u64::try_from(algorithm.messages(&task)).unwrap());
                        hash.add_script(&algorithm.plan(&task).unwrap().scripts(&task).unwrap());
                        points += 1;
                    }
                }
            }
        }
        found.lock().unwrap().insert(
            case.listed.name,
            format!("{points:6} points {:016x}", hash.0),
        );
    });
    let lines = found
        .into_inner()
        .unwrap()
        .into_iter()
        .map(|(name, line)| format!("{name:<34} {line}\n"));
    insta::assert_snapshot!(lines.collect::<String>());
}
