//! Tables whose keys are some of their own, and those of axes.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::axis::{Key, WireAxis};

/// Moves all but the `own` keys of each table `[[name]]` into a table `axes` inside it.
pub fn gather_axes(document: &mut DeTable<'_>, name: &str, own: &[&str]) {
    let Some(DeValue::Array(tables)) = document.get_mut(name).map(Spanned::get_mut) else { return };
    for table in tables.iter_mut() {
        let span = table.span();
        let DeValue::Table(table) = table.get_mut() else { continue };
        let all = std::mem::take(table).into_iter();
        let (kept, axes): (DeTable<'_>, DeTable<'_>) = all.partition(|(key, _)| own.contains(&&**key.get_ref()));
        *table = kept;
        table.insert(Spanned::new(span.clone(), "axes".into()), Spanned::new(span, DeValue::Table(axes)));
    }
}

/// Reads the table of [`gather_axes`]; `K` refuses what is no key.
///
/// # Errors
/// A key that is none, values that are none.
pub fn axes<'de, K: Deserialize<'de> + Into<Key> + Ord, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Key, Spanned<WireAxis>>, D::Error> {
    let axes = BTreeMap::<K, _>::deserialize(deserializer)?;
    Ok(axes.into_iter().map(|(key, values)| (key.into(), values)).collect())
}

/// The message for a key that is neither an own one nor that of an axis.
#[must_use]
pub fn unknown<'a>(text: &str, own: &[&'a str], axes: impl IntoIterator<Item = &'a str>) -> String {
    let keys: Vec<String> = own.iter().copied().chain(axes).map(|key| format!("`{key}`")).collect();
    format!("unknown field `{text}`, expected one of {}", keys.join(", "))
}
