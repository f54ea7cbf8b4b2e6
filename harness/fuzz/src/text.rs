//! Texts of others on their way out: to a terminal, into a drawing, a Markdown table, and CSV.

use castbench::failure::printable;
use castbench::markup;
use castbench::output::{csv_bytes, has_formula};

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

    let row = [(&*text, 7, &*text)];
    let written = kept(csv_bytes(&row));
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
    assert_eq!(kept(csv_bytes(&[(&record[0], 7, &record[2])])), written);
}

/// Whether a text after `<` makes it a tag.
fn begins_tag(text: &str) -> bool {
    text.starts_with(|sign: char| sign.is_ascii_alphabetic() || "/!?".contains(sign))
}
