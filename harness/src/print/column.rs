//! Columns: each is declared once, with its name, its meaning, its value, and how a file that has it is read back.

use std::borrow::{Borrow, Cow};
use std::io::{self, Read, Write};
use std::ops::{Deref, DerefMut};

use algorithms::cost::Exact;
use csv::StringRecord;
use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use serde_json::Value;

use crate::base::failure::Result;
use crate::base::units::{MAX_REPEATED, grouped, joined, shortened};
use crate::output::CsvWriter;

/// Most characters of a cost, because reading one is quadratic. The longest are expectations on meshes of 16384 nodes:
/// fractions of some 10000 characters.
pub const MAX_CHARACTERS: usize = 20_000;

/// A column of rows `R`: its name and value in CSV and JSON, its title and text in tables.
pub struct Column<'a, R> {
    /// The name in CSV and JSON.
    pub name: Cow<'static, str>,
    /// What its values are; empty where `castbench list --columns` takes it from another table.
    pub holds: Cow<'static, str>,
    /// The type of its values.
    pub kind: ColumnType,
    /// The title in tables; empty for a column of data only.
    pub title: String,
    /// Whether Markdown and LaTeX show it as code.
    pub is_code: bool,
    value: Option<Of<'a, R, Value>>,
    text: Option<Of<'a, R, String>>,
    read: Option<Set<'a, R>>,
    lacking: Option<Cow<'static, str>>,
}

/// The type of a column. Any value may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// A name or a word.
    Text,
    /// An exact number: whole, or a fraction `num/den`.
    Exact,
    /// A non-negative whole number of 64 bits.
    Count,
    /// A non-negative whole number that may exceed 64 bits, as bounds of papers do.
    Wide,
    /// A rounded number.
    Float,
}

type Of<'a, R, T> = Box<dyn Fn(&R) -> T + 'a>;
type Set<'a, R> = Box<dyn Fn(&mut R, &str) -> Option<()> + 'a>;

impl<'a, R> Column<'a, R> {
    /// A column of all formats; tables show the value under the name.
    pub fn new<V: Into<Value>>(
        name: impl Into<Cow<'static, str>>,
        holds: impl Into<Cow<'static, str>>,
        value: impl Fn(&R) -> V + 'a,
    ) -> Self {
        let name = name.into();
        Self {
            title: name.replace('_', " "),
            name,
            holds: holds.into(),
            kind: ColumnType::Text,
            is_code: false,
            value: Some(Box::new(move |row| value(row).into())),
            text: None,
            read: None,
            lacking: None,
        }
    }

    /// The column with values of this type.
    pub fn kind(self, kind: ColumnType) -> Self {
        Self { kind, ..self }
    }

    /// The column, read back by `set`, which gives none for a text that is no value of it.
    pub fn read(self, set: impl Fn(&mut R, &str) -> Option<()> + 'a) -> Self {
        Self {
            read: Some(Box::new(set)),
            ..self
        }
    }

    /// The column of files that may lack it, because they are older: their rows are read as if it held `text`.
    pub fn lacking(self, text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            lacking: Some(text.into()),
            ..self
        }
    }

    /// Whether CSV and JSON have it.
    pub fn is_data(&self) -> bool {
        self.value.is_some()
    }

    /// Its value in a row; none for a column of tables only.
    pub fn value(&self, row: &R) -> Option<Value> {
        self.value.as_ref().map(|value| value(row))
    }

    /// Its field of CSV: a missing value is empty, several are separated by `; `.
    pub fn field(&self, row: &R) -> Cow<'static, str> {
        self.value(row).map(field).unwrap_or_default()
    }

    /// Its text in a table.
    pub fn cell(&self, row: &R) -> String {
        match &self.text {
            Some(text) => text(row),
            None => self.value(row).map(shown).unwrap_or_default(),
        }
    }
}

/// The columns of rows `R`, in their order.
pub struct Columns<'a, R>(pub Vec<Column<'a, R>>);

impl<'a, R> Columns<'a, R> {
    /// No columns yet.
    pub const fn empty() -> Self {
        Self(Vec::new())
    }

    /// Adds a column of all formats; tables show the value under the name.
    pub fn column<V: Into<Value>>(
        mut self,
        name: impl Into<Cow<'static, str>>,
        holds: impl Into<Cow<'static, str>>,
        value: impl Fn(&R) -> V + 'a,
    ) -> Self {
        self.push(Column::new(name, holds, value));
        self
    }

    /// Adds a column of CSV and JSON only.
    pub fn data<V: Into<Value>>(
        self,
        name: impl Into<Cow<'static, str>>,
        holds: impl Into<Cow<'static, str>>,
        value: impl Fn(&R) -> V + 'a,
    ) -> Self {
        self.column(name, holds, value).title("")
    }

    /// Adds a column of tables only.
    pub fn text<T: Into<String>>(
        self,
        title: impl Into<String>,
        text: impl Fn(&R) -> T + 'a,
    ) -> Self {
        self.column("", "", |_| Value::Null)
            .shown(title, text)
            .last(|column| column.value = None)
    }

    /// Gives the last column another title in tables.
    pub fn title(self, title: impl Into<String>) -> Self {
        self.last(|column| column.title = title.into())
    }

    /// Gives the last column another text in tables.
    pub fn shown<T: Into<String>>(
        self,
        title: impl Into<String>,
        text: impl Fn(&R) -> T + 'a,
    ) -> Self {
        self.title(title)
            .last(|column| column.text = Some(Box::new(move |row| text(row).into())))
    }

    /// Shows the last column as code in Markdown and LaTeX.
    pub fn code(self) -> Self {
        self.last(|column| column.is_code = true)
    }

    /// Takes those of these names out of tables.
    pub fn data_only(mut self, is_one: impl Fn(&str) -> bool) -> Self {
        self.iter_mut()
            .filter(|column| is_one(&column.name))
            .for_each(|column| column.title.clear());
        self
    }

    /// Changes the column of this name as if it were the last.
    pub fn of(mut self, name: &str, change: impl FnOnce(Self) -> Self) -> Self {
        let at = self.iter().position(|column| column.name == name);
        let behind = self.split_off(at.map_or(0, |at| at + 1));
        let mut all = change(self);
        all.extend(behind);
        all
    }

    fn last(mut self, change: impl FnOnce(&mut Column<'a, R>)) -> Self {
        self.last_mut().map(change);
        self
    }
}

impl<'a, R> Deref for Columns<'a, R> {
    type Target = Vec<Column<'a, R>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<R> DerefMut for Columns<'_, R> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<'a, R: 'a> Column<'a, R> {
    /// The column of rows that may have one of these, which are not read back.
    pub fn beside<S: 'a>(self, of: impl Fn(&S) -> Option<R> + Copy + 'a) -> Column<'a, S> {
        let (value, text) = (self.value, self.text);
        Column {
            name: self.name,
            holds: self.holds,
            kind: self.kind,
            title: self.title,
            is_code: self.is_code,
            value: value.map(|value| {
                Box::new(move |row: &S| of(row).map_or(Value::Null, |one| value(&one)))
                    as Of<'a, S, Value>
            }),
            text: text.map(|text| {
                Box::new(move |row: &S| of(row).map(|one| text(&one)).unwrap_or_default())
                    as Of<'a, S, String>
            }),
            read: None,
            lacking: None,
        }
    }
}

/// A value as text for people.
fn shown(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Array(all) => joined("; ", all.into_iter().map(shown)),
        Value::Bool(is) => (if is { "yes" } else { "no" }).to_owned(),
        other => other.as_u64().map_or_else(|| other.to_string(), grouped),
    }
}

/// A value as a field of CSV.
fn field(value: Value) -> Cow<'static, str> {
    match value {
        Value::Null => "".into(),
        Value::String(text) => text.into(),
        Value::Array(all) => joined("; ", all.into_iter().map(field)).into(),
        other => other.to_string().into(),
    }
}

/// The names of the columns of CSV.
pub fn names<'c, R>(columns: &'c [Column<'_, R>]) -> impl Iterator<Item = &'c str> {
    columns
        .iter()
        .filter(|column| column.is_data())
        .map(|column| &*column.name)
}

/// The first line of such a file, without its end.
pub fn header<R>(columns: &[Column<'_, R>]) -> Vec<u8> {
    joined(",", names(columns)).into_bytes()
}

/// Writes a row of CSV.
///
/// # Errors
/// The output cannot be written.
pub fn write_row<R, W: Write>(
    columns: &[Column<'_, R>],
    row: &R,
    writer: &mut CsvWriter<W>,
) -> csv::Result<()> {
    let mut digits = itoa::Buffer::new();
    for value in columns.iter().filter_map(|column| column.value(row)) {
        match value.as_u64() {
            Some(count) => writer.write_field(digits.format(count))?,
            None => writer.write_field(&*field(value))?,
        }
    }
    writer.end_row()
}

/// Writes rows as CSV with their header.
///
/// # Errors
/// The output cannot be written.
pub fn write<R>(
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = impl Borrow<R>>,
    out: impl Write,
) -> io::Result<()> {
    let io = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    };
    let mut writer = CsvWriter::new(out);
    writer.write_record(names(columns)).map_err(io)?;
    rows.into_iter()
        .try_for_each(|row| write_row(columns, row.borrow(), &mut writer))
        .map_err(io)?;
    writer.flush()
}

/// Rows as CSV with their header.
///
/// # Errors
/// A row that the CSV library cannot write.
pub fn csv<R>(
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = impl Borrow<R>>,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(columns, rows, &mut bytes).map_err(csv::Error::from)?;
    Ok(bytes)
}

/// Reads the rows of a file, with columns in any order.
pub struct Reader<'a, R> {
    /// Each column with its index; none for one that this file lacks.
    columns: Vec<(Column<'a, R>, Option<usize>)>,
}

impl<'a, R> Reader<'a, R> {
    /// A reader of those of these columns that are read back.
    ///
    /// # Errors
    /// The name of a column that the file lacks.
    pub fn new(
        columns: impl IntoIterator<Item = Column<'a, R>>,
        header: &StringRecord,
    ) -> Result<Self, Cow<'static, str>> {
        let columns = columns
            .into_iter()
            .filter(|column| column.read.is_some())
            .map(
                |column| match header.iter().position(|own| own == column.name) {
                    None if column.lacking.is_none() => Err(column.name),
                    index => Ok((column, index)),
                },
            )
            .collect::<Result<_, _>>()?;
        Ok(Self { columns })
    }

    /// Reads a record into a row.
    ///
    /// # Errors
    /// The column and what is wrong with its value.
    pub fn read(&self, record: &StringRecord, row: &mut R) -> Result<(), String> {
        for (column, index) in &self.columns {
            let lacking = column.lacking.as_deref().unwrap_or_default();
            let text = index.map_or(lacking, |index| &record[index]);
            let read = column.read.as_ref().map(|read| read(row, text));
            if read.flatten().is_none() {
                let (text, name) = (shortened(text, MAX_REPEATED), &column.name);
                return Err(format!("`{text}` is not a value of column `{name}`"));
            }
        }
        Ok(())
    }
}

/// A row whose fields are columns: `tabled!` declares it.
pub trait Tabled: Default {
    /// Its columns, in the order of the file.
    fn columns() -> Vec<Column<'static, Self>>;
}

/// The rows of a file.
///
/// # Errors
/// A missing column, or the line and what is wrong there.
pub fn rows<T: Tabled>(file: impl Read) -> Result<Vec<T>, String> {
    rows_of(&mut csv::Reader::from_reader(file))
}

/// The rows that a reader of CSV finds.
///
/// # Errors
/// A missing column, or the line and what is wrong there.
pub fn rows_of<T: Tabled>(file: &mut csv::Reader<impl Read>) -> Result<Vec<T>, String> {
    let header = file.headers().map_err(|error| error.to_string())?;
    let reader = Reader::new(T::columns(), header)
        .map_err(|missing| format!("it has no column `{missing}`"))?;
    let mut rows = Vec::new();
    each(file, |record| {
        let mut row = T::default();
        reader.read(record, &mut row)?;
        rows.push(row);
        Ok(())
    })?;
    Ok(rows)
}

/// Reads the records of CSV, one after the other.
///
/// # Errors
/// A file that cannot be read, or the line and what is wrong there.
pub fn each(
    file: &mut csv::Reader<impl Read>,
    mut take: impl FnMut(&StringRecord) -> Result<(), String>,
) -> Result<(), String> {
    let mut record = StringRecord::new();
    while file
        .read_record(&mut record)
        .map_err(|error| error.to_string())?
    {
        let has_line_end = record.as_slice().contains(['\n', '\r']);
        let taken = if has_line_end {
            Err("a field has a line end; close the quote before it, or write one line".to_owned())
        } else {
            take(&record)
        };
        taken.map_err(|wrong| {
            let line = record.position().map_or(0, csv::Position::line);
            format!("line {line}: {wrong}")
        })?;
    }
    Ok(())
}

/// Declares a row: each field is a column of that name, and its comment is what the column holds. A field `beside:` them is no
/// column.
macro_rules! tabled {
    ($(#[$about:meta])* $access:vis struct $Row:ident {
        $($(#[doc = $holds:literal])+ $field_access:vis $field:ident: $type:ty,)+
        $(beside: $(#[$other:meta])* $other_access:vis $unwritten:ident: $Unwritten:ty,)?
    }) => {
        $(#[$about])*
        #[derive(Default)]
        $access struct $Row {
            $($(#[doc = $holds])+ $field_access $field: $type,)+
            $($(#[$other])* $other_access $unwritten: $Unwritten,)?
        }

        impl $crate::print::column::Tabled for $Row {
            fn columns() -> Vec<$crate::print::column::Column<'static, Self>> {
                vec![$({
                    let column = $crate::print::column::tabled!(
                        Self, stringify!($field), concat!($($holds),+).trim(), $field: $type
                    );
                    match <$type as $crate::print::column::Datum>::MISSING {
                        Some(missing) => column.lacking(missing),
                        None => column,
                    }
                }),+]
            }
        }
    };
    // A column that is a field of its row.
    ($Row:ty, $name:expr, $holds:expr, $field:ident: $type:ty) => {
        $crate::print::column::Column::new($name, $holds, |row: &$Row| {
            $crate::print::column::Datum::value(&row.$field)
        })
        .kind(<$type as $crate::print::column::Datum>::KIND)
        .read(|row, text| {
            row.$field = $crate::print::column::Datum::parse(text)?;
            Some(())
        })
    };
}
pub(crate) use tabled;

/// A value that a file keeps.
pub trait Datum: Sized {
    /// Its type.
    const KIND: ColumnType;
    /// The field of CSV for a value that may be missing; a file may lack its column.
    const MISSING: Option<&'static str> = None;
    /// The value in CSV and JSON.
    fn value(&self) -> Value;
    /// The value of a field of CSV, if it is one.
    fn parse(text: &str) -> Option<Self>;
}

macro_rules! data {
    ($($type:ty: $kind:ident),+) => {$(
        impl Datum for $type {
            const KIND: ColumnType = ColumnType::$kind;

            fn value(&self) -> Value {
                self.clone().into()
            }

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )+};
}
data!(bool: Text, String: Text, u32: Count, u64: Count, usize: Count, f64: Float);

impl<T: Datum> Datum for Option<T> {
    const KIND: ColumnType = T::KIND;
    const MISSING: Option<&'static str> = Some("");

    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::value)
    }

    fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            Some(None)
        } else {
            T::parse(text).map(Some)
        }
    }
}

impl Datum for Vec<String> {
    const KIND: ColumnType = ColumnType::Text;

    fn value(&self) -> Value {
        self.clone().into()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(text.split("; ").map(str::to_owned).collect())
    }
}

/// A whole number, or a fraction as text. It is not reduced again: it is in lowest terms and may have thousands of digits.
impl Datum for Exact {
    const KIND: ColumnType = ColumnType::Exact;

    fn value(&self) -> Value {
        match self {
            Self::Integer(cost) => (*cost).into(),
            fraction @ Self::Rational(_) => fraction.to_string().into(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_CHARACTERS {
            return None;
        }
        let Some((numerator, denominator)) = text.split_once('/') else {
            return text.parse().ok().map(Self::Integer);
        };
        let [numerator, denominator]: [BigInt; 2] =
            [numerator.parse().ok()?, denominator.parse().ok()?];
        let is_cost = numerator.sign() != Sign::Minus && denominator.sign() == Sign::Plus;
        is_cost.then(|| Self::Rational(BigRational::new_raw(numerator, denominator)))
    }
}
