//! Tables whose keys are some of their own, and those of axes.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::base::units::joined;
use crate::space::Key;

/// The values of an axis as written in a configuration: texts as on the command line, which [`gather_axes`] makes of numbers and
/// ranges.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct WireAxis(pub Vec<Spanned<String>>);

/// Moves all but the `own` keys of each table `[[name]]` into a table `axes` inside it. The values of these and of the
/// `valued` keys become lists of texts, as [`WireAxis`] reads them.
pub fn gather_axes(document: &mut DeTable<'_>, name: &str, own: &[&str], valued: &[&str]) {
    let Some(DeValue::Array(tables)) = document.get_mut(name).map(Spanned::get_mut) else {
        return;
    };
    for table in tables.iter_mut() {
        let span = table.span();
        let DeValue::Table(table) = table.get_mut() else {
            continue;
        };
        for (key, value) in table.iter_mut() {
            if !own.contains(&&**key.get_ref()) || valued.contains(&&**key.get_ref()) {
                let (span, value) = (value.span(), value.get_mut());
                let parts = match std::mem::replace(value, DeValue::Boolean(true)) {
                    DeValue::Array(parts) => parts,
                    other => DeArray::from_iter([Spanned::new(span, other)]),
                };
                let is_counts = key.get_ref() == "counts";
                let text = |part: Spanned<_>| {
                    let text = match part.get_ref() {
                        // Sizes of blocks are one value.
                        DeValue::Array(sizes) if is_counts => {
                            let sizes = sizes.iter().map(|size| text(size.get_ref()));
                            joined(",", sizes)
                        }
                        part => text(part),
                    };
                    Spanned::new(part.span(), DeValue::String(text.into()))
                };
                *value = DeValue::Array(parts.into_iter().map(text).collect());
            }
        }
        let all = std::mem::take(table).into_iter();
        let (kept, axes): (DeTable<'_>, DeTable<'_>) =
            all.partition(|(key, _)| own.contains(&&**key.get_ref()));
        *table = kept;
        table.insert(
            Spanned::new(span.clone(), "axes".into()),
            Spanned::new(span, DeValue::Table(axes)),
        );
    }
}

/// A value of an axis as on the command line; a table that is no range has the text of its keys.
fn text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => {
            let decimal = u128::from_str_radix(number.as_str(), number.radix());
            decimal.map_or_else(|_| number.to_string(), |decimal| decimal.to_string())
        }
        // This is no value of an axis; the message names its type in TOML.
        DeValue::Float(number) => format!("floating point {number}"),
        DeValue::Boolean(is) => format!("boolean {is}"),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(_) => "sequence".to_owned(),
        DeValue::Table(range) => {
            let parts = ["from", "to", "step", "factor"].map(|key| {
                range.get(key).map(|part| match part.get_ref() {
                    DeValue::Float(factor) if key == "factor" => factor.to_string(),
                    part => text(part),
                })
            });
            let is_range = parts.iter().flatten().count() == range.len()
                && !parts
                    .iter()
                    .flatten()
                    .any(|part| part.contains(',') || part.contains(".."));
            match parts {
                [Some(from), Some(to), None, None] if is_range => format!("{from}..{to}"),
                [Some(from), Some(to), Some(step), None] if is_range => {
                    format!("{from}..{to}..{step}")
                }
                [Some(from), Some(to), None, Some(factor)] if is_range => {
                    format!("{from}..{to}..x{factor}")
                }
                _ => format!(
                    "{{ {} }}",
                    joined(", ", range.keys().map(|key| &**key.get_ref()))
                ),
            }
        }
    }
}

/// The keys of a kind of table.
pub trait Keys {
    /// Those that are not axes.
    const OWN: &[&str];

    /// Those of axes as spelled there, each with the key of the axis.
    fn axes() -> Vec<(&'static str, Key)>;
}

/// The key of an axis in tables of this kind.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String", bound = "K: Keys")]
struct AxisKey<K>(Key, PhantomData<K>);

impl<K: Keys> TryFrom<String> for AxisKey<K> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let all = K::axes();
        let found = all.iter().find(|(spelled, _)| *spelled == text);
        found.map(|(_, key)| Self(key, PhantomData)).ok_or_else(|| {
            let keys = K::OWN.iter().copied().chain(all.iter().map(|own| own.0));
            let keys = joined(", ", keys.map(|key| format!("`{key}`")));
            format!("unknown field `{text}`, expected one of {keys}")
        })
    }
}

/// Reads the table of [`gather_axes`].
///
/// # Errors
/// A key that is none, values that are none.
pub fn axes<'de, K: Keys + Ord, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Key, Spanned<WireAxis>>, D::Error> {
    let axes = BTreeMap::<AxisKey<K>, _>::deserialize(deserializer)?;
    Ok(axes
        .into_iter()
        .map(|(AxisKey(key, _), values)| (key, values))
        .collect())
}
