//! The messages of one rank's part over MPI. All receives are posted before any rank sends.

use super::calls::{Request, Scope};
use super::contact::Contact;
use crate::clock;
use crate::link::{self, Message};

struct Coming<'a, 'r> {
    from: u32,
    room: usize,
    request: Request<'a, 'r>,
}

pub struct Inbox<'a, 'r> {
    contact: &'a Contact<'a>,
    number: u64,
    coming: Vec<Coming<'a, 'r>>,
    /// For each buffer, its message and arrival.
    received: Vec<Option<(&'r [u8], u64)>>,
}

impl<'a, 'r> Inbox<'a, 'r> {
    /// Posts all receives, in the order of each sender's sends; `senders` has the sender of each buffer, in that order.
    pub fn open(
        contact: &'a Contact<'a>,
        scope: &'a Scope<'r>,
        number: u64,
        rooms: &'r mut [Message],
        order: &[(u32, usize)],
        tag: i32,
    ) -> Self {
        let received = vec![None; rooms.len()];
        let mut rooms: Vec<Option<&'r mut Message>> = rooms.iter_mut().map(Some).collect();
        let begin = |&(from, room): &(u32, usize)| {
            let buffer = rooms.get_mut(room)?.take()?.room();
            let request = contact.world.mpi.receive(scope, buffer, from, tag);
            Some(Coming {
                from,
                room,
                request,
            })
        };
        let coming = order.iter().filter_map(begin).collect();
        Self {
            contact,
            number,
            coming,
            received,
        }
    }

    /// Polls each receive once; calls `acknowledge` with the sender of each arrived message.
    pub fn look(&mut self, acknowledge: impl Fn(u32)) {
        for Coming {
            from,
            room,
            request,
        } in std::mem::take(&mut self.coming)
        {
            match self.contact.world.mpi.test(request) {
                Err(request) => self.coming.push(Coming {
                    from,
                    room,
                    request,
                }),
                Ok(whole) => {
                    self.received[room] = Some((whole, clock::now()));
                    if !link::is_of(whole, self.number) {
                        let explanation = format!("an unexpected message arrived from rank {from}");
                        self.contact.give_up(explanation, None);
                    }
                    acknowledge(from);
                }
            }
        }
    }

    /// The message in a buffer and its arrival; none before that.
    pub fn received(&self, room: usize) -> Option<(&'r [u8], u64)> {
        self.received.get(room).copied().flatten()
    }
}
