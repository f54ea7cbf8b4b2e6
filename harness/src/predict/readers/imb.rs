//! Text of the Intel MPI Benchmarks, IMB-MPI1 (`src_c/IMB_output.c`).
//!
//! `t_max` is the mean over calls of the slowest rank. The time of `PingPong` is half a round trip. The sizes are those
//! of MPI's arguments.

use super::lines::{foreign, lines};
use super::sheet::{
    Header, PartialKey, Sheet, Statistic, TimeColumns, Unread, check_rate, collective, nanoseconds,
    plain, whole_number,
};

const BEGIN: &str = "# Benchmarking ";

/// Columns with a time in microseconds, the best first; some tables have none.
const TIMES: [TimeColumns; 3] = [
    (&["t_max[usec]"], Statistic::Slowest),
    (&["t[usec]"], Statistic::Mean),
    (&[], Statistic::Mean),
];

/// Whether a text is of these benchmarks.
pub fn recognizes(text: &str) -> bool {
    lines(text).any(|(_, line)| line.starts_with(BEGIN) || line.contains("Intel(R) MPI Benchmarks"))
}

/// What is known of the rows that follow.
#[derive(Default)]
struct Test<'a> {
    name: &'a str,
    ranks: Option<u32>,
    /// The types of elements, of reductions and of other collectives.
    datatypes: [Option<String>; 2],
    operator: Option<String>,
    table: Option<Header<'a>>,
}

impl Test<'_> {
    /// A table begins at this line without its title.
    fn untitled(&self, number: u64) -> Unread {
        let above = self.name;
        let reason = format!(
            "a table without a line `{BEGIN}NAME` of its own follows that of {above}; the line is damaged, measure again"
        );
        Unread::at(number, reason)
    }
}

/// How the benchmark begins lines about wrong data, and what its rows end in where it gave up.
const WRONG: [&str; 3] = ["Got invalid buffer", "Buffer entry:", ": Error "];
const GAVE_UP: [&str; 3] = ["time-out", "int-overflow", "out-of-mem"];

/// Reads the tables.
///
/// # Errors
/// A row that is not as its header says; a line about wrong data, which does not name its row.
pub fn read(text: &str) -> Result<Sheet, Unread> {
    let mut sheet = Sheet::default();
    let mut test = Test::default();
    for (number, line) in lines(text) {
        if let Some(name) = line.strip_prefix(BEGIN) {
            test = Test {
                name: name.trim(),
                ranks: None,
                table: None,
                ..test
            };
        } else if let Some(count) = line.strip_prefix("# #processes = ") {
            if test.ranks.is_some() || test.table.is_some() {
                return Err(test.untitled(number));
            }
            test.ranks = count
                .split([' ', ';'])
                .next()
                .and_then(|count| count.parse().ok());
        } else if let Some((name, value)) = line
            .strip_prefix("# MPI_")
            .and_then(|line| line.split_once(':'))
        {
            match name.trim() {
                "Datatype for reductions" => test.datatypes[0] = plain(value.trim()),
                "Datatype" => test.datatypes[1] = plain(value.trim()),
                "Op" => test.operator = plain(value.trim()),
                _ => {}
            }
        } else if line.contains("#repetitions") {
            if collective(test.name).is_some() && test.table.is_some() {
                return Err(test.untitled(number));
            }
            test.table = Header::new(line.split_whitespace().collect(), &TIMES);
        } else if test.table.is_some() && WRONG.iter().any(|wrong| line.contains(wrong)) {
            return Err(Unread::at(
                number,
                format!("the benchmark found wrong data: `{line}`; measure again"),
            ));
        } else if let Some(table) = test.table.as_ref().filter(|_| !line.starts_with('#')) {
            if line.starts_with(|sign: char| sign.is_ascii_digit()) {
                row(&mut sheet, (number, line), &test, table)?
            } else {
                foreign(number, line, table.names.len())?
            }
        } else if !test.name.is_empty() && line.starts_with(|sign: char| sign.is_ascii_digit()) {
            let reason =
                "a row without a header; expected `#repetitions` among the titles above it";
            return Err(Unread::at(number, reason));
        }
    }
    Ok(sheet)
}

fn row(
    sheet: &mut Sheet,
    (number, line): (u64, &str),
    test: &Test<'_>,
    header: &Header<'_>,
) -> Result<(), Unread> {
    let name = collective(test.name).filter(|_| !header.names.contains(&"Group"));
    let (Some(name), Some(time)) = (name, header.times.first()) else {
        let reason = || {
            format!(
                "`{}` is no test of one collective at a time, or of two ranks",
                test.name
            )
        };
        return sheet.skip(number, reason);
    };
    let mut words = line.split_whitespace();
    let given_up = words
        .clone()
        .find(|word| GAVE_UP.iter().any(|reason| word.starts_with(reason)));
    if let Some(reason) = given_up {
        let size = words.next().unwrap_or_default();
        return sheet.skip(number, || {
            format!(
                "{size} bytes: the benchmark gave up ({})",
                reason.trim_end_matches(['.', ';'])
            )
        });
    }
    let word = header.row(number, line)?;
    let whole = |name| whole_number::<u64>(word(name), number, name);
    // A barrier has no size.
    let size = whole("#bytes")?.unwrap_or(0);
    if word("defects").is_some_and(|count| count.parse::<f64>().is_ok_and(|count| count != 0.0)) {
        return sheet.skip(number, || {
            format!("{size} bytes: the benchmark found wrong data (defects)")
        });
    }
    let time = word(time).unwrap_or_default();
    let Some(ns) = nanoseconds(time, 1e3) else {
        return sheet.skip(number, || format!("`{time}` is no time"));
    };
    if let Some(rate) = word("Mbytes/sec").and_then(|rate| rate.parse::<f64>().ok()) {
        // Megabytes were binary before 2019: 5 % more, which the comparison allows.
        check_rate(number, size, ns, rate / 1e3, 1e-4)?;
    }
    let is_reduction = name.contains("reduce") || name.ends_with("scan");
    let datatype = test.datatypes[usize::from(!is_reduction)].clone();
    let operator = test.operator.clone().filter(|_| is_reduction);
    let key = PartialKey {
        ranks: test.ranks,
        datatype,
        operator,
        ..PartialKey::argument(name, size, header.statistic)
    };
    sheet.add(number, key, ns, whole("#repetitions")?)
}
