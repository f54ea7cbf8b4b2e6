//! Lines of the elements of a text in JSON. `serde_json` states none of values, but what it borrows is a part of the text.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Default, Deserialize)]
struct Plan<'a> {
    #[serde(borrow)]
    gpus: Vec<Gpu<'a>>,
}

#[derive(Deserialize)]
struct Gpu<'a> {
    #[serde(borrow)]
    threadblocks: Vec<Operations<'a>>,
}

/// The operations of a block, or those that an operation repeats.
#[derive(Default, Deserialize)]
struct Operations<'a> {
    #[serde(borrow, default)]
    ops: Vec<&'a RawValue>,
}

/// A key, borrowed from the text unless it has escapes.
#[derive(Deserialize)]
pub struct Key<'a>(#[serde(borrow)] pub Cow<'a, str>);

impl Key<'_> {
    /// Where the key is in memory.
    #[must_use]
    pub fn address(&self) -> Option<usize> {
        match &self.0 {
            Cow::Borrowed(key) => Some(address(key)),
            Cow::Owned(_) => None,
        }
    }
}

fn address(part: &str) -> usize {
    part.as_ptr().addr()
}

/// The line of a part of a text, by its address.
#[must_use]
pub fn line(text: &str, part: usize) -> Option<u64> {
    let before = text.as_bytes().get(..part.checked_sub(address(text))?)?;
    Some(1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64)
}

/// The lines of all operations of an execution plan of MSCCL++, each before those that it repeats.
#[must_use]
pub fn operations(text: &str) -> Vec<u32> {
    let plan: Plan<'_> = serde_json::from_str(text).unwrap_or_default();
    let mut starts = Vec::new();
    plan.gpus
        .iter()
        .flat_map(|gpu| &gpu.threadblocks)
        .for_each(|block| collect(block, &mut starts));
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |start: usize| 1 + ends.partition_point(|&end| end < start - address(text));
    let line = |start| u32::try_from(line(start)).unwrap_or(0);
    starts.into_iter().map(line).collect()
}

fn collect(operations: &Operations<'_>, starts: &mut Vec<usize>) {
    for operation in &operations.ops {
        starts.push(address(operation.get()));
        let inside: Operations<'_> = serde_json::from_str(operation.get()).unwrap_or_default();
        collect(&inside, starts);
    }
}
