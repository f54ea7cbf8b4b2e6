//! Swing: reduce-scatter and allgather between ranks at distances 1, 1, 3, 5, 11, ...
//!
//! **Source.** De Sensi, Bonato, Saam, Hoefler, "Swing: Short-cutting rings for higher bandwidth allreduce", NSDI 2024,
//! section 3, on a ring with one port: the algorithm for bandwidth.
//!
//! For even K. With `rho(s) = 1 - 2 + 4 - .. = (1 - (-2)^(s+1))/3`, in step s an even rank i exchanges with rank `i + rho(s)`, an
//! odd one with `i - rho(s)` (modulo K). The words are K blocks, the first `n mod K` of them one word longer; rank i reduces
//! block i. There are `p = ceil(log2 K)` steps. From step s on a rank reaches the ranks `R(s)`: itself for s = p, else those
//! that it and its partner of step s reach from step s+1 on. In step s a rank sends the blocks of `R(s)` that are not in
//! `R(s+1)`, and the partner combines them. An allgather follows, the same steps backwards.
//!
//! **Cost** for K dividing n the sum over s of `2 D(b(s) n/K) + c b(s) n/K` where no gap is longer than its hop; else rounds are
//! as far apart as gaps require. `b(s) = |R(s)| - |R(s+1)|` is `2^(p-1-s)` for `K = 2^p`. For all even K,
//! `|R(s)| = 2 min(2^(p-1-s), K/gcd(K, 2^(s+1)))` for s < p: relative to an even rank the even numbers of R(s) are multiples of
//! `2^(s+1)` and the odd ones are rho(s) plus such a multiple, and there are `2^(p-1-s)` of each in a row. For other n
//! messages of a round differ by up to b(s) words. Then the times of all ranks are followed round by round, in time
//! O(K log K), for up to 2^22 messages.
//!
//! **When it wins.** On a ring or a torus, where near ranks are cheaper; here as Rabenseifner's allreduce for `K = 2^p`, and also
//! in `2 ceil(log2 K)` rounds for other even K.
//!
//! **Departures.** Odd K are refused; the original deals out the words of one rank to the others. For `K < 2^p` some ranks can
//! be reached on two ways; a block is sent in the last step in which it can be.

use super::Algorithm;
use crate::collectives::negabinary::{Butterfly, hops};
use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Closed, Properties};
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Hop, Plan, Task};

/// See the module.
pub struct Swing;

impl Algorithm for Swing {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let hops = hops(task)?;
        let mut rounds = RoundTimes::new(task, task.n.is_multiple_of(task.K));
        for &step in &hops {
            rounds.exchange_between(step);
        }
        for step in hops.into_iter().rev() {
            rounds.exchange_between(step.map(Hop::without_combining));
        }
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let butterfly = Butterfly::new(task);
        Ok(Plan::Rounds(vec![
            butterfly.combining(),
            butterfly.finished().tags(ceil_log2(task.K)),
        ]))
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            ..Properties::PLAIN
        }
    }
}
