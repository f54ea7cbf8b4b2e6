//! Rows as CSV. A spreadsheet executes a field that begins as a formula, and names may be of another account.
#![expect(
    clippy::disallowed_types,
    reason = "this module is the way to write CSV"
)]

use std::io::Write;

/// Writes CSV without formulas: `'` before a field shows it as text. Lints forbid other writers of CSV.
#[derive(Debug)]
pub struct CsvWriter<W: Write> {
    inner: csv::Writer<W>,
}

impl<W: Write> CsvWriter<W> {
    /// A writer of rows.
    pub fn new(out: W) -> Self {
        Self {
            inner: csv::Writer::from_writer(out),
        }
    }

    /// Writes a field of the current row.
    ///
    /// # Errors
    /// A row that cannot be written.
    pub fn write_field(&mut self, field: impl AsRef<[u8]>) -> csv::Result<()> {
        let field = field.as_ref();
        if is_formula(field) {
            self.inner.write_field([b"'", field].concat())
        } else {
            self.inner.write_field(field)
        }
    }

    /// Ends the current row.
    ///
    /// # Errors
    /// A row that cannot be written.
    pub fn end_row(&mut self) -> csv::Result<()> {
        self.inner.write_record(None::<&[u8]>)
    }

    /// Writes the rest of the current row.
    ///
    /// # Errors
    /// A row that cannot be written.
    pub fn write_record<T: AsRef<[u8]>>(
        &mut self,
        fields: impl IntoIterator<Item = T>,
    ) -> csv::Result<()> {
        fields
            .into_iter()
            .try_for_each(|field| self.write_field(field))?;
        self.end_row()
    }

    /// Writes what is buffered.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }

    /// The output, with everything written.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn into_inner(self) -> csv::Result<W> {
        self.inner
            .into_inner()
            .map_err(|error| error.into_error().into())
    }
}

fn records(text: &[u8]) -> impl Iterator<Item = csv::Result<csv::ByteRecord>> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text)
        .into_byte_records()
}

/// Whether a line of CSV has a field that a spreadsheet would execute.
pub fn has_formula(line: &[u8]) -> bool {
    if line.contains(&b'"') {
        return records(line)
            .any(|record| record.map_or(true, |record| record.iter().any(is_formula)));
    }
    line.split(|byte| matches!(byte, b',' | b'\r' | b'\n'))
        .any(is_formula)
}

/// Whether a spreadsheet would execute a field. A sign alone is a relation. A number, or a point as options of castbench
/// with its costs, calls no function and no program.
fn is_formula(field: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b" ._,-:=<>/'".contains(byte);
    match field.trim_ascii() {
        [b'=' | b'+' | b'-' | b'@'] => false,
        [b'-', rest @ ..] => !rest.iter().all(is_word),
        [b'=' | b'+' | b'@', ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMULAS: [&str; 6] = [
        "=HYPERLINK(\"http://x\",\"y\")",
        "+1+cmd|' /C calc'!A0",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(1)",
        "\t=1",
        "\r=1",
    ];
    const TEXTS: [&str; 10] = [
        "=",
        "<=",
        "-",
        "-1.5e-3",
        "-L 6 -o 2 --bytes 1KiB",
        "-L 0 -K 4: cost 6, published <= 4",
        "-K 4 --machine 'a b'",
        "a=b",
        "'=1",
        "",
    ];

    fn written(fields: &[&str]) -> Vec<u8> {
        let mut writer = CsvWriter::new(Vec::new());
        writer.write_record(fields).unwrap();
        writer.into_inner().unwrap()
    }

    #[test]
    fn a_formula_is_written_as_text() {
        for formula in FORMULAS {
            let text = written(&[formula, "7", formula]);
            let record = records(&text).next().unwrap().unwrap();
            assert!(
                record[0].starts_with(b"'") && record[2].starts_with(b"'"),
                "{formula:?}"
            );
            assert!(!has_formula(&text));
        }
    }

    #[test]
    fn other_fields_stay() {
        let mut expected = csv::Writer::from_writer(Vec::new());
        expected.write_record(TEXTS).unwrap();
        assert_eq!(written(&TEXTS), expected.into_inner().unwrap());
    }

    #[test]
    fn a_formula_in_a_line_is_found() {
        for line in [
            "=1,2\n",
            "a,=1\n",
            "a,\"=f(1,2)\",3\n",
            "a\r=1,2\n",
            "\"=1\"\n",
            "a, =1",
        ] {
            assert!(has_formula(line.as_bytes()), "{line:?}");
        }
        for line in [
            "halving,none,6,=,40,none\n",
            "a,\"b, =1\",<=\n",
            "a,=\n",
            "\n",
        ] {
            assert!(!has_formula(line.as_bytes()), "{line:?}");
        }
    }
}
