//! A maximum flow from nodes through their classes to the slots that they wait for.

/// A set of slots, from 0: bit by bit. There are at most 63, for `(k+2)*k` is at most
/// [`MAX_PLANNED`](super::MAX_PLANNED).
pub(super) type Slots = u64;

/// What a node can wait for.
pub(super) struct Seat {
    /// How many slots.
    pub(super) most: u32,
    /// How many slots of each class.
    pub(super) room: Vec<u64>,
    /// Which slots.
    pub(super) open: Slots,
}

/// The slots that each node waits for, so that each slot has as many nodes as it asks for; none if that is not possible.
pub(super) fn waiting(class: &[u64], asked: &[usize], seats: Vec<Seat>) -> Option<Vec<Slots>> {
    let classes = class.iter().map(|&class| 1 << class).fold(0, |all: u64, class| all | class).count_ones();
    let members = |number: u32| {
        let of_class = class.iter().zip(0..).filter(|&(&class, _)| class == u64::from(number));
        of_class.fold(0, |slots: Slots, (_, slot)| slots | 1 << slot)
    };
    let places = seats.into_iter().map(|seat| Node { seat, has: 0, seen: false, seen_classes: 0 }).collect();
    let mut flow = Flow { class, members: (0..classes).map(members).collect(), places, seen: 0 };
    for (slot, &asked) in asked.iter().enumerate() {
        for _ in 0..asked {
            flow.seen = 0;
            for node in &mut flow.places {
                (node.seen, node.seen_classes) = (false, 0);
            }
            if !flow.seat(slot) {
                return None;
            }
        }
    }
    Some(flow.places.into_iter().map(|node| node.has).collect())
}

struct Node {
    seat: Seat,
    has: Slots,
    /// Whether this search has been here, and in which of its classes.
    seen: bool,
    seen_classes: u64,
}

struct Flow<'a> {
    class: &'a [u64],
    /// The slots of each class.
    members: Vec<Slots>,
    places: Vec<Node>,
    /// The slots that this search has looked for a node for.
    seen: Slots,
}

impl Flow<'_> {
    /// Gives a slot to one more node, if other slots can move so that one has room. Depth first; no node, class of a
    /// node or slot is entered twice in a search, so what a step relies on is as it was found.
    fn seat(&mut self, slot: usize) -> bool {
        if self.seen >> slot & 1 == 1 {
            return false;
        }
        self.seen |= 1 << slot;
        let class = self.class[slot];
        for place in 0..self.places.len() {
            let node = &mut self.places[place];
            if node.seat.open >> slot & 1 == 0 || node.has >> slot & 1 == 1 || node.seen_classes >> class & 1 == 1 {
                continue;
            }
            node.seen_classes |= 1 << class;
            let own = self.members[usize::try_from(class).unwrap_or(usize::MAX)];
            let has_room =
                u64::from((node.has & own).count_ones()) < node.seat.room[usize::try_from(class).unwrap_or(0)];
            let mut leaving = node.has & own;
            if has_room && !node.seen {
                node.seen = true;
                if node.has.count_ones() < node.seat.most {
                    node.has |= 1 << slot;
                    return true;
                }
                leaving = node.has;
            }
            if self.replace(place, slot, leaving) {
                return true;
            }
        }
        false
    }

    /// Puts a slot in the place of one of those leaving, which finds another node.
    fn replace(&mut self, place: usize, slot: usize, leaving: Slots) -> bool {
        for other in (0..self.class.len()).filter(|&other| leaving >> other & 1 == 1) {
            let class = self.class[other];
            let node = &mut self.places[place];
            if class != self.class[slot] {
                node.seen_classes |= 1 << class;
            }
            if self.seat(other) {
                let node = &mut self.places[place];
                node.has = node.has & !(1 << other) | 1 << slot;
                return true;
            }
        }
        false
    }
}
