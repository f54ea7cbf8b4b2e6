//! Messages on a mesh in steps: the timetable of a row, and the whole mesh.

use algorithms::internals::execution::Event;
use plotters::style::{Color, RGBColor};

use super::execution::{Drawing, Execution, Mesh, shade};
use crate::base::units::{grouped, plural};
use crate::draw::chart::style::{FAINT_INK, GRID, INK, Look, PAPER, Point};
use crate::draw::chart::svg::{
    ABOVE, BOTTOM_LEFT, CENTRE, HEADING, MARGIN, RIGHT, Sheet, bold, direction, moved, stroke, text,
};

/// An execution by steps.
struct Steps {
    mesh: Mesh,
    /// The row whose timetable is shown.
    row: u32,
    /// The crossings of links, by step.
    steps: Vec<Vec<Event>>,
}

/// On the left the timetable of a row, on the right the mesh in each step.
pub fn drawing(execution: &Execution, row: u32) -> Drawing<'_> {
    let mesh = Mesh::new(&execution.stage);
    let count = usize::try_from(execution.finish()).unwrap_or_default();
    let mut steps = vec![Vec::new(); count];
    for event in &execution.events {
        steps[usize::try_from(event.start).unwrap_or_default()].push(*event);
    }
    let links = mesh.links().count() as u64;
    let sent = execution.events.len() as u64;
    let slots = links * count as u64;
    let title = format!("{}, {}", execution.title(), plural(count as u64, "step"));
    let subtitle = format!(
        "timetable of row {row}; {} over {} links, {} of {} link-steps idle; {}",
        plural(sent, "transfer"),
        grouped(links),
        grouped(slots.saturating_sub(sent)),
        grouped(slots),
        execution.stage.hints.subtitle,
    );
    let own = Steps { mesh, row, steps };
    let table = MARGIN + 44.0 + LINK * f64::from(mesh.w - 1) + 30.0;
    let [wide, high] = mesh.size(PITCH).map(|side| side + AROUND);
    let columns = COLUMNS.min(count.max(1));
    let rows = count.div_ceil(columns);
    let height = (STEP * count as f64).max((high + 16.0) * rows as f64);
    let width = table + wide * columns as f64 + MARGIN;
    let size = (width, TOP + height + 66.0);
    let lines = own.lines();
    Drawing::new([title, subtitle], lines, size, CAPTION, move |sheet| {
        own.draw_timetable(sheet);
        let mut held = vec![1u32; mesh.nodes() as usize];
        for (number, step) in own.steps.iter().enumerate() {
            let at = (number % columns, number / columns);
            let corner = (
                table + AROUND / 2.0 + wide * at.0 as f64,
                TOP + 16.0 + (high + 16.0) * at.1 as f64,
            );
            own.draw_mesh(sheet, corner, number, &held);
            step.iter().for_each(|event| held[event.peer as usize] += 1);
        }
        let colours = [
            ("to the right", RIGHTWARD),
            ("to the left", LEFTWARD),
            ("up or down", VERTICAL),
        ];
        let y = TOP + height + 24.0;
        sheet.legend((MARGIN, y), [20.0, 18.0, 12.0], colours, |x, colour| {
            sheet.line(&[(x, y), (x + 20.0, y)], colour, 3.0);
        });
    })
    .with_most("node", mesh.nodes(), 100)
}

impl Steps {
    /// The crossings of the links of the row in a step, from left to right.
    fn of_row(&self, step: &[Event]) -> Vec<Option<Event>> {
        let mut links = vec![None; self.mesh.w as usize - 1];
        for event in step {
            let left = event.node.min(event.peer);
            if left / self.mesh.w == self.row && left.abs_diff(event.node.max(event.peer)) == 1 {
                links[(left % self.mesh.w) as usize] = Some(*event);
            }
        }
        links
    }

    fn lines(&self) -> Vec<String> {
        let width = self.mesh.nodes().to_string().len() + 3;
        let title = |x| format!("{:^width$}", format!("{}-{x}", x - 1));
        let titles: String = (1..self.mesh.w).map(title).collect();
        let mut lines = vec![format!("step  busy links {titles}")];
        for (number, step) in self.steps.iter().enumerate() {
            let cells = self.of_row(step).into_iter().map(|event| {
                let cell = match event {
                    None => "-".to_owned(),
                    Some(event) if event.node < event.peer => format!("{}>", event.item),
                    Some(event) => format!("<{}", event.item),
                };
                format!("{cell:^width$}")
            });
            let cells: String = cells.collect();
            let line = format!("{:>4}  {:>10} {cells}", number + 1, step.len());
            lines.push(line.trim_end().to_owned());
        }
        let note = "a column for each link of the row; 3> goes right, <3 goes left, - is idle; busy links: of the whole mesh";
        lines.extend(["", note].map(str::to_owned));
        lines
    }
}

const TOP: f64 = HEADING + 40.0;
/// Between two links of the timetable, and between two steps.
const LINK: f64 = 34.0;
const STEP: f64 = 20.0;
/// Between two nodes of a small mesh, and around it.
const PITCH: f64 = 24.0;
const AROUND: f64 = 34.0;
const LABEL: f64 = 11.0;
/// Most meshes side by side.
const COLUMNS: usize = 6;

const RIGHTWARD: RGBColor = Look::FIRST.colour;
const LEFTWARD: RGBColor = Look::SECOND.colour;
const VERTICAL: RGBColor = Look::THIRD.colour;
const CAPTION: &str = "ring: idle link; number: message; line: its path. Meshes: before each step, row 0 at the bottom; darker nodes hold more messages.";

impl Steps {
    /// A dot for a busy link, a ring for an idle one, and a line along the path of each message.
    fn draw_timetable(&self, sheet: &Sheet<'_>) {
        let x = |link: u32| MARGIN + 44.0 + LINK * (f64::from(link) + 0.5);
        let y = |step: usize| TOP + STEP * (step as f64 + 0.5);
        for node in 0..self.mesh.w {
            let position = (x(node) - LINK / 2.0, TOP - 10.0);
            sheet.write(node, position, text(LABEL, FAINT_INK, ABOVE));
        }
        let rows: Vec<_> = self.steps.iter().map(|step| self.of_row(step)).collect();
        for (number, row) in rows.iter().enumerate() {
            for (link, event) in (0u32..).zip(row) {
                let Some(event) = event else { continue };
                let next = link.wrapping_add_signed(if event.node < event.peer { 1 } else { -1 });
                if let Some(wait) = rows[number + 1..].iter().position(|later| {
                    let hop = later.get(next as usize).copied().flatten();
                    hop.is_some_and(|hop| hop.item == event.item && hop.node == event.peer)
                }) {
                    let ends = [(x(link), y(number)), (x(next), y(number + 1 + wait))];
                    sheet.line(&ends, FAINT_INK, 0.8);
                }
            }
        }
        for (number, row) in rows.iter().enumerate() {
            sheet.write(
                number + 1,
                (MARGIN + 28.0, y(number)),
                text(LABEL, FAINT_INK, RIGHT),
            );
            for (link, event) in (0u32..).zip(row) {
                let centre = (x(link), y(number));
                let Some(event) = event else {
                    sheet.circle(centre, 4.0, stroke(FAINT_INK, 1.0));
                    continue;
                };
                sheet.circle(centre, 8.0, self.colour(event).filled());
                sheet.write(event.item, centre, text(9.0, PAPER, CENTRE));
            }
        }
    }

    fn colour(&self, &Event { node, peer, .. }: &Event) -> RGBColor {
        if node / self.mesh.w != peer / self.mesh.w {
            VERTICAL
        } else if node < peer {
            RIGHTWARD
        } else {
            LEFTWARD
        }
    }

    /// The mesh in one step, y upwards: the links in use, and the items that each node holds before the step.
    fn draw_mesh(&self, sheet: &Sheet<'_>, corner: Point, number: usize, held: &[u32]) {
        let at = |node: u32| self.mesh.at(node, corner, PITCH);
        let title = (corner.0 - 6.0, corner.1 - 9.0);
        sheet.write(
            format!("step {}", number + 1),
            title,
            bold(LABEL, INK, BOTTOM_LEFT),
        );
        self.mesh
            .links()
            .for_each(|(node, next)| sheet.line(&[at(node), at(next)], GRID, 1.0));
        for event in &self.steps[number] {
            let ends = [event.node, event.peer].map(at);
            let way = direction(ends);
            let start = moved(ends[0], way, 5.0, 0.0);
            let tip = moved(ends[1], way, -5.0, 0.0);
            sheet.line(&[start, tip], self.colour(event), 1.8);
            sheet.arrow(tip, way, [6.5, 3.2], self.colour(event));
        }
        for (node, &held) in (0u32..).zip(held) {
            let share = f64::from(held) / f64::from(self.mesh.nodes());
            sheet.disc(at(node), 4.5, shade(share, INK), (FAINT_INK, 0.8));
        }
    }
}
