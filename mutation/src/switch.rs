
/// Which mutant is on: `MUTANT` says so; `MUTANT_REACHED` names a file that gets the number of each one that is asked for.
#[doc(hidden)]
#[inline(always)]
pub(crate) fn mutant_is_on(number: u32) -> bool {
    let on = MUTANT_ON.load(std::sync::atomic::Ordering::Relaxed);
    if on < MUTANT_UNKNOWN { on == number } else { mutant_is_asked_for(number) }
}

const MUTANT_UNKNOWN: u32 = u32::MAX - 1;
const MUTANT_RECORDS: u32 = u32::MAX;
static MUTANT_ON: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(MUTANT_UNKNOWN);
static MUTANTS_REACHED: [std::sync::atomic::AtomicBool; 1 << 16] =
    [const { std::sync::atomic::AtomicBool::new(false) }; 1 << 16];

#[cold]
#[inline(never)]
fn mutant_is_asked_for(number: u32) -> bool {
    use std::io::Write as _;
    use std::sync::atomic::Ordering::Relaxed;
    if MUTANT_ON.load(Relaxed) == MUTANT_UNKNOWN {
        let on = std::env::var("MUTANT").ok().and_then(|on| on.parse().ok());
        MUTANT_ON.store(on.unwrap_or(MUTANT_RECORDS), Relaxed);
        return mutant_is_on(number);
    }
    let reached = &MUTANTS_REACHED[number as usize];
    if !reached.load(Relaxed) && !reached.swap(true, Relaxed) {
        if let Ok(path) = std::env::var("MUTANT_REACHED") {
            let mut file = std::fs::File::options().append(true).create(true).open(path).expect("a file to record in");
            file.write_all(format!("{number}\n").as_bytes()).expect("the record is written");
        }
    }
    false
}
