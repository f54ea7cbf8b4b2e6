//! Which messages of a program are exchanged: two processors send to each other in the same turn.

use std::collections::{HashMap, HashSet};

use super::program::Program;
use super::step::{Kind, NONE};

/// A flag in the level of a size: its messages are exchanged.
pub(super) const EXCHANGED: u32 = 1 << 31;

/// Sender, receiver, and the turns in which they send and receive a message.
type Turns = (u32, u32, u32, u32);

/// Gives the exchanged messages of a program in order sizes of their own. Cost: linear in the operations.
pub(super) fn mark(program: &mut Program) {
    if !program.is_in_order() {
        return;
    }
    let mut messages: Vec<(Turns, u32)> = vec![((NONE, NONE, NONE, NONE), NONE); program.messages() as usize];
    for processor in 0..program.processors() {
        let (mut turn, mut receives) = (0, false);
        for operation in program.range(processor) {
            let message = &mut messages[match program.code(operation).0 {
                Kind::Compute => continue,
                Kind::Send | Kind::Receive => program.steps[operation as usize].message as usize,
            }];
            if program.code(operation).0 == Kind::Send {
                turn += u32::from(std::mem::take(&mut receives));
                (message.0.0, message.0.2, message.1) = (processor, turn, operation);
            } else {
                receives = true;
                (message.0.1, message.0.3) = (processor, turn);
            }
        }
    }
    let known: HashSet<Turns> = messages.iter().map(|(turns, _)| *turns).collect();
    let mut sizes: HashMap<u32, u32> = HashMap::new();
    for ((from, to, sent, received), send) in messages {
        if !known.contains(&(to, from, received, sent)) {
            continue;
        }
        let size = program.code(send).1;
        let index = *sizes.entry(size).or_insert_with(|| {
            let level = program.level(size) | EXCHANGED;
            program.levels.resize(program.sizes.len(), 0);
            program.sizes.push(program.sizes[size as usize]);
            program.levels.push(level);
            u32::try_from(program.sizes.len() - 1).unwrap_or(NONE)
        });
        program.steps[send as usize].code = Kind::Send.code(index);
    }
}
