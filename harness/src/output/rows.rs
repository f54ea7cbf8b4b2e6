//! Rows as CSV.

use serde::Serialize;

use super::error::Error;

/// Rows under this header, which is written even without rows.
///
/// # Errors
/// A row that the CSV library cannot write.
pub fn csv_under<'a, T: Serialize + 'a>(
    header: &[String],
    rows: impl IntoIterator<Item = &'a T>,
) -> Result<Vec<u8>, Error> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(header)?;
    finish(writer, rows)
}

/// Rows with their header.
///
/// # Errors
/// A row that the CSV library cannot write.
pub fn csv_bytes<T: Serialize>(rows: &[T]) -> Result<Vec<u8>, Error> {
    finish(csv::Writer::from_writer(Vec::new()), rows)
}

/// Rows without their header.
///
/// # Errors
/// A row that the CSV library cannot write.
pub fn csv_behind<T: Serialize>(rows: &[T]) -> Result<Vec<u8>, Error> {
    finish(csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new()), rows)
}

fn finish<'a, T: Serialize + 'a>(
    mut writer: csv::Writer<Vec<u8>>,
    rows: impl IntoIterator<Item = &'a T>,
) -> Result<Vec<u8>, Error> {
    rows.into_iter().try_for_each(|row| writer.serialize(row))?;
    writer.into_inner().map_err(|error| Error::Csv(error.into_error().into()))
}
