//! Allgather by neighbour exchange.
//!
//! **Source.** Chen, Zhang, Zhang, Yuan, "Performance evaluation of allgather algorithms on terascale Linux cluster with
//! fast Ethernet", HPC Asia 2005; Open MPI: neighbor exchange.
//!
//! For even K. In round 0 ranks 2i and 2i+1 exchange their blocks. In each of the `K/2 - 1` further rounds every rank
//! exchanges the two blocks that it received last with its other neighbour and with this one in turn; in round 1 its own
//! block and the one received.
//!
//! **Cost** `D(n) + (K/2-1) D(2n)` where no gap is longer than its hop; else rounds are as far apart as gaps require.
//!
//! **When it wins.** Where messages between neighbours are cheaper than others: K/2 rounds, half as many as the ring.
//!
//! **Departures.** None. Odd K are refused; Open MPI takes the ring for them.

use crate::collectives::rounds::Rounds;
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::{Error, fit};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct NeighbourExchange;

impl Algorithm for NeighbourExchange {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        if task.K % 2 == 1 && task.K > 1 {
            return Err(Error::parameter("K", task.K, "expected an even number: ranks exchange in pairs"));
        }
        let mut rounds = Rounds::new(true);
        if task.K > 1 {
            rounds.exchange(task.hop(task.n)?.plain(), 1);
        }
        if task.K > 2 {
            rounds.exchange(task.hop(2 * task.n)?.plain(), task.K / 2 - 1);
        }
        rounds.end().map(fit).transpose()
    }

    fn messages(&self, task: &Task) -> Wide {
        Wide::from(task.K) * Wide::from(task.K / 2)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let K = task.K;
        if K == 1 {
            return;
        }
        let me = u64::from(rank);
        let (left, right) = ((me + K - 1) % K, (me + 1) % K);
        // Even ranks begin to the right; what comes from the right lies two blocks further each time.
        let sides = if me.is_multiple_of(2) { [(right, 2), (left, K - 2)] } else { [(left, K - 2), (right, 2)] };
        let mut sent = me / 2 * 2;
        let mut received = [sent; 2];
        script.send(narrow(sides[0].0), 0, task.blocks(me, 1));
        script.receive(narrow(sides[0].0), 0, task.blocks(sides[0].0, 1));
        for round in 1..K / 2 {
            let side = usize::from(round % 2 == 1);
            let (peer, further) = sides[side];
            received[side] = (received[side] + further) % K;
            script.send(narrow(peer), narrow(round), task.blocks(sent, 2));
            script.receive(narrow(peer), narrow(round), task.blocks(received[side], 2));
            sent = received[side];
        }
    }
}
