//! Converts CSV to Parquet, one row group at a time.

use std::fs::File;
use std::io::{BufWriter, Seek as _};
use std::path::Path;
use std::sync::Arc;

use algorithms::problem::AnyProblem;
use csv::ByteRecord;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::super::row::{self, ColumnType, Typed};
use crate::failure::Failure;
use crate::output;
use crate::units::NONE;

/// Rows of a row group: the unit of memory here and of skipping in readers.
const ROW_GROUP: usize = 1 << 17;

/// Most decimal digits that readers support.
const DIGITS: i32 = 38;

pub(super) fn convert(
    problem: &dyn AnyProblem,
    (csv, csv_path): (&File, &Path),
    (file, path): (&File, &Path),
    metadata: Vec<(String, String)>,
) -> Result<(), Failure> {
    let mut csv = csv;
    csv.rewind()
        .map_err(|error| Failure::read(csv_path, error))?;
    let mut reader = csv::Reader::from_reader(output::lines_of(csv));
    let failed = |error: ParquetError| match error {
        ParquetError::External(error) => Failure::read(csv_path, error),
        error => Failure::write(path, &std::io::Error::other(error)),
    };
    let header = reader
        .headers()
        .map_err(|error| Failure::read(csv_path, error))?;
    let typed = |name| {
        row::columns(problem)
            .into_iter()
            .find(|column| column.0 == name)
    };
    let columns: Option<Vec<Typed>> = header.iter().map(typed).collect();
    let columns =
        columns.ok_or_else(|| Failure::read(csv_path, "it has other columns; sweep again"))?;
    let schema = schema(problem, &columns).map_err(failed)?;
    let properties = Arc::new(properties(metadata));
    let mut writer = SerializedFileWriter::new(BufWriter::new(file), Arc::new(schema), properties)
        .map_err(failed)?;
    let mut rows = reader.byte_records();
    loop {
        let group = rows.by_ref().take(ROW_GROUP).collect::<Result<Vec<_>, _>>();
        let group = group.map_err(|error| Failure::read(csv_path, error))?;
        if group.is_empty() {
            break;
        }
        write(&mut writer, &columns, &group).map_err(failed)?;
    }
    writer.close().map(drop).map_err(failed)
}

fn properties(metadata: Vec<(String, String)>) -> WriterProperties {
    let pairs = metadata
        .into_iter()
        .map(|(key, value)| KeyValue::new(key, value))
        .collect();
    WriterProperties::builder()
        .set_created_by(format!("castbench {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(pairs))
        .build()
}

fn schema(problem: &dyn AnyProblem, columns: &[Typed]) -> Result<Type, ParquetError> {
    let field = |(name, kind, _): &Typed| {
        let (physical, logical) = match kind {
            ColumnType::Text | ColumnType::Exact => {
                (Physical::BYTE_ARRAY, Some(LogicalType::String))
            }
            ColumnType::Count => (Physical::INT64, Some(LogicalType::integer(64, false))),
            ColumnType::Wide => (
                Physical::FIXED_LEN_BYTE_ARRAY,
                Some(LogicalType::decimal(0, DIGITS)),
            ),
            ColumnType::Float => (Physical::DOUBLE, None),
        };
        let builder = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        let is_wide = *kind == ColumnType::Wide;
        let builder = if is_wide {
            builder.with_length(16).with_precision(DIGITS).with_scale(0)
        } else {
            builder
        };
        builder.build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder(&problem.name().replace('-', "_"))
        .with_fields(fields)
        .build()
}

/// Writes a row group. An error is external if a field of the CSV file is at fault.
fn write<W: std::io::Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    columns: &[Typed],
    rows: &[ByteRecord],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (index, (name, kind, _)) in columns.iter().enumerate() {
        let Some(mut own) = group.next_column()? else {
            continue;
        };
        let fields = Fields { rows, index, name };
        match kind {
            ColumnType::Text | ColumnType::Exact => {
                fields.write::<ByteArrayType>(&mut own, |text| Some(ByteArray::from(text)))
            }
            // The logical type tells readers that the bits are unsigned.
            ColumnType::Count => fields.write::<Int64Type>(&mut own, |text| {
                Some(text.parse::<u64>().ok()?.cast_signed())
            }),
            ColumnType::Wide => fields.write::<FixedLenByteArrayType>(&mut own, |text| {
                let value = text
                    .parse()
                    .ok()
                    .filter(|value: &u128| *value < 10u128.pow(DIGITS.unsigned_abs()));
                Some(ByteArray::from(value?.to_be_bytes().to_vec()).into())
            }),
            ColumnType::Float => fields.write::<DoubleType>(&mut own, |text| text.parse().ok()),
        }?;
        own.close()?;
    }
    group.close().map(drop)
}

/// The fields of a column; a blank or [`NONE`] is a missing value.
struct Fields<'a> {
    rows: &'a [ByteRecord],
    index: usize,
    name: &'a str,
}

impl Fields<'_> {
    fn write<T: DataType>(
        &self,
        writer: &mut SerializedColumnWriter<'_>,
        parse: impl Fn(&str) -> Option<T::T>,
    ) -> Result<(), ParquetError> {
        let (mut values, mut present) = (Vec::new(), Vec::new());
        for row in self.rows {
            let text = std::str::from_utf8(&row[self.index]).unwrap_or_default();
            let is_present = !matches!(text, "" | NONE);
            present.push(i16::from(is_present));
            if is_present {
                let wrong = || {
                    let (line, name) = (row.position().map_or(0, csv::Position::line), self.name);
                    let limit = format!(
                        "has more than {DIGITS} digits, the limit of Parquet readers; write CSV"
                    );
                    format!("line {line}: `{text}` is not a value of column `{name}`, or {limit}")
                };
                values.push(parse(text).ok_or_else(|| ParquetError::External(wrong().into()))?);
            }
        }
        writer
            .typed::<T>()
            .write_batch(&values, Some(&present), None)
            .map(drop)
    }
}
