//! Every collective as a problem of the catalogue.

use std::cell::RefCell;
use std::fmt;

use super::judge::{MAX_PARTS, judge};
use super::parameters::Parameters;
use super::{
    Algorithm, Blocks, Bound, Closed, Collective, Goal, Plan, Task, bounds, counts, hierarchy,
    known,
};
use crate::cost::{By, Exact, LARGEST, Limits, Published, Simulated};
use crate::engine::{self, Machine, Program};
use crate::error::{Error, refuse_if};
use crate::execution::{self, Emit, Event, Hints, Stage, View, What, Which};
use crate::logp::pipeline::{self, Cut, Duplex, cut};
use crate::logp::{Level, Levels, LogP, Profile};
use crate::plan::compiled::{Compiled, Payloads};
use crate::plan::script::Script;
use crate::plan::task::{MAX_PORTS, PortRule};
use crate::problem::{About, Algorithms, Carrier, Case, Listed, Memo, Run, Setting, Value, needed};
use crate::text::{grouped, plural, size};
use crate::violation::{Rule, Violation};
use crate::wide::Wide;

/// Most messages of a collective that is judged, whatever the limits: about 150 bytes each.
const MAX_MESSAGES: u64 = 1 << 22;

/// Most ranks that all exchange a message with each other in an execution.
const MAX_PAIRED: u64 = 1 << 12;

/// Most messages of one rank whose sizes are listed: some 100 MB.
const MAX_OF_RANK: u64 = 1 << 24;

impl Algorithms for Collective {
    fn count(&self) -> usize {
        self.entries.len()
    }

    fn about(&self, number: usize) -> Option<&'static About> {
        self.listed(number).map(|listed| &listed.about)
    }

    fn bind(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
    ) -> Result<Box<dyn Case>, Error> {
        let task = self.task(setting, values)?;
        Ok(Box::new(self.at(self.algorithm(number), task)))
    }

    fn composed(&self, name: &str) -> Option<usize> {
        hierarchy::composed(self.name, name).map(|number| self.entries.len() + number)
    }

    fn proof(&self, number: usize) -> &'static str {
        proof(self.algorithm(number))
    }

    /// Where segments have one size, a vector can have up to m - 1 words more.
    fn cuts(&self, number: usize, values: &[Value]) -> Vec<Box<[Value]>> {
        let algorithm = self.algorithm(number);
        let index = |key| self.parameters.index(key);
        let sized = ["bytes", "n"]
            .into_iter()
            .find_map(|key| index(key).zip(values[index(key)?]));
        let (Some(m), Some((n, size))) = (index("m").filter(|&m| values[m].is_none()), sized)
        else {
            return vec![values.into()];
        };
        // It states its segments itself, which can differ in size.
        let is_duplex = index("ports").is_some_and(|ports| values[ports] == Some(1))
            && algorithm.duplex().is_some();
        let element = index("element")
            .and_then(|index| values[index])
            .unwrap_or(1)
            .max(1);
        let of = |count: u64| {
            let mut values: Box<[Value]> = values.into();
            values[m] = Some(count);
            if !is_duplex && algorithm.properties().has_equal_segments {
                values[n] = count
                    .checked_mul(element)
                    .and_then(|step| size.checked_next_multiple_of(step));
            }
            values
        };
        let most = if is_duplex || algorithm.properties().is_segmented {
            size / element
        } else {
            1
        };
        let is_bytes = index("machine").is_some_and(|machine| values[machine].is_some());
        cut::numbers(size, is_bytes)
            .take_while(|&m| m <= most)
            .map(of)
            .collect()
    }

    fn combines(&self) -> bool {
        let of_several = |task: Task| {
            let ends = |rank| self.goal.ends_with(&task, rank, 0);
            (0..task.K).filter_map(ends).any(|(_, ranks)| ranks > 1)
        };
        let task = |machine| Task::new(Machine::Words(machine), 3, 1, 0);
        self.parameters.has("c") && LogP::new(1, 1, 1).map(task).is_ok_and(of_several)
    }
}

impl Collective {
    /// An algorithm of the catalogue, or behind them one that was made while castbench runs.
    fn listed(&self, number: usize) -> Option<&'static Listed<dyn Algorithm>> {
        match number.checked_sub(self.entries.len()) {
            None => self.entries.get(number),
            Some(made) => known::listed(self.name, made),
        }
    }

    fn algorithm(&self, number: usize) -> &'static dyn Algorithm {
        let listed = self.listed(number);
        listed.unwrap_or(&self.entries[0]).algorithm
    }

    /// An algorithm of this collective, with what it has to do.
    #[must_use]
    pub const fn at(&self, algorithm: &'static dyn Algorithm, task: Task) -> Applied {
        Applied {
            goal: self.goal,
            parameters: self.parameters,
            algorithm,
            task,
        }
    }

    fn task(&self, setting: &Setting, values: &[Value]) -> Result<Task, Error> {
        self.parameters.check(values)?;
        let value = |key| self.parameters.index(key).and_then(|index| values[index]);
        let machine = value("machine");
        let (key, size) = if machine.is_some() {
            ("bytes", value("bytes"))
        } else {
            ("n", value("n"))
        };
        let size = if self.parameters.has("n") {
            needed(key, size)?
        } else {
            1
        };
        let c = if self.parameters.has("c") {
            needed("c", value("c"))?
        } else {
            0
        };
        let K = needed("K", value("K"))?;
        let (root, m) = (value("root").unwrap_or(0), value("m").unwrap_or(1));
        let (r, k) = (value("r").unwrap_or(2), value("k").unwrap_or(1));
        let element = value("element").unwrap_or(1);
        let (rule, has_switch) = match value("ports").unwrap_or(0) {
            0 => (PortRule::Strict, false),
            1 => (PortRule::Duplex, false),
            2 => (PortRule::Strict, true),
            other => {
                return Err(Error::parameter(
                    "ports",
                    other,
                    "expected strict, duplex or switch",
                ));
            }
        };
        refuse_if!(K == 0, "K" = 0 => "expected at least 1 rank");
        refuse_if!(root >= K, "root" = root => "expected at most K-1 = {}", K - 1);
        refuse_if!(size == 0, key = 0 => "expected at least 1: a collective has something to send");
        refuse_if!(element == 0 || !size.is_multiple_of(element), "element" = element =>
            "expected a divisor of {key} = {size}: a vector has whole elements");
        let n = size / element;
        if !(1..=n).contains(&m) {
            let elements = if element == 1 {
                format!("{key} = {n}")
            } else {
                plural(n, "element")
            };
            return Err(Error::parameter(
                "m",
                m,
                format!("expected 1 to {elements}: a segment has at least one"),
            ));
        }
        refuse_if!(r < 2, "r" = r => "expected at least 2: a radix has two digits or more");
        refuse_if!(!(1..=MAX_PORTS).contains(&k), "k" = k => "expected 1 to {MAX_PORTS} ports of a rank");
        refuse_if!(has_switch && k != 1, "k" = k => "expected 1: a rank has one port to a switch that combines and copies");
        let machine = match machine {
            Some(machine) => {
                let profile = setting.profile(machine)?;
                profile.levels().map_or(Ok(()), |levels| levels.check(K))?;
                if rule == PortRule::Duplex {
                    refuse_if!(profile.levels().is_some_and(|levels| levels.nics().is_some()), "machine" = "a machine with `nics`" =>
                        "expected one without `nics`: ranks share them over strict ports, one for each rank");
                }
                let needs_order = profile.levels().is_some_and(Levels::needs_order);
                refuse_if!(has_switch && needs_order, "machine" = "a machine with `nics` or `x`" =>
                    "expected one without: what ranks share, or what messages take longer that cross, is not known at a switch");
                Machine::LogGops(profile)
            }
            None => {
                let [L, o, g] = [
                    needed("L", value("L"))?,
                    needed("o", value("o"))?,
                    needed("g", value("g"))?,
                ];
                Machine::Words(LogP::new(L, o, g)?)
            }
        };
        let mut task = Task {
            root,
            m,
            r,
            k,
            element,
            rule,
            has_switch,
            ..Task::new(machine, K, n, c)
        };
        let blocks = self.goal.blocks(&task);
        task.blocks = counts::blocks(value("counts").unwrap_or(0), K, blocks)?;
        // The judge numbers all words.
        let bytes = task.all_words(blocks).checked_mul(element.into());
        let is_numbered = bytes.is_some_and(|bytes| u64::try_from(bytes).is_ok());
        refuse_if!(!is_numbered, key = size =>
            "expected fewer: the words of all {K} ranks must fit in 64 bits");
        Ok(task)
    }
}

/// An algorithm of a collective, with what it has to do.
#[derive(Clone, Copy)]
pub struct Applied {
    goal: &'static dyn Goal,
    parameters: Parameters,
    algorithm: &'static dyn Algorithm,
    task: Task,
}

impl Case for Applied {
    fn model(&self) -> Option<LogP> {
        let task = near(self.task);
        task.machine.profile_at(task.size(task.n).ok()?)
    }

    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "{}", self.subject())?;
        let task = near(self.task);
        let longest = task.block_words().div_ceil(task.m);
        let Ok(model) = task.model(longest) else {
            return Ok(());
        };
        let [D, gap] = [model.D(), model.gap()].map(grouped);
        let message = if task.is_counted() {
            "a message with the longest block"
        } else if task.m > 1 {
            "a message with a segment"
        } else if self.parameters.has("n") {
            "a message with all of it"
        } else {
            "a message"
        };
        let sender = if task.k == 1 {
            "a rank".to_owned()
        } else {
            format!("each of the {} ports of a rank", task.k)
        };
        writeln!(
            out,
            "{message} takes {D} to its receiver; {sender} sends two of them {gap} apart"
        )?;
        for Level { ranks, machine } in task
            .machine
            .levels()
            .map_or(&[][..], |levels| levels.inner())
            .iter()
            .filter(|level| level.ranks > 1)
        {
            let Ok(model) = task.size(longest).and_then(|size| machine.at(size)) else {
                continue;
            };
            let [D, gap] = [model.D(), model.gap()].map(grouped);
            writeln!(
                out,
                "between two of {ranks} ranks that stand together it takes {D}, and two leave {gap} apart"
            )?;
        }
        Ok(())
    }

    fn analytic(&self, _: &mut Memo) -> Result<Option<(Exact, By)>, Error> {
        cost(self.algorithm, self.task)
    }

    fn why_unknown(&self) -> &'static str {
        let properties = self.algorithm.properties();
        match self.task.machine.levels() {
            _ if properties.is_given && self.task.is_counted() => {
                "a given formula is not compared where blocks differ in size; only an execution is exact"
            }
            None if properties.is_given => "no exact formula is given; only an execution is exact",
            Some(_) if properties.is_given => {
                "a given formula is not compared where ranks see several machines; only an execution is exact"
            }
            _ if properties.posts => {
                "no formula holds where sends are posted together; only an execution is exact"
            }
            Some(levels) if levels.is_by_size_only() => {
                "no formula holds where messages see several machines; only an execution is exact"
            }
            Some(_) => "no formula holds where ranks are near or far; only an execution is exact",
            None => "the exact cost needs more than 2^22 messages followed",
        }
    }

    fn most(&self) -> Option<u64> {
        let (algorithm, task) = (self.algorithm, self.placed());
        admit(algorithm, &task).ok()?;
        // An execution in order is a longest path, so it takes no longer than with all messages through the network, if these
        // take longest.
        let is_known = match task.machine {
            Machine::LogGops(profile @ Profile::Levels(_)) => profile.is_slowest_outside(),
            _ => true,
        };
        let most = algorithm.closed(&task).ok()?.bounds()[1];
        (is_known && duplex(algorithm, &task).is_none() && most < LARGEST).then_some(most)
    }

    fn bounds(&self) -> Option<[u64; 2]> {
        let (algorithm, task) = (self.algorithm, self.placed());
        admit(algorithm, &task).ok()?;
        let bound = self.bound(Some(algorithm)).ok()?.time;
        let has_levels = matches!(task.machine, Machine::LogGops(Profile::Levels(_)));
        let least = if has_levels || duplex(algorithm, &task).is_some() {
            bound
        } else {
            algorithm.closed(&task).ok()?.bounds()[0].max(bound)
        };
        Some([least, self.most().unwrap_or(LARGEST)])
    }

    fn lower_bound(&self, _: &mut Memo) -> Result<Exact, Error> {
        self.bound(None).map(|bound| Exact::Integer(bound.time))
    }

    fn own_lower_bound(&self, _: &mut Memo) -> Result<Exact, Error> {
        let bound = self.bound(Some(self.algorithm))?;
        Ok(Exact::Integer(bound.time))
    }

    fn bound_name(&self) -> Option<&'static str> {
        let piece = bounds::piece(
            &self.task,
            self.task.K.max(self.algorithm.parts(&self.task)),
        );
        let bound = bounds::of_collective(self.goal, &near(self.task), piece);
        bound.ok().map(|bound| bound.name)
    }

    fn is_free(&self) -> bool {
        self.task.machine.is_free()
    }

    fn too_large(&self, limits: &Limits) -> Option<String> {
        let (algorithm, task) = (self.algorithm, self.placed());
        let above = |what: String, most: u64, of: &str| {
            Some(format!(
                "{what} is above the {most} {of} that are simulated"
            ))
        };
        let most = limits.nodes.min(Limits::MAX_NODES);
        if task.K > most {
            return above(format!("K = {}", grouped(task.K)), most, "ranks");
        }
        let (messages, noun, ports) = if duplex(algorithm, &task).is_some() {
            // A single rank sends nothing, but holds all segments.
            let received = Wide::from(Cut::of(&task).segments) * Wide::from(task.K.max(2) - 1);
            (received, "received segments", received.min(task.k.into()))
        } else {
            (algorithm.messages(&task), "messages", task.k.into())
        };
        if task.rule == PortRule::Duplex && ports > pipeline::MAX_PORTS.into() {
            return above(
                format!("k = {}", grouped(task.k)),
                pipeline::MAX_PORTS,
                "ports",
            );
        }
        let pairs = Wide::from(task.K) * Wide::from(task.K - 1);
        let is_paired = task.K <= MAX_PAIRED && noun == "messages" && messages <= pairs;
        let most = limits.hops.min(if is_paired {
            MAX_PAIRED * MAX_PAIRED
        } else {
            MAX_MESSAGES
        });
        if messages > most.into() {
            above(format!("{} {noun}", grouped(messages)), most, noun)
        } else {
            None
        }
    }

    /// A message is sent, received and combined.
    fn work(&self) -> u64 {
        u64::try_from(16 * self.algorithm.messages(&self.placed())).unwrap_or(u64::MAX)
    }

    fn steps(&self, most: usize) -> usize {
        let task = near(self.task);
        duplex(self.algorithm, &task).map_or(0, |algorithm| algorithm.steps(&task, most))
    }

    fn published(&self) -> Vec<Published> {
        let claimed = Some(self.placed()).filter(|task| !task.is_counted());
        let claimed = claimed
            .and_then(|task| self.algorithm.at_most(&task))
            .map(Published::claimed);
        claimed.into_iter().collect()
    }

    fn simulate(&self) -> Result<Simulated, Error> {
        let (algorithm, task) = (self.algorithm, self.placed());
        if let Some(algorithm) = duplex(algorithm, &task) {
            let time = judge(self.goal, &task, true, &algorithm.compiled(&task)?)?;
            return Ok(Simulated::Exact(time));
        }
        if let Some(program) = algorithm.judged(&task) {
            let program = program.map_err(|error| blamed(algorithm, error))?;
            let ended = engine::run(task.machine, &program)
                .map_err(|failure| blamed(algorithm, failure.into()))?;
            return Ok(Simulated::Exact(ended.finish));
        }
        if let Some(why) = self.why_unjudged(&task) {
            let ended = algorithm
                .program(&task)
                .and_then(|program| Ok(engine::run(task.machine, &program)?));
            let ended = ended.map_err(|error| blamed(algorithm, error))?;
            return Ok(Simulated::Unjudged(ended.finish, why));
        }
        let time = algorithm
            .compiled(&task)
            .and_then(|plan| self.judge(&task, &plan));
        match time {
            Err(error) => match too_large_to_judge(&error) {
                Some(why) => Ok(Simulated::Skipped(why)),
                None => Err(blamed(algorithm, error)),
            },
            Ok(time) => Ok(Simulated::Exact(time)),
        }
    }

    fn piece(&self) -> Option<u64> {
        let task = self.placed();
        let segment = || task.size(self.algorithm.segment(&task)).ok();
        self.parameters.has("m").then(segment).flatten()
    }

    /// The sizes that the first, the middle and the last ranks send: their blocks are the longest and the shortest.
    fn sizes(&self) -> Option<[u64; 2]> {
        let (algorithm, task) = (self.algorithm, self.placed());
        if let Some(algorithm) = duplex(algorithm, &task) {
            let cut = Cut::of(&task);
            // The longer half is exchanged in one message.
            let half = task.n - cut.segments / 2 * cut.words;
            let most = if algorithm.crosses() { half } else { 0 };
            return Some([cut.last, most.max(cut.words)]);
        }
        // The root of a flat tree exchanges each segment with every other rank.
        let of_root = task.K * Wide::from(task.m);
        if algorithm.messages(&task) > MAX_MESSAGES * Wide::from(task.K)
            || of_root > MAX_OF_RANK.into()
        {
            return None;
        }
        let mut script = Script::default();
        let some = [0, 1, 2, task.K / 2, task.K.checked_sub(2)?, task.K - 1];
        let mut ranks: Vec<u64> = match task.is_counted() {
            true if algorithm.messages(&task) > MAX_MESSAGES.into() => return None,
            true => (0..task.K).collect(),
            false => some.into_iter().filter(|&rank| rank < task.K).collect(),
        };
        ranks.sort_unstable();
        let ranks = ranks
            .into_iter()
            .filter_map(|rank| u32::try_from(rank).ok());
        let plan = algorithm.plan(&task).ok()?;
        ranks
            .into_iter()
            .try_for_each(|rank| plan.write_sends(&task, rank, &mut script))
            .ok()?;
        let [least, most] = script.sizes()?;
        Some([task.size(least).ok()?, task.size(most).ok()?])
    }

    /// Messages of one word can be carried by longer ones.
    fn program(&self, carrier: Carrier) -> Option<Result<Run, Error>> {
        let (algorithm, task) = (self.algorithm, self.placed());
        let machine = carrier.profile.map_or(task.machine, |profile| {
            placed(
                algorithm,
                Task {
                    machine: Machine::LogGops(profile),
                    ..task
                },
            )
            .machine
        });
        let task = if self.parameters.has("n") {
            task
        } else {
            Task {
                machine,
                n: carrier.bytes,
                ..task
            }
        };
        let is_switched = |plan: Plan| task.K > 1 && plan.switches() > 0;
        if algorithm.plan(&task).is_ok_and(is_switched) {
            let expected = "expected strict or duplex, or another algorithm: a program of ranks alone has no switch that combines and copies";
            return Some(Err(Error::parameter("ports", "switch", expected)));
        }
        let program = match stated(algorithm, &task) {
            Some(program) => program,
            None if algorithm.properties().is_given => self.judged_program(&task),
            None => algorithm.program(&task),
        };
        Some(
            program
                .map(|program| (task.machine, program))
                .map_err(|error| blamed(algorithm, error)),
        )
    }

    /// Of a program whose result was judged elsewhere they are not known.
    fn payloads(&self) -> Option<Payloads> {
        let (algorithm, task) = (self.algorithm, self.placed());
        let is_stated = duplex(algorithm, &task).is_some() || algorithm.judged(&task).is_some();
        if is_stated || self.why_unjudged(&task).is_some() {
            return None;
        }
        let root = self.parameters.has("root").then_some(task.root);
        algorithm.compiled(&task).ok()?.payloads(&task, root)
    }

    fn execute(&self, _: &Which, emit: Emit<'_>) -> Result<Stage, Error> {
        let (algorithm, task) = (self.algorithm, self.placed());
        let carried = RefCell::new(Vec::new());
        let mut ended = |program: &Program, complete: &dyn Fn(u32, Event) -> Event| {
            Ok((
                program.processors(),
                execution::of_program(task.machine, program, complete, emit)?,
            ))
        };
        let stated = stated(algorithm, &task);
        let unjudged = self.why_unjudged(&task).filter(|_| stated.is_none());
        let executed = match unjudged {
            Some(_) => Some(algorithm.program(&task)),
            None => stated,
        };
        let executed = match executed {
            Some(program) => program.and_then(|program| ended(&program, &|_, event| event)),
            None => algorithm.compiled(&task).and_then(|plan| {
                self.judge(&task, &plan)?;
                let complete = |operation, event: Event| {
                    // Sends come in the order in which they are numbered.
                    if event.what == What::Send && event.transfer < MAX_CARRIED {
                        carried.borrow_mut().push(plan.words(operation).to_vec());
                    }
                    event
                };
                ended(&plan.program, &complete)
            }),
        };
        let (ranks, finish) = executed.map_err(|error| blamed(algorithm, error))?;
        let others = [("r", task.r, 2), ("k", task.k, 1)]
            .into_iter()
            .filter(|&(_, value, default)| value != default);
        let others: String = others
            .map(|(key, value, _)| format!(", {key} = {}", grouped(value)))
            .collect();
        let on = match task.machine {
            Machine::LogGops(_) => "times in ns".to_owned(),
            Machine::Words(model) | Machine::LogP(model) => {
                let [L, o, g, c] = [model.L(), model.o(), model.g(), task.c].map(grouped);
                let c = if self.parameters.has("c") {
                    format!(", c = {c}")
                } else {
                    String::new()
                };
                format!("L = {L}, o = {o}, g = {g}{c}")
            }
        };
        let switches: String = (task.K..ranks.into())
            .map(|switch| format!("; {} is a switch", grouped(switch)))
            .collect();
        let hints = Hints::new(
            View::Messages,
            self.subject(),
            format!(
                "{on}{others}; the last rank ends at {}{switches}{}",
                grouped(finish),
                unjudged.map_or_else(String::new, |why| format!("; {why}"))
            ),
        );
        let is_duplex = duplex(algorithm, &task).is_some();
        let stage = Stage {
            source: is_duplex.then_some(0),
            item: if is_duplex { "segment" } else { "round" },
            ..Stage::new(ranks)
        };
        Ok(stage.drawn(Hints {
            noun: "rank",
            carried: carried.into_inner(),
            ..hints
        }))
    }
}

impl Applied {
    /// Executes a plan that carries out the collective: when its last operation ends.
    fn judge(&self, task: &Task, plan: &Compiled) -> Result<u64, Error> {
        let keeps_order = self.algorithm.properties().keeps_order;
        judge(self.goal, task, keeps_order, plan)
    }

    /// The program of a plan that a user gave, so that it can be wrong: one that was not judged has none.
    fn judged_program(&self, task: &Task) -> Result<Program, Error> {
        self.why_unjudged(task)
            .map_or(Ok(()), |why| Err(Error::Given(why)))?;
        let plan = self.algorithm.compiled(task)?;
        let judged = self.judge(task, &plan);
        judged.map_err(|error| too_large_to_judge(&error).map_or(error, Error::Given))?;
        Ok(plan.program)
    }

    /// Why what the messages of an execution carry is not followed.
    fn why_unjudged(&self, task: &Task) -> Option<String> {
        let (parts, messages) = (self.goal.parts(task), self.algorithm.messages(task));
        let (found, most, what) = if parts > MAX_PARTS.into() {
            (parts, MAX_PARTS, "blocks that ranks hold")
        } else if messages > MAX_MESSAGES.into() {
            (messages, MAX_MESSAGES, "messages")
        } else {
            return None;
        };
        let [found, most] = [grouped(found), grouped(most)];
        Some(format!(
            "not judged: {found} {what} are above the {most} that the judge follows"
        ))
    }

    /// The task as the algorithm sees it.
    fn placed(&self) -> Task {
        placed(self.algorithm, self.task)
    }

    /// The bound of algorithms that cut words no finer than this one, or of all. A plan that a user gives can cut them finer than those of
    /// castbench; where it does not, all have one bound.
    fn bound(&self, algorithm: Option<&dyn Algorithm>) -> Result<Bound, Error> {
        let task = near(self.task);
        let parts = |algorithm: &dyn Algorithm| task.K.max(algorithm.parts(&task));
        let piece = algorithm.map_or(1, |algorithm| bounds::piece(&task, parts(algorithm)));
        bounds::of_collective(self.goal, &task, piece)
    }

    /// The sizes of blocks of several sizes.
    fn sizes_of_blocks(&self) -> String {
        let task = self.task;
        let sized = |words: u64| match task.machine {
            Machine::LogGops(_) => size(words.saturating_mul(task.element)),
            Machine::Words(_) | Machine::LogP(_) => plural(words, "word"),
        };
        let name = match task.blocks {
            Blocks::Counted(counts) if counts.name.len() <= MAX_NAME => &*counts.name,
            _ => "a list",
        };
        let empty = match task.sizes().filter(|&size| size == 0).count() as u64 {
            0 => String::new(),
            empty => format!(", {} empty", grouped(empty)),
        };
        format!(
            "blocks of {} to {} ({name}{empty}), {} in all",
            sized(task.sizes().min().unwrap_or(0)),
            sized(task.block_words()),
            sized(u64::try_from(task.all_words(self.goal.blocks(&task))).unwrap_or(u64::MAX)),
        )
    }

    /// The ranks, the size of the operand, and how it is cut.
    fn subject(&self) -> String {
        let task = self.task;
        let ranks = plural(task.K, "rank");
        let sized = |words: u64| match task.machine {
            Machine::LogGops(_) => size(words),
            Machine::Words(_) | Machine::LogP(_) => plural(words, "word"),
        };
        // Duplex broadcasts send segments of one size, and a shorter last one.
        let segments = if task.rule == PortRule::Duplex && !self.parameters.has("c") {
            Cut::of(&task).segments
        } else {
            task.m
        };
        let cut = match task.size(task.n.div_ceil(task.m)) {
            Ok(longest) if segments > 1 => {
                let segments = plural(segments, "segment");
                format!(" in {segments} of at most {}", sized(longest))
            }
            _ => String::new(),
        };
        if task.is_counted() {
            return format!("{} on {ranks}", self.sizes_of_blocks());
        }
        match task.size(task.n) {
            Ok(all) if self.parameters.has("n") && task.element > 1 => {
                format!(
                    "{} in elements of {}{cut} on {ranks}",
                    sized(all),
                    sized(task.element)
                )
            }
            Ok(all) if self.parameters.has("n") => format!("{}{cut} on {ranks}", sized(all)),
            _ => ranks,
        }
    }
}

/// The longest name of sizes that a title repeats.
const MAX_NAME: usize = 60;

/// The most messages whose words are kept for drawings.
const MAX_CARRIED: u32 = 1 << 16;

/// The algorithm for duplex ports, where the task has them.
fn duplex<'a>(algorithm: &'a dyn Algorithm, task: &Task) -> Option<&'a dyn Duplex> {
    algorithm.duplex().filter(|_| task.rule == PortRule::Duplex)
}

/// The program of an algorithm that states it beside its plan.
fn stated(algorithm: &dyn Algorithm, task: &Task) -> Option<Result<Program, Error>> {
    match duplex(algorithm, task) {
        Some(algorithm) => Some(algorithm.compiled(task).map(|plan| plan.program)),
        None => algorithm.judged(task),
    }
}

/// Why the judge cannot follow a plan, if its error says so.
fn too_large_to_judge(error: &Error) -> Option<String> {
    let violation = error.violation::<Violation>()?;
    (violation.rule == Rule::TooLarge).then(|| violation.to_string())
}

/// An error of a simulator, which is no bug where a user gave the algorithm.
fn blamed(algorithm: &dyn Algorithm, error: Error) -> Error {
    if algorithm.properties().is_given {
        error.of_given()
    } else {
        error
    }
}

/// Formulas that hold somewhere fail where a gap is longer than its hop, or where blocks differ.
fn proof(algorithm: &dyn Algorithm) -> &'static str {
    if algorithm.properties().is_given {
        return "execution";
    }
    let machine = LogP::new(1, 0, 50).map(Machine::Words);
    let tasks = machine.into_iter().flat_map(|machine| {
        (1..=12)
            .flat_map(move |K| [1, 2, 6, 7, 8, 12].map(|n| (K, n)))
            .flat_map(move |(K, n)| {
                [1, 2].map(|m| Task {
                    m: if algorithm.properties().is_segmented {
                        m.min(n)
                    } else {
                        1
                    },
                    ..Task::new(machine, K, n, 1)
                })
            })
    });
    let words = tasks
        .filter_map(|task| algorithm.formula(&task).ok())
        .map(|closed| match closed {
            Closed::Exact(_) => By::Formula.word(),
            Closed::Between(_) => By::Clock.word(),
            Closed::Executed { .. } => "execution",
        });
    // By the alphabet `clock` comes first. An algorithm for the levels of a machine is not defined on this one.
    words.min().unwrap_or("execution")
}

/// The exact cost without an execution, and what states it.
fn cost(algorithm: &dyn Algorithm, task: Task) -> Result<Option<(Exact, By)>, Error> {
    let task = placed(algorithm, task);
    admit(algorithm, &task)?;
    if let Some(duplex) = duplex(algorithm, &task) {
        // Its formula holds where all ranks are equally near.
        let time = duplex.time(&task)?;
        let is_flat = task.machine.levels().is_none();
        return Ok(is_flat.then_some((Exact::Integer(time), By::Formula)));
    }
    Ok(algorithm
        .time_by(&task)?
        .map(|(time, by)| (Exact::Integer(time), by)))
}

/// Refuses what an algorithm has not, or is not defined for on this machine.
fn admit(algorithm: &dyn Algorithm, task: &Task) -> Result<(), Error> {
    let is_duplex = task.rule == PortRule::Duplex;
    refuse_if!(is_duplex && algorithm.properties().posts, "ports" = "duplex" =>
        "expected strict: sends that are posted together share the processor of a rank");
    let duplex = duplex(algorithm, task);
    let may_cross = duplex.is_some_and(Duplex::crosses);
    refuse_if!(may_cross && task.machine.levels().is_some_and(Levels::has_exchange), "machine" = "a machine with `x`" =>
        "expected one without `x`, or another algorithm, or strict ports: with duplex ports both halves of this one cross in no turn");
    if duplex.is_some() {
        refuse_if!(task.root != 0, "root" = task.root =>
            "expected 0: with duplex ports ranks of a broadcast are numbered from the root; without levels every root has the same cost");
        refuse_if!(task.element != 1, "element" = task.element =>
            "expected 1: with duplex ports a broadcast sends segments of whole words");
        return Ok(());
    }
    if let Blocks::Counted(counts) = task.blocks {
        refuse_if!(algorithm.properties().has_equal_blocks, "counts" = &counts.name =>
            "expected even: what the algorithm does depends on blocks of one size");
    }
    refuse_if!(task.m > 1 && !algorithm.properties().is_segmented, "m" = task.m =>
        "expected 1: the algorithm does not cut a vector into segments");
    refuse_if!(task.r != 2 && !algorithm.properties().has_radix, "r" = task.r => "expected 2: the algorithm has no radix");
    refuse_if!(task.k != 1 && !is_duplex && !algorithm.properties().has_ports, "k" = task.k =>
        "expected 1: with strict ports the algorithm uses one");
    refuse_if!(task.k > 1 && !is_duplex && task.machine.levels().is_some_and(Levels::needs_order), "k" = task.k =>
        "expected 1: the machine has `nics`, which ranks share, or `x`, which is defined for one port");
    if let Some(levels) = task.machine.levels().filter(|levels| levels.has_exchange()) {
        // No message takes longer than one with all words in an exchange.
        let size = task.size(task.block_words())?;
        (0..=levels.inner().len())
            .try_for_each(|level| levels.of_message(level, size, true).map(drop))?;
    }
    Ok(())
}

/// The task as an algorithm sees it: where it does not read where ranks stand, few ranks on one level are a machine of their own.
fn placed(algorithm: &dyn Algorithm, task: Task) -> Task {
    if algorithm.properties().is_placed {
        task
    } else {
        near(task)
    }
}

/// The task on the machine that all its ranks see, where that is one.
fn near(task: Task) -> Task {
    Task {
        machine: task.machine.of_ranks(task.K),
        ..task
    }
}
