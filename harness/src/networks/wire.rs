//! A network in TOML: `[[link]]` and `[[switch]]`.

use serde::Deserialize;
use toml::Spanned;

use super::draft::{Draft, Node};
use crate::base::count::Count;
use crate::base::failure::Result;
use crate::output::diagnostics::{KEYS, Source};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: Spanned<Count>,
    /// The unit of capacities.
    unit: Option<Spanned<String>>,
    #[serde(default)]
    link: Vec<WireLink>,
    #[serde(default)]
    switch: Vec<WireSwitch>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLink {
    from: Spanned<Scalar>,
    to: Spanned<Scalar>,
    capacity: Spanned<Scalar>,
    /// Whether there is a link back; yes if left out.
    both: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSwitch {
    name: Spanned<String>,
}

/// A number or a text. The shortest decimals of a float are those that were written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Whole(i64),
    Decimal(f64),
    Text(String),
}

impl Scalar {
    fn text(&self) -> String {
        match self {
            Self::Whole(number) => number.to_string(),
            Self::Decimal(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// Reads the file.
///
/// # Errors
/// Exit code 3, with file and line.
pub fn read<'a>(source: &'a Source, draft: &mut Draft<'a>) -> Result {
    let wire: Wire = source.parse(KEYS)?;
    source.count("schema", Some(&wire.schema), 1, 1..=1)?;
    if let Some(unit) = &wire.unit {
        draft.unit(unit.get_ref(), unit.span())?;
    }
    for switch in &wire.switch {
        draft.switch(switch.name.get_ref(), switch.name.span())?;
    }
    for link in &wire.link {
        let mut ends = [Node::Rank(0); 2];
        for (end, own) in ends.iter_mut().zip([&link.from, &link.to]) {
            let name = own.get_ref().text();
            *end = draft.node_or(&name, own.span(), Draft::numbered)?;
        }
        let width = draft.width(&link.capacity.get_ref().text(), link.capacity.span())?;
        draft.link(ends, &width, link.both.unwrap_or(true))?;
    }
    Ok(())
}
