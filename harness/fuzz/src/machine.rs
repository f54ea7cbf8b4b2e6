//! Machine profiles.

use castbench::base::failure::Code;
use castbench::output::diagnostics::Source;
use castbench::space::machine::Machine;

use crate::promise::{kept, refused};

const NAME: &str = "profile.toml";

/// Reads a profile. Written and read again it is the same machine, and longer messages take no less time.
pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let machine = match Machine::parse(&Source::built_in(NAME, text)) {
        Ok(machine) => machine,
        Err(failure) => return refused(&failure, &[Code::Configuration], &[NAME]),
    };
    let written = kept(machine.toml());
    let again = kept(Machine::parse(&Source::built_in(NAME, &written)));
    assert_eq!(machine, again);
    assert_eq!(written, kept(again.toml()));
    assert!(
        machine
            .numbers()
            .iter()
            .all(|(symbol, value, _)| !symbol.is_empty() && !value.is_empty())
    );
    let parameters = machine.parameters();
    let mut least = [0; 3];
    // If a message is too long, longer ones are too.
    let mut too_long = false;
    for bytes in [1, 2, 3, 1000, 1 << 20, (1 << 32) + 1, 1 << 50, u64::MAX] {
        let Ok(model) = parameters.at(bytes) else {
            assert!(bytes > 1, "a machine without a message");
            too_long = true;
            continue;
        };
        assert!(
            !too_long,
            "{parameters:?} takes {bytes} bytes and not fewer"
        );
        let times = [model.L(), model.o(), model.g()];
        assert!(
            times.iter().zip(least).all(|(time, least)| *time >= least),
            "{parameters:?} at {bytes} bytes"
        );
        least = times;
    }
    assert!(parameters.at(0).is_err());
}
