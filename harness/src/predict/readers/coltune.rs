//! Output of Open MPI's collective tuning scripts (github.com/open-mpi/ompi-collectives-tuning): `detail.out`, a table of one collective with
//! a column for each algorithm, and the runs `ALGORITHM_COUNTranks_runNUMBER.out`, text of the OSU or Intel benchmarks.
//!
//! A time of `detail.out` is the mean over runs, in microseconds, with its deviation in brackets. An algorithm is the number of Open MPI's
//! control variable, 0 for its own choice, or in older versions a name, `tuned` for its own choice.

use crate::libraries::Family;

use super::lines::{foreign, lines};
use super::sheet::{Bytes, PartialKey, Sheet, Statistic, Times, Unread, collective, nanoseconds};
use super::{imb, osu};

const SIZE: &str = "Message_size";
const BEST: &str = "Best_Algorithm";

/// Whether a file of this name and text is of these scripts.
pub fn recognizes(name: &str, text: &str) -> bool {
    run(name).is_some() || lines(text).any(|(_, line)| header(line).is_some())
}

/// The columns of a line that begins a table.
fn header(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().take(64).collect();
    matches!(words[..], ["#Nnodes" | "#Nranks", SIZE, _, ..]).then_some(words)
}

/// The algorithm and the number of ranks in the name of a run.
fn run(name: &str) -> Option<(&str, u32)> {
    let (algorithm, rest) = name.strip_suffix(".out")?.split_once('_')?;
    let (ranks, number) = rest.split_once("ranks_run")?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|sign| sign.is_ascii_digit());
    (is_number(algorithm) && is_number(number)).then_some((algorithm, ranks.parse().ok()?))
}

/// Reads a table of this collective, or a run.
///
/// # Errors
/// A row with other columns; a table without all algorithms; a number that Open MPI has no algorithm for.
pub fn read(name: &str, text: &str, stated: Option<&'static str>) -> Result<Sheet, Unread> {
    match run(name) {
        Some((algorithm, ranks)) => of_run(algorithm, ranks, text),
        None => table(text, stated),
    }
}

/// The name of an algorithm of Open MPI, by its number or the name in a table.
fn algorithm(of: &str, text: &str) -> Result<String, String> {
    if ["0", "tuned"].contains(&text) {
        return Ok("default_ompi".to_owned());
    }
    let Ok(number) = text.parse::<usize>() else {
        return Ok(format!("{text}_ompi"));
    };
    let mut rows = Family::OpenMpi.rows().iter();
    let row = rows.find(|row| collective(row.name) == Some(of));
    let newest = Family::OpenMpi.versions().last();
    let names = row
        .zip(newest)
        .map_or_else(Vec::new, |(row, newest)| row.names(newest));
    let name = number.checked_sub(1).and_then(|index| names.get(index));
    name.map(|name| format!("{name}_ompi"))
        .ok_or_else(|| format!("Open MPI has no algorithm {number} of {of}"))
}

fn of_run(number: &str, ranks: u32, text: &str) -> Result<Sheet, Unread> {
    let mut sheet = if imb::recognizes(text) {
        imb::read(text)?
    } else {
        osu::read(text)?
    };
    let named = |(cell, times): (PartialKey, Times)| {
        let of = cell.collective.unwrap_or_default();
        let named = algorithm(of, number).map_err(|why| Unread::at(0, why))?;
        let cell = PartialKey {
            algorithm: Some(named),
            ranks: Some(ranks),
            ..cell
        };
        Ok((cell, times))
    };
    let cells = std::mem::take(&mut sheet.cells).into_iter();
    sheet.cells = cells.map(named).collect::<Result<_, _>>()?;
    Ok(sheet)
}

fn table(text: &str, stated: Option<&'static str>) -> Result<Sheet, Unread> {
    let mut sheet = Sheet::default();
    let mut names: Option<Vec<String>> = None;
    for (number, line) in lines(text) {
        let refuse = |why: String| Unread::at(number, why);
        if let Some(header) = header(line) {
            if header.contains(&BEST) {
                return Err(refuse(
                    "best.out has the fastest algorithm only; name detail.out beside it".to_owned(),
                ));
            }
            let named = |text: &&str| match stated {
                Some(of) => algorithm(of, text),
                // The caller is asked for the collective.
                None => Ok((*text).to_owned()),
            };
            let all = header[2..].iter().map(named);
            names = Some(all.collect::<Result<_, _>>().map_err(refuse)?);
            continue;
        }
        let Some(names) = names.as_ref().filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let line = line.replace("No data", "no_data");
        let words: Vec<&str> = line.split_whitespace().take(65).collect();
        let [ranks, bytes, times @ ..] = &words[..] else {
            foreign(number, &line, 3)?;
            continue;
        };
        let (Ok(ranks), Ok(bytes)) = (ranks.parse::<u32>(), bytes.parse::<u64>()) else {
            foreign(number, &line, 3)?;
            continue;
        };
        // Newer versions repeat the library's own choice at the end.
        if times.len() != names.len() && times.len() != names.len() + 1 {
            return Err(refuse(format!(
                "expected ranks, size, and the times of {} algorithms; the row is cut",
                names.len()
            )));
        }
        for (name, time) in names.iter().zip(times) {
            let mean = time.split('(').next().unwrap_or_default();
            let Some(ns) = nanoseconds(mean, 1e3) else {
                sheet.skip(number, || format!("{bytes} bytes: `{time}` is no time"))?;
                continue;
            };
            let cell = PartialKey {
                algorithm: Some(name.clone()),
                ranks: Some(ranks),
                ..PartialKey::new(
                    stated,
                    stated.map_or(Bytes::Vector(bytes), |of| Bytes::of_osu(of, bytes)),
                    Statistic::Mean,
                )
            };
            sheet.add(number, cell, ns, None)?;
        }
    }
    Ok(sheet)
}
