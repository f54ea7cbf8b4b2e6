//! A JSON file with a `digest`: the SHA-256 of everything else in it.
//!
//! The digest covers the content, without white space and the order of keys. A file that was edited, cut off or mixed
//! with another is refused when read.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Error, Value};
use sha2::{Digest as _, Sha256};

use crate::base::failure::{Code, Failure, Result};
use crate::output::{self, Holder};

const DIGEST: &str = "digest";

/// A value as JSON with its digest, on one line.
///
/// # Errors
/// Exit code 1 for a value that is not a JSON object.
pub fn compact(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_string(value)
        .and_then(|text| sealed(&text, ","))
        .map_err(Failure::internal)
}

/// [`compact`], with one line per key.
///
/// # Errors
/// Exit code 1 for a value that is not a JSON object.
pub fn pretty(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_string_pretty(value)
        .and_then(|text| sealed(&text, ",\n  "))
        .map_err(Failure::internal)
}

/// Adds the digest to the text of an object that is not empty, before its last brace.
fn sealed(text: &str, separator: &str) -> Result<Vec<u8>, Error> {
    let digest = digest(&serde_json::from_str(text)?);
    let (body, end) = text
        .strip_suffix("\n}")
        .map_or((&text[..text.len() - 1], "}"), |body| (body, "\n}"));
    let space = if end.len() > 1 { " " } else { "" };
    Ok(format!("{body}{separator}\"{DIGEST}\":{space}\"{digest}\"{end}").into_bytes())
}

/// What a reader expects of a sealed file.
pub struct Expected<'a> {
    /// Its key `schema`, checked first because a file of another schema may lack any key.
    pub schema: u32,
    /// The exit code for another schema.
    pub otherwise: Code,
    /// Whose manifests are read.
    pub of: &'a [Holder],
    /// What to do with a file that cannot be read.
    pub advice: &'a str,
}

/// Reads a sealed file with a schema.
///
/// # Errors
/// Exit code 74 for a file that cannot be read or was edited; of another schema the code that is expected.
pub fn open<T: DeserializeOwned>(path: &Path, expected: &Expected<'_>) -> Result<T> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    let Expected {
        schema,
        otherwise,
        of,
        advice,
    } = *expected;
    let text = output::read_text(path).map_err(output::unread(path))?;
    let unread = |error: Error| {
        Failure::read(
            path,
            format_args!("{error}; it is not a manifest of castbench; {advice}"),
        )
    };
    if let Some(other) = Holder::from_text(&text).filter(|holder| !of.contains(holder)) {
        let own: Vec<&str> = of.iter().map(|holder| holder.name()).collect();
        let (other, own) = (other.name(), own.join(" or "));
        return Err(Failure::read(
            path,
            format_args!("it belongs to {other}, not to {own}; name another directory"),
        ));
    }
    let found = serde_json::from_str::<Version>(&text)
        .map_err(unread)?
        .schema;
    if found != schema {
        let reason = format_args!("its schema is {found}, this castbench reads {schema}; {advice}");
        return Err(Failure {
            code: otherwise,
            ..Failure::read(path, reason)
        });
    }
    check(path, &text, advice)?;
    serde_json::from_str(&text).map_err(unread)
}

/// Refuses a text whose digest does not match; `advice` says what to do.
///
/// # Errors
/// Exit code 74 for an edited text, one without a digest, and one that is not JSON.
pub fn check(path: &Path, text: &str, advice: &str) -> Result {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| Failure::read(path, format_args!("{error}; {advice}")))?;
    if is_sealed(&value) {
        Ok(())
    } else {
        Err(Failure::read(
            path,
            format_args!("it was edited: its digest does not match its content; {advice}"),
        ))
    }
}

/// Whether a value contains its own digest.
pub fn is_sealed(value: &Value) -> bool {
    value[DIGEST]
        .as_str()
        .is_some_and(|own| own == digest(value))
}

/// The digest of an object without its key `digest`.
pub fn digest(value: &Value) -> String {
    let mut hasher = Sha256::new();
    match value {
        Value::Object(map) => feed_map(&mut hasher, map.iter().filter(|(key, _)| *key != DIGEST)),
        other => feed(&mut hasher, other),
    }
    output::hex(&hasher.finalize())
}

/// Hashes the compact text of a value with sorted keys.
fn feed(hasher: &mut Sha256, value: &Value) {
    match value {
        Value::Object(map) => feed_map(hasher, map.iter()),
        Value::Array(list) => {
            hasher.update("[");
            for value in list {
                feed(hasher, value);
                hasher.update(",");
            }
            hasher.update("]");
        }
        plain => hasher.update(plain.to_string()),
    }
}

fn feed_map<'a>(hasher: &mut Sha256, entries: impl Iterator<Item = (&'a String, &'a Value)>) {
    let mut entries: Vec<_> = entries.collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    hasher.update("{");
    for (key, value) in entries {
        hasher.update(Value::from(key.as_str()).to_string());
        hasher.update(":");
        feed(hasher, value);
        hasher.update(",");
    }
    hasher.update("}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_text_is_refused_and_another_layout_is_not() {
        let value = serde_json::json!({"b": [1, 2.5, "x\"y"], "a": {"d": null, "c": true}});
        let is_whole = |text: &[u8]| {
            serde_json::from_slice::<Value>(text).unwrap();
            check(Path::new("f"), std::str::from_utf8(text).unwrap(), "").is_ok()
        };
        for sealed in [compact(&value), pretty(&value)] {
            let text =
                String::from_utf8(sealed.unwrap_or_else(|failure| panic!("{}", failure.message)))
                    .unwrap();
            assert!(is_whole(text.as_bytes()), "{text}");
            let again: Value = serde_json::from_str(&text).unwrap();
            assert!(is_whole(&serde_json::to_vec_pretty(&again).unwrap()));
            assert!(!is_whole(text.replace("2.5", "2.25").as_bytes()));
            assert!(!is_whole(text.replace("\"c\"", "\"e\"").as_bytes()));
            assert!(!is_whole(text.replace("digest", "digests").as_bytes()));
        }
        assert!(!is_whole(b"{}") && !is_whole(b"[]") && !is_whole(b"{\"digest\":7}"));
    }
}
