//! LogGOPS: L, o and g for a message size.
//!
//! **Source.** Alexandrov et al., "LogGP", SPAA 1995 (`G`, the gap per byte); Hoefler, Schneider, Lumsdaine,
//! "LogGOPSim", HPDC 2010 (`O`, the overhead per byte).
//!
//! castbench adds one parameter: `H`, the time per byte for which a message is held between the two processors without occupying
//! either, as in a daemon that stores and forwards it. `H = 0` is LogGOPS.
//!
//! For a message of s >= 1 bytes, with the times of the first byte in `L`, `o` and `g`:
//!
//! | LogP | of s bytes | because |
//! |---|---|---|
//! | `L(s)` | `L + (s-1)(G + H)` | the last byte leaves the wire `(s-1)G` after the first, and is held for `(s-1)H` |
//! | `o(s)` | `o + (s-1)O` | the host copies each byte |
//! | `g(s)` | `g + (s-1)G` | the last byte leaves `(s-1)G` after the first, and the next message g after that |
//!
//! so `D(s) = L + 2o + (s-1)(G + 2O + H)` and two sends begin `max(g(s), o(s))` apart.
//!
//! The copies of a message do not overlap with its time on the wire: the sender copies all of it before the first byte leaves, and
//! the receiver copies it after the last byte arrives. LogGOPSim overlaps them; the [engine](crate::engine) lists the differences.

use super::LogP;
use crate::error::Error;

/// A machine in the LogGOPS model: times in nanoseconds; times per byte in femtoseconds, because 900 GB/s are 1.11 ps per byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LogGops {
    /// Latency of the first byte, ns.
    pub L: u64,
    /// Overhead of the first byte at either end, ns.
    pub o: u64,
    /// Gap between short messages, ns.
    pub g: u64,
    /// Gap per further byte, fs.
    pub G: u64,
    /// Overhead per further byte at either end, fs.
    pub O: u64,
    /// Time per further byte for which a message is held on its way, fs.
    pub H: u64,
}

impl LogGops {
    /// The LogP machine, in nanoseconds, for messages of `bytes` bytes. Each parameter is rounded up once.
    ///
    /// # Errors
    /// [`Error::Parameter`] for zero bytes; [`Error::Overflow`].
    ///
    /// ```
    /// use castbench_algorithms::logp::LogGops;
    /// let gigabit = LogGops { L: 5_000, o: 1_000, g: 500, G: 8_000_000, O: 0, H: 0 };
    /// let model = gigabit.at(1_000_001)?;
    /// assert_eq!((model.D(), model.gap()), (8_007_000, 8_000_500));
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    pub fn at(&self, bytes: u64) -> Result<LogP, Error> {
        let further = bytes.checked_sub(1).ok_or_else(|| {
            Error::parameter(
                "bytes",
                0,
                "expected at least 1; LogP's message is its first byte",
            )
        })?;
        self.beyond(further, 0)
    }

    /// The machine for a message of which `further` bytes are beyond those of L, o and g, and that is on the wire for `longer` fs more.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub(crate) fn beyond(&self, further: u64, longer: u128) -> Result<LogP, Error> {
        // A saturated sum does not fit in 64 bits and is refused below.
        let sum = |per_byte: u128, more: u128| {
            per_byte.saturating_mul(further.into()).saturating_add(more)
        };
        let ns = |fs: u128| fs.div_ceil(1_000_000);
        let G = u128::from(self.G);
        let narrow = |time: u128| u64::try_from(time).map_err(|_| Error::Overflow);
        LogP::new(
            narrow(u128::from(self.L).saturating_add(ns(sum(G + u128::from(self.H), longer))))?,
            narrow(u128::from(self.o) + ns(sum(self.O.into(), 0)))?,
            narrow(u128::from(self.g).saturating_add(ns(sum(G, longer))))?,
        )
    }

    /// G, O and H in ps where all are whole, else in fs, and how many of these are a nanosecond.
    pub(crate) fn per_byte(&self) -> ([u64; 3], u64) {
        let own = [self.G, self.O, self.H];
        if own.iter().all(|time| time % 1000 == 0) {
            (own.map(|time| time / 1000), 1000)
        } else {
            (own, 1_000_000)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: LogGops = LogGops {
        L: 100,
        o: 10,
        g: 40,
        G: 1_500_000,
        O: 333_000,
        H: 0,
    };

    #[test]
    fn one_byte_is_plain_logp() {
        assert_eq!(MACHINE.at(1), LogP::new(100, 10, 40));
    }

    #[test]
    fn fractions_round_up_once() {
        // 3 further bytes: 4.5 ns on the wire, 0.999 ns of copying.
        assert_eq!(MACHINE.at(4), LogP::new(105, 11, 45));
        assert_eq!(MACHINE.at(1001), LogP::new(1600, 343, 1540));
    }

    /// 900 GB/s: 1.11 ps per byte.
    #[test]
    fn parts_of_a_picosecond_are_exact() {
        let fast = LogGops {
            G: 1_110,
            O: 0,
            ..MACHINE
        };
        for (bytes, wire) in [
            (1, 0),
            (2, 1),
            (901, 1),
            (902, 2),
            (1_000_001, 1_110),
            (1_000_002, 1_111),
        ] {
            assert_eq!(
                fast.at(bytes),
                LogP::new(100 + wire, 10, 40 + wire),
                "{bytes} B"
            );
        }
    }

    #[test]
    fn holding_delays_and_occupies_no_processor() {
        let held = LogGops {
            H: 2_000_000,
            ..MACHINE
        };
        assert_eq!(held.at(1001), LogP::new(3600, 343, 1540));
        assert_eq!(held.at(1), MACHINE.at(1));
    }

    /// Trains of messages as in LogGP: `(s-1)G` on the wire and then g, for every size.
    #[test]
    fn the_gap_follows_the_last_byte() {
        let wire = |bytes| LogGops { g: 0, ..MACHINE }.at(bytes).unwrap().g();
        for bytes in [1, 2, 27, 28, 1 << 20, 1 << 40] {
            assert_eq!(MACHINE.at(bytes).unwrap().g(), wire(bytes) + MACHINE.g);
        }
        // Equal to s words that are sent as separate messages.
        let words = crate::engine::Machine::Words(LogP::new(100, 10, 40).unwrap());
        let bytes = LogGops {
            G: 40_000_000,
            O: 0,
            ..MACHINE
        };
        for s in 1..50 {
            assert_eq!(words.at(s), bytes.at(s));
        }
    }

    #[test]
    fn impossible_sizes_are_errors() {
        assert!(MACHINE.at(0).is_err());
        assert!(MACHINE.at(u64::MAX).is_err());
    }
}
