//! SIGKILL at random moments of verbs that compute all again in seconds: files are old or new, and the next run writes the bytes of an undisturbed one.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::{
    ACCEPT, FIGURES, NONE, PUBLICATIONS, Publication, Undisturbed, differences, program, succeed,
    tree,
};

/// The number of kills of each verb.
const MOMENTS: u32 = 12;

/// Numbers from 0 to 1, always the same: splitmix64.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    f64::from((mixed >> 32) as u32) / f64::from(u32::MAX)
}

fn is_killed_at_random(publication: &Publication) {
    let undisturbed = Undisturbed::new(publication);
    let work = undisturbed.restore();
    let begun = Instant::now();
    succeed(&work, publication.arguments);
    let mut length = begun.elapsed();
    let mut state = 8;
    let mut killed = 0;
    while killed < MOMENTS {
        let work = undisturbed.restore();
        let after = Duration::from_secs_f64(length.as_secs_f64() * random(&mut state));
        let mut child = program(&work, publication.arguments)
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(after);
        child.kill().unwrap();
        let is_killed = child.wait().unwrap().code().is_none();
        let when = format!("{}, killed after {after:?} of {length:?}", publication.name);
        if is_killed {
            killed += 1;
        } else {
            // It ended before the kill, because the machine is less busy now. A kill at time 0 always hits.
            length = length.mul_f64(0.9);
        }
        undisturbed.check(&work, &when);
        succeed(&work, publication.again);
        let end = tree(&work);
        assert_eq!(differences(&end, &undisturbed.new), NONE, "{when}");
    }
}

/// What a kill can leave, without waiting for one to hit: one new file among old ones. Only the history may be new alone.
#[test]
fn a_mixture_of_two_runs_is_refused() {
    for publication in PUBLICATIONS {
        let undisturbed = Undisturbed::new(publication);
        let changed = differences(&undisturbed.old, &undisturbed.new);
        for path in changed
            .into_iter()
            .filter(|path| !path.starts_with("tmp") && !path.ends_with("history.csv"))
        {
            let work = undisturbed.restore();
            match undisturbed.new.get(path) {
                Some(Some(bytes)) => fs::write(work.join(path), bytes).unwrap(),
                Some(None) => fs::create_dir(work.join(path)).unwrap(),
                None => fs::remove_file(work.join(path)).unwrap(),
            }
            undisturbed.check(
                &work,
                &format!("{}, {} alone", publication.name, path.display()),
            );
        }
    }
}

#[test]
fn figures() {
    is_killed_at_random(&FIGURES);
}

#[test]
fn an_acceptance() {
    is_killed_at_random(&ACCEPT);
}
