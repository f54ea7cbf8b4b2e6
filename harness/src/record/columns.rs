//! The columns of the CSV files: their names, and for a format with types what they hold.

use algorithms::catalogue::Problem;
use serde::Serialize;

use super::Row;

/// What the values of a column are. Any may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name, a word, or an exact fraction `num/den`.
    Text,
    /// A whole number of 64 bits that is not negative.
    Count,
    /// A whole number that is not negative and may pass 64 bits, as bounds of papers do.
    Wide,
    /// A number rounded for drawing.
    Float,
    /// `true` or `false`.
    Truth,
}

/// The header of a problem's CSV file.
///
/// # Errors
/// Those of the CSV library.
pub fn columns(problem: Problem) -> Result<Vec<String>, csv::Error> {
    columns_of(&Row::empty(problem))
}

/// The header that serialising this row would write: a file without rows has one, too.
///
/// # Errors
/// Those of the CSV library.
pub fn columns_of<T: Serialize>(row: &T) -> Result<Vec<String>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.serialize(row)?;
    let text = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    Ok(reader.headers()?.iter().map(str::to_owned).collect())
}

/// What a column of a problem's file holds; `None` where it has no such column.
#[must_use]
pub fn kind(problem: Problem, column: &str) -> Option<Kind> {
    Some(match column {
        "algorithm" | "machine" | "machine_basis" | "time_unit" | "status" | "published_relation" | "note" => {
            Kind::Text
        }
        // Expectations are fractions, means, too, and so is what they are compared with.
        "lower_bound_links" | "published_links" | "analytic_links" | "simulated_links" => Kind::Text,
        "lower_bound_time" | "published_time" | "analytic_time" | "simulated_time"
            if problem == Problem::WormholeMulticast =>
        {
            Kind::Text
        }
        "published_holds" => Kind::Truth,
        "published_time" | "published_steps" | "published_rounds" => Kind::Wide,
        _ if column.ends_with("_f64") => Kind::Float,
        _ => columns(problem).ok()?.iter().any(|own| own == column).then_some(Kind::Count)?,
    })
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;

    use super::super::{GossipRow, KPortRow, LogpRow, MeshRow, PipelinedRow, SummationRow, WormholeRow};
    use super::*;

    fn read_and_written<T: DeserializeOwned + Serialize>(text: &str) -> String {
        let row: T = csv::Reader::from_reader(text.as_bytes()).into_deserialize().next().unwrap().unwrap();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(row).unwrap();
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    }

    /// The kinds say what the rows are: a value of each kind, written where a column says so, is read back as a row.
    #[test]
    fn every_column_takes_values_of_its_kind() {
        for problem in Problem::ALL {
            let columns = columns(problem).unwrap();
            let value = |column: &String| match (kind(problem, column).unwrap(), column.as_str()) {
                (_, "machine_basis") => "measured".to_owned(),
                (_, "status") => "not_applicable".to_owned(),
                (Kind::Text, _) => "9/7".to_owned(),
                (Kind::Count, _) => u64::MAX.to_string(),
                (Kind::Wide, _) => u128::MAX.to_string(),
                (Kind::Float, _) => "1.5".to_owned(),
                (Kind::Truth, _) => "true".to_owned(),
            };
            let text = format!("{}\n{}\n", columns.join(","), columns.iter().map(value).collect::<Vec<_>>().join(","));
            let again = match problem {
                Problem::LogpMulticast => read_and_written::<LogpRow>(&text),
                Problem::LogpSummation => read_and_written::<SummationRow>(&text),
                Problem::MeshMulticast => read_and_written::<MeshRow>(&text),
                Problem::MeshGossip => read_and_written::<GossipRow>(&text),
                Problem::KPortBroadcast => read_and_written::<KPortRow>(&text),
                Problem::PipelinedBroadcast => read_and_written::<PipelinedRow>(&text),
                Problem::WormholeMulticast => read_and_written::<WormholeRow>(&text),
            };
            assert_eq!(again, text);
        }
        assert_eq!(kind(Problem::MeshGossip, "K_nodes"), None);
    }
}
