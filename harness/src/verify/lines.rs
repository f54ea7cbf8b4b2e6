//! Lines of the elements of a text in JSON. `serde_json` states none of values, but what it borrows is a part of the text.

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

fn address(part: &str) -> usize {
    part.as_ptr().addr()
}

/// The lines of all operations of an execution plan of MSCCL++, each before those that it repeats.
pub fn operations(text: &str) -> Vec<u32> {
    let plan: Plan<'_> = serde_json::from_str(text).unwrap_or_default();
    let mut starts = Vec::new();
    plan.gpus
        .iter()
        .flat_map(|gpu| &gpu.threadblocks)
        .for_each(|block| collect(block, &mut starts));
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |start: usize| 1 + ends.partition_point(|&end| end < start - address(text));
    starts
        .into_iter()
        .map(|start| u32::try_from(line(start)).unwrap_or(0))
        .collect()
}

fn collect(operations: &Operations<'_>, starts: &mut Vec<usize>) {
    for operation in &operations.ops {
        starts.push(address(operation.get()));
        let inside: Operations<'_> = serde_json::from_str(operation.get()).unwrap_or_default();
        collect(&inside, starts);
    }
}
