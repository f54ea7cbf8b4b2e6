//! Converts CSV to Parquet, one row group at a time.

use std::fs::File;
use std::io::{BufWriter, Seek as _};
use std::path::Path;
use std::sync::Arc;

use algorithms::problem::AnyProblem;
use csv::ByteRecord;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::super::row::{self, ColumnType};
use crate::failure::{Code, Failure};
use crate::output;
use crate::units::NONE;

/// Rows of a row group: the unit of memory here and of skipping in readers.
const ROW_GROUP: usize = 1 << 17;

/// Most decimal digits that readers support.
const DIGITS: i32 = 38;

struct Column {
    name: String,
    values: ColumnValues,
    /// For each row 1, or 0 if the value is missing.
    present: Vec<i16>,
}

enum ColumnValues {
    Text(Vec<ByteArray>),
    Count(Vec<i64>),
    Wide(Vec<FixedLenByteArray>),
    Float(Vec<f64>),
}

pub(super) fn convert(
    problem: &dyn AnyProblem,
    (csv, csv_path): (&File, &Path),
    (file, path): (&File, &Path),
    metadata: Vec<(String, String)>,
) -> Result<(), Failure> {
    let unreadable = |error: csv::Error| Failure::read(csv_path, error);
    let mut csv = csv;
    csv.rewind().map_err(|error| Failure::read(csv_path, error))?;
    let mut reader = csv::Reader::from_reader(output::lines_of(csv));
    let header = reader.headers().map_err(unreadable)?.clone();
    let mut columns = header.iter().map(|name| Column::new(problem, name)).collect::<Result<Vec<_>, _>>()?;
    let failed = |error: ParquetError| Failure::write(path, &std::io::Error::other(error));
    let schema = schema(problem, &columns).map_err(failed)?;
    let properties = Arc::new(properties(metadata));
    let mut writer = SerializedFileWriter::new(BufWriter::new(file), Arc::new(schema), properties).map_err(failed)?;
    let mut record = ByteRecord::new();
    let mut rows = 0;
    while reader.read_byte_record(&mut record).map_err(unreadable)? {
        for (column, field) in columns.iter_mut().zip(&record) {
            column
                .push(field)
                .map_err(|reason| Failure::read(csv_path, format_args!("line {}: {reason}", rows + 2)))?;
        }
        rows += 1;
        if rows % ROW_GROUP == 0 {
            write(&mut writer, &mut columns).map_err(failed)?;
        }
    }
    if rows % ROW_GROUP > 0 {
        write(&mut writer, &mut columns).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

fn properties(metadata: Vec<(String, String)>) -> WriterProperties {
    let pairs = metadata.into_iter().map(|(key, value)| KeyValue::new(key, value)).collect();
    WriterProperties::builder()
        .set_created_by(format!("castbench {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(pairs))
        .build()
}

fn schema(problem: &dyn AnyProblem, columns: &[Column]) -> Result<Type, ParquetError> {
    let fields = columns.iter().map(|column| column.schema().map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder(&problem.name().replace('-', "_")).with_fields(fields).build()
}

fn write<W: std::io::Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    columns: &mut [Column],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in columns {
        if let Some(mut own) = group.next_column()? {
            column.write(&mut own)?;
            own.close()?;
        }
    }
    group.close()?;
    Ok(())
}

impl Column {
    fn new(problem: &dyn AnyProblem, name: &str) -> Result<Self, Failure> {
        let kind = row::columns(problem).into_iter().find(|column| column.0 == name).map(|column| column.1);
        let values = match kind {
            Some(ColumnType::Text | ColumnType::Exact) => ColumnValues::Text(Vec::new()),
            Some(ColumnType::Count) => ColumnValues::Count(Vec::new()),
            Some(ColumnType::Wide) => ColumnValues::Wide(Vec::new()),
            Some(ColumnType::Float) => ColumnValues::Float(Vec::new()),
            None => return Err(Failure::new(Code::Internal, format_args!("column `{name}` has no type"))),
        };
        Ok(Self { name: name.to_owned(), values, present: Vec::new() })
    }

    fn schema(&self) -> Result<Type, ParquetError> {
        let (physical, logical) = match self.values {
            ColumnValues::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnValues::Count(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
            ColumnValues::Wide(_) => (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::decimal(0, DIGITS))),
            ColumnValues::Float(_) => (Physical::DOUBLE, None),
        };
        let builder = Type::primitive_type_builder(&self.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        match self.values {
            ColumnValues::Wide(_) => builder.with_length(16).with_precision(DIGITS).with_scale(0).build(),
            _ => builder.build(),
        }
    }

    /// Adds a field of CSV; a blank or [`NONE`] is a missing value.
    fn push(&mut self, field: &[u8]) -> Result<(), String> {
        if field.is_empty() || field == NONE.as_bytes() {
            self.present.push(0);
            return Ok(());
        }
        let text = || std::str::from_utf8(field).unwrap_or_default();
        let wrong = || format!("`{}` is not a value of column `{}`", String::from_utf8_lossy(field), self.name);
        match &mut self.values {
            ColumnValues::Text(values) => {
                // Neighbouring rows often repeat a value; they share one copy.
                let same = values.last().filter(|last| last.data() == field).cloned();
                values.push(same.unwrap_or_else(|| ByteArray::from(field.to_vec())));
            }
            // The logical type tells readers that the bits are unsigned.
            ColumnValues::Count(values) => values.push(text().parse::<u64>().map_err(|_| wrong())?.cast_signed()),
            ColumnValues::Wide(values) => {
                let value: u128 = text().parse().map_err(|_| wrong())?;
                if value >= 10u128.pow(DIGITS.unsigned_abs()) {
                    let name = &self.name;
                    return Err(format!(
                        "{value} in column `{name}` has more than {DIGITS} digits, the limit of Parquet readers; \
                         write CSV"
                    ));
                }
                values.push(FixedLenByteArray::from(value.to_be_bytes().to_vec()));
            }
            ColumnValues::Float(values) => values.push(text().parse().map_err(|_| wrong())?),
        }
        self.present.push(1);
        Ok(())
    }

    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let present = std::mem::take(&mut self.present);
        match &mut self.values {
            ColumnValues::Text(values) => write_values::<ByteArrayType>(writer, values, &present),
            ColumnValues::Count(values) => write_values::<Int64Type>(writer, values, &present),
            ColumnValues::Wide(values) => write_values::<FixedLenByteArrayType>(writer, values, &present),
            ColumnValues::Float(values) => write_values::<DoubleType>(writer, values, &present),
        }
    }
}

fn write_values<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
    present: &[i16],
) -> Result<(), ParquetError> {
    writer.typed::<T>().write_batch(values, Some(present), None)?;
    values.clear();
    Ok(())
}
