//! Messages on a mesh with times: when each begins, how long it waits, and when it arrives.

use std::fmt;

use algorithms::cost::Unit;
use algorithms::internals::execution::{Event, What};

use super::execution::{Execution, Message};
use crate::base::units::{grouped, plural};

/// Writes a line for each message, or nothing if links are counted instead of time.
pub fn table(execution: &Execution, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if execution.stage.unit == Unit::Links {
        return Ok(());
    }
    let (messages, paths) = (execution.messages(), execution.paths());
    let mut receivers: Vec<Vec<&Event>> = vec![Vec::new(); messages.len()];
    for event in execution
        .events
        .iter()
        .filter(|event| event.what == What::Receive)
    {
        receivers[event.transfer as usize].push(event);
    }
    let row = |(number, message): (usize, &Message)| {
        // The header takes the same time for each hop; the rest of its time it waited.
        let last = paths[number].last().map_or(message.sent, |link| link.start);
        let hop = message.received - last;
        let moving = hop * (paths[number].len() as u64).saturating_sub(1);
        let receivers: Vec<String> = receivers[number]
            .iter()
            .map(|event| execution.label(event.node).to_string())
            .collect();
        let [begins, waits, there] =
            [message.start, last - message.sent - moving, message.held].map(grouped);
        [
            execution.label(message.from).to_string(),
            begins,
            waits,
            there,
            receivers.join(" "),
        ]
    };
    let titles = ["sender", "begins", "waits", "there", "receivers"].map(str::to_owned);
    let rows: Vec<[String; 5]> = [titles]
        .into_iter()
        .chain(messages.iter().enumerate().map(row))
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let [a, b, c, d]: [usize; 4] = std::array::from_fn(width);
    writeln!(f, "\n{}", execution.stage.hints.note)?;
    for [sender, begins, waits, there, receivers] in &rows {
        writeln!(
            f,
            "  {sender:>a$}  {begins:>b$}  {waits:>c$}  {there:>d$}  {receivers}"
        )?;
    }
    writeln!(
        f,
        "all have the message after {}",
        plural(execution.finish(), "time unit")
    )
}
