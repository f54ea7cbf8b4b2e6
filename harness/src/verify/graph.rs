//! Operations that wait for each other, as blocks of steps.

/// Operations in chains, each after those that it waits for: an operation follows one of these if nothing follows that yet. `waits`
/// has the operations that each one waits for.
///
/// # Errors
/// An operation that waits for itself, directly or through others.
pub fn chains(waits: &[Vec<usize>]) -> Result<Vec<Vec<usize>>, usize> {
    let mut waiters = vec![Vec::new(); waits.len()];
    let mut open: Vec<usize> = waits.iter().map(Vec::len).collect();
    for (later, earlier) in waits
        .iter()
        .enumerate()
        .flat_map(|(later, all)| all.iter().map(move |&one| (later, one)))
    {
        waiters[earlier].push(later);
    }
    let mut chains: Vec<Vec<usize>> = Vec::new();
    let mut chain_of = vec![0; waits.len()];
    let mut ready: Vec<usize> = (0..waits.len()).rev().filter(|&at| open[at] == 0).collect();
    while let Some(at) = ready.pop() {
        let chain = waits[at]
            .iter()
            .find(|&&before| chains[chain_of[before]].last() == Some(&before))
            .map_or(chains.len(), |&before| chain_of[before]);
        if chain == chains.len() {
            chains.push(Vec::new());
        }
        chains[chain].push(at);
        chain_of[at] = chain;
        for &later in waiters[at].iter().rev() {
            open[later] -= 1;
            if open[later] == 0 {
                ready.push(later);
            }
        }
    }
    open.iter()
        .position(|&open| open > 0)
        .map_or(Ok(chains), Err)
}
