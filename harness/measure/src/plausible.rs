//! Every time that a rank reports, checked against the clock of the process that gave the order: what a rank did cannot
//! have taken longer than the answer took to arrive.

use std::time::Duration;

use super::wire::{Answer, Probed, Times};

/// The difference of a rank's clock to another, and its error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offset {
    pub(crate) ns: i128,
    pub(crate) error_ns: u64,
}

/// Most time on a rank's clock while this process counts `took`, ns: clocks of different hosts drift.
fn most(took: Duration) -> i128 {
    ns(took) + drift(took)
}

fn drift(took: Duration) -> i128 {
    ns(took) / 1000
}

fn ns(took: Duration) -> i128 {
    // 64 bits of seconds and 30 of nanoseconds fit.
    i128::try_from(took.as_nanos()).unwrap_or(i128::MAX / 2)
}

/// Checks the times of an answer, `took` after the order.
///
/// # Errors
/// In words: times out of order, or longer than that.
pub fn alone(answer: &Answer, took: Duration) -> Result<(), String> {
    let longest = match answer {
        Answer::Done(times) => last(times).saturating_sub(in_order(times)?),
        Answer::Probed(Probed { whole_ns, calls_ns }) if calls_ns > whole_ns => {
            return Err(format!(
                "reports times out of order: {calls_ns} ns of calls within {whole_ns} ns"
            ));
        }
        Answer::Probed(probed) => probed.whole_ns,
        // [`clock`] compares the answers `Now`. The others have no times.
        _ => return Ok(()),
    };
    if i128::from(longest) <= most(took) {
        return Ok(());
    }
    Err(format!(
        "reports times of {longest} ns, but its order was given only {} ns ago",
        took.as_nanos()
    ))
}

/// The begin of a part, if its times are in order.
fn in_order(times: &Times) -> Result<u64, String> {
    let Times {
        began,
        received,
        held,
        sent,
    } = *times;
    if began <= received && received <= held && sent.is_none_or(|sent| began <= sent) {
        return Ok(began);
    }
    Err(format!(
        "reports times out of order: began at {began} ns, received at {received} ns, done at {held} ns{}",
        sent.map(|sent| format!(", sent at {sent} ns"))
            .unwrap_or_default()
    ))
}

fn last(times: &Times) -> u64 {
    times.held.max(times.sent.unwrap_or(0))
}

/// Checks the times of all ranks with a part in an execution that `took` this long, on one clock.
///
/// # Errors
/// The rank with impossible times, and why: those of [`alone`], or a difference to the others of more than the whole
/// execution.
pub fn together(ranks: &[(u32, Times, Offset)], took: Duration) -> Result<(), (u32, String)> {
    for &(rank, times, _) in ranks {
        alone(&Answer::Done(times), took).map_err(|why| (rank, why))?;
    }
    let error = ranks
        .iter()
        .map(|(_, _, offset)| i128::from(offset.error_ns))
        .max()
        .unwrap_or(0);
    let most = most(took) + 2 * error;
    let ends = |(_, own, offset): &(u32, Times, Offset)| {
        (
            i128::from(own.began) - offset.ns,
            i128::from(last(own)) - offset.ns,
        )
    };
    let ends: Vec<(i128, i128)> = ranks.iter().map(ends).collect();
    // The median, because one rank may be off in either direction.
    let mut begins: Vec<i128> = ends.iter().map(|(began, _)| *began).collect();
    begins.sort_unstable();
    let middle = begins.get(begins.len() / 2).copied().unwrap_or(0);
    let is_far = |&(began, last): &(i128, i128)| middle - began > most || last - middle > most;
    let Some(far) = ends.iter().position(is_far) else {
        return Ok(());
    };
    let took = took.as_nanos();
    let why = format!(
        "reports times that differ from those of the others by more than the {took} ns of the execution"
    );
    Err((ranks[far].0, why))
}

/// Checks that a clock advanced with this one, from its differences to this one within `took`; returns the most exact.
///
/// # Errors
/// In words: a clock that jumped or stands still.
pub fn clock(differences: &[Offset], took: Duration) -> Result<Offset, String> {
    let best = differences
        .iter()
        .copied()
        .min_by_key(|offset| offset.error_ns)
        .unwrap_or_default();
    let agrees = |other: &Offset| {
        let errors = i128::from(other.error_ns) + i128::from(best.error_ns);
        (other.ns - best.ns).abs() <= errors + drift(took) + 1
    };
    match differences.iter().find(|offset| !agrees(offset)) {
        None => Ok(best),
        Some(other) => Err(format!(
            "reports times of a clock that moved by {} ns against this one within {} ns",
            other.ns - best.ns,
            took.as_nanos()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn times_that_cannot_be_true_are_refused() {
        let at = |began, received, held, sent| Times {
            began,
            received,
            held,
            sent,
        };
        let honest = at(1_000, 1_000, 1_000, Some(2_000));
        let same = Offset::default();
        let found = |own| {
            together(
                &[(0, honest, same), (1, own, same), (2, honest, same)],
                SECOND,
            )
            .err()
            .map(|(rank, _)| rank)
        };
        assert_eq!(found(at(1_500, 2_000, 2_500, None)), None);
        for own in [
            at(1_500, 0, 0, None),
            at(1_500, u64::MAX, u64::MAX, None),
            at(1_500, 1_600, 1_550, None),
            at(1_500, 1_600, 1_700, Some(1_400)),
            at(1_500, 1_600, 1_001_003_000, None),
            // In order and short, but long after the others.
            at(1_500_000_000, 1_500_000_000, 1_500_000_001, None),
        ] {
            assert_eq!(found(own), Some(1), "{own:?}");
        }
    }

    #[test]
    fn an_experiment_is_shorter_than_the_wait_for_it() {
        let probed =
            |whole_ns, calls_ns| alone(&Answer::Probed(Probed { whole_ns, calls_ns }), SECOND);
        assert_eq!(probed(1_000_000_000, 999_999_999), Ok(()));
        for (whole, calls) in [
            (u64::MAX, u64::MAX),
            (u64::MAX, 0),
            (1_001_000_001, 0),
            (5, 6),
        ] {
            assert!(
                probed(whole, calls)
                    .unwrap_err()
                    .starts_with("reports times"),
                "{whole} {calls}"
            );
        }
    }

    #[test]
    fn a_clock_that_does_not_advance_with_this_one_is_refused() {
        let offset = |ns, error_ns| Offset { ns, error_ns };
        let found =
            |offsets: &[Offset]| clock(offsets, Duration::from_micros(100)).map(|offset| offset.ns);
        assert_eq!(
            found(&[offset(1_000, 40), offset(1_035, 5), offset(1_030, 60)]),
            Ok(1_035)
        );
        assert_eq!(
            found(&[
                offset(i128::from(u64::MAX), 40),
                offset(i128::from(u64::MAX) + 45, 5)
            ]),
            Ok(i128::from(u64::MAX) + 45)
        );
        assert!(found(&[offset(1_000, 40), offset(1_000 - 200, 5)]).is_err());
        assert!(found(&[offset(i128::from(u64::MAX), 40), offset(0, 5)]).is_err());
        assert_eq!(found(&[]), Ok(0));
    }
}
