//! Texts of others on their way out: to a terminal, into a drawing, a Markdown table, and CSV.

use castbench::base::failure::{Failure, printable};
use castbench::output::{CsvWriter, has_formula};
use castbench::print::markup;

use crate::promise::kept;

/// Checks that no text commands a terminal, breaks a document or a table, or is a formula, and that plain texts stay.
pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let shown = printable(&text);
    assert!(!shown.contains(measure::is_command), "{shown:?}");
    assert_eq!(printable(&shown), shown);

    let document = markup::well_formed(text.to_string());
    let is_xml = |sign: char| {
        matches!(sign, '\t' | '\n' | '\r')
            || !sign.is_control() && !"\u{fffe}\u{ffff}".contains(sign)
    };
    assert!(document.chars().all(is_xml), "{document:?}");
    assert_eq!(document.chars().count(), text.chars().count());

    for cell in [markup::markdown(&text), markup::code(&text)] {
        let is_foreign = |part: &str| {
            !part.starts_with("code>") && !part.starts_with("/code>") && begins_tag(part)
        };
        assert!(
            !cell.split('<').skip(1).any(is_foreign),
            "{cell:?} has HTML"
        );
        assert!(!cell.contains(['\n', '\r']), "{cell:?} has two lines");
        let mut before = ' ';
        for sign in cell.chars() {
            assert!(sign != '|' || before == '\\', "{cell:?} is two cells");
            before = sign;
        }
    }

    let written = written([&text, "7", &text]);
    assert!(!has_formula(&written), "{text:?}");
    let mut records = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(written.as_slice())
        .into_records();
    let (Some(Ok(record)), None) = (records.next(), records.next()) else {
        panic!("no row: {text:?}")
    };
    for field in [&record[0], &record[2]] {
        assert!(
            field == text || field.strip_prefix('\'') == Some(&*text),
            "{text:?} is {field:?}"
        );
    }
    assert_eq!(self::written([&record[0], "7", &record[2]]), written);
}

/// A row of CSV.
fn written(fields: [&str; 3]) -> Vec<u8> {
    let mut writer = CsvWriter::new(Vec::new());
    let written = writer.write_record(fields);
    kept(
        written
            .and_then(|()| writer.into_inner())
            .map_err(Failure::from),
    )
}

/// Whether a text after `<` makes it a tag.
fn begins_tag(text: &str) -> bool {
    text.starts_with(|sign: char| sign.is_ascii_alphabetic() || "/!?".contains(sign))
}
