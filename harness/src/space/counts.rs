//! Sizes of blocks as users write them: a name, a list, or a file of counts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use algorithms::internals::collectives::counts::{self, MAX_COUNTS};

use crate::base::units::{joined, plural};

const FORMS: &str = "expected even, one-large, zipf:SEED with a seed below 2^56, a list as in 3,1,4, or a .csv file with counts";

/// Where files of counts were found that the working directory does not hold, by the values of their counts.
static FOUND: Mutex<BTreeMap<u64, PathBuf>> = Mutex::new(BTreeMap::new());

/// A value as the command line takes it in the working directory.
pub fn typed(value: u64) -> Cow<'static, str> {
    let found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    match found.get(&value) {
        Some(path) => path.display().to_string().into(),
        None => counts::spelled(value),
    }
}

/// Whether a text is a list of counts, whose commas separate no values.
pub fn is_list(text: &str) -> bool {
    text.split(',')
        .all(|part| part.trim().parse::<u64>().is_ok())
}

/// The value of a text: a name, a list, `FILE`, or `FILE@DIGEST` for a file that has these counts. Files are in this directory.
///
/// # Errors
/// What was expected.
pub fn parse(text: &str, directory: &Path) -> Result<u64, String> {
    if let Some(value) = counts::named(text) {
        return Ok(value);
    }
    if is_list(text) {
        let list: Vec<u64> = text
            .split(',')
            .filter_map(|part| part.trim().parse().ok())
            .collect();
        let name = joined(",", list.iter().map(u64::to_string));
        return Ok(counts::keep(&name, counts::digest(&list), Some(&list)));
    }
    let stated = text.rsplit_once('@').and_then(|(path, digest)| {
        let is_digest = digest.len() == 14;
        Some((
            path,
            u64::from_str_radix(digest, 16).ok().filter(|_| is_digest)?,
        ))
    });
    let name = stated.map_or(text, |(path, _)| path);
    let path = directory.join(name);
    if path.extension().is_none_or(|extension| extension != "csv") {
        return Err(FORMS.to_owned());
    }
    let (list, digest) = match (read(&path), stated) {
        (Ok(list), None) => {
            let digest = counts::digest(&list);
            (Some(list), digest)
        }
        (Ok(list), Some((_, digest))) if counts::digest(&list) == digest => (Some(list), digest),
        // Rows of a sweep can be read where its file of counts is not.
        (_, Some((_, digest))) => (None, digest),
        (Err(why), None) => return Err(why),
    };
    let stated = format!("{name}@{digest:014x}");
    let value = counts::keep(&stated, digest, list.as_deref());
    if list.is_some() && path != Path::new(name) {
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(value, path);
    }
    Ok(value)
}

/// The counts in a file, row by row; a first row of words is a heading. A word begins with neither a digit nor a sign.
fn read(file: &Path) -> Result<Vec<u64>, String> {
    let path = file.display();
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .comment(Some(b'#'))
        .flexible(true)
        .trim(csv::Trim::All)
        .from_path(file)
        .map_err(|error| format!("cannot read {path}: {error}"))?;
    let (mut list, mut columns) = (Vec::new(), None);
    for (number, row) in reader.records().enumerate() {
        let row = row.map_err(|error| format!("cannot read {path}: {error}"))?;
        let counts: Vec<Option<u64>> = row.iter().map(|field| field.parse().ok()).collect();
        let is_word = |field: &str| {
            !field.starts_with(|sign: char| sign.is_ascii_digit() || "+-.".contains(sign))
        };
        if number == 0 && row.iter().all(is_word) {
            continue;
        }
        let line = row.position().map_or(0, csv::Position::line);
        let (found, first) = (row.len(), *columns.get_or_insert(row.len()));
        if found != first {
            let cells = plural(found as u64, "count");
            return Err(format!(
                "{path} line {line}: {cells}, and {first} in the first row"
            ));
        }
        for (field, count) in row.iter().zip(counts) {
            let wrong = || {
                format!(
                    "{path} line {line}: `{field}` is no whole number of words; commas separate counts"
                )
            };
            list.push(count.ok_or_else(wrong)?);
        }
        if list.len() as u64 > MAX_COUNTS {
            return Err(format!("{path} has more than {MAX_COUNTS} counts"));
        }
    }
    let columns = columns.unwrap_or(0);
    let rows = list.len().checked_div(columns).unwrap_or(0);
    if columns == 0 {
        return Err(format!(
            "{path} has no count; expected whole numbers of words, separated by commas"
        ));
    }
    if rows > 1 && columns > 1 && rows != columns {
        return Err(format!(
            "{path} has {rows} rows of {columns} counts; expected a row or a column with a count of each rank, or a row of each rank"
        ));
    }
    Ok(list)
}
