// Draws executions, moves them through one time and shows the event under the mouse or the keyboard.
"use strict";
const $ = (id) => document.getElementById(id);
const plays = JSON.parse($("execution").textContent).map(read);
const [{ data: { unit } }] = plays, finish = Math.max(...plays.map((play) => play.finish));
const times = plays.flatMap(({ acts }) => acts.flatMap((event) => [event.start, event.end]));
const moments = [...new Set([0, finish, ...times])].sort((a, b) => a - b);
const isStill = matchMedia("(prefers-reduced-motion: reduce)");
const svg = (parent, name, attributes = {}, text = "") => {
  const made = document.createElementNS(parent.namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  parent.append(made);
  return made;
};
const html = (parent, name, className = "", text = "") => {
  const made = Object.assign(document.createElement(name), { className, textContent: text });
  parent.append(made);
  return made;
};
const change = (element, text) => { if (element.textContent !== text) element.textContent = text; };

// The timelines: a lane for each track of a node, or one where a node does one thing at a time. What does not move is drawn once;
// what moves is painted over it, so that a frame costs the same for any number of events.
const MOST_LINES = 500;
function timelines({ data, nodes, acts, actsOf, events, messages, isSequential, groupName, label, track, kind, ...play }, root, width, canvas) {
  const widest = Math.max(data.noun.length, ...nodes.map((node) => Math.max(`${label(node)}`.length, groupName(node).length)));
  const [left, right, top] = [8 + 7.5 * widest, 12 + 4 * group(finish).length, 22];
  const fit = (innerHeight * 0.62 - top) / nodes.length;
  const high = isSequential ? Math.max(8, Math.min(18, fit - 2)) : 9, between = Math.min(5, high / 4);
  const small = high < 11 ? " small" : "";
  const lanes = new Map(), x = (at) => left + (width - left - right) * at / Math.max(finish, 1);
  const mine = groupBy(acts.filter((event) => event.what !== "cross"), (event) => event.node);
  let y = top + 6, above = "";
  for (const node of nodes) {
    if (groupName(node) !== above) {
      above = groupName(node);
      svg(root, "text", { x: 2, y: y + 12, class: "label" }, above);
      y += 18;
    }
    const tracks = [...new Set((mine.get(node) ?? []).map(track))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const rows = isSequential || !tracks.length ? 1 : tracks.length;
    svg(root, "text", { x: left - 6, y: y + (rows * high) / 2 + 4, class: `label end${small}` }, label(node));
    svg(root, "rect", { x: left, y, width: x(play.finish) - left, height: rows * high, class: "lane" });
    tracks.forEach((name, row) => lanes.set(name, y + (isSequential ? 0 : row * high)));
    y += rows * high + between;
  }
  let step = 1;
  // 1, 2, 5, 10, 20, 50, ...
  while (x(step) - x(0) < 12 + 8 * group(finish).length && step < finish) step *= `${step}`.startsWith("2") ? 2.5 : 2;
  for (let tick = 0; tick <= finish; tick += step) {
    svg(root, "line", { x1: x(tick), x2: x(tick), y1: top, y2: y, class: "grid" });
    svg(root, "text", { x: x(tick), y: top - 6, class: "label middle" }, group(tick));
  }
  svg(root, "line", { x1: x(play.finish), x2: x(play.finish), y1: top, y2: y, class: "finish" });
  for (const event of events.filter((event) => lanes.has(track(event)) && event.start < play.finish)) {
    const isGap = event.what.endsWith("gap"), end = Math.min(event.end, play.finish);
    const size = { x: x(event.start), width: Math.max(x(end) - x(event.start), isGap ? 0 : 1.5) };
    const y = lanes.get(track(event)), place = isGap ? { y: y + high - 2, height: 2 } : { y, height: high - 1 };
    const name = isGap ? "gap" : `event ${kind(event)}`;
    const shape = svg(root, "rect", { ...size, ...place, class: name, "data-place": event.place });
    if (!isGap) shape.setAttribute("tabindex", event === acts[0] ? 0 : -1);
  }
  const flights = messages.filter(({ send, receives }) => send && receives.length).map(({ send, receives: [receive], flight }) => {
    const [y1, y2] = [send, receive].map((event) => lanes.get(track(event)) + high / 2);
    // In a round a message is sent and received at once.
    const [from, to] = send.end <= receive.start ? [send.end, receive.start] : [send.start, receive.end];
    return { flight, from, to, ends: { x1: x(from), y1, x2: x(to), y2 } };
  });
  if (flights.length <= MOST_LINES) for (const { ends } of flights) svg(root, "line", { ...ends, class: "message" });
  const active = during(acts.filter((event) => lanes.has(track(event))), (event) => [event.start, event.end]);
  const flying = during(flights.filter(({ flight }) => flight[0] < flight[1]), ({ flight }) => flight);
  root.setAttribute("height", y + 4);
  root.classList.toggle("dense", acts.length > MOST_LINES);

  const scale = devicePixelRatio;
  Object.assign(canvas, { width: width * scale, height: (y + 4) * scale });
  Object.assign(canvas.style, { width: `${width}px`, height: `${y + 4}px` });
  const paint = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  const [ink, bad] = ["--ink", "--bad"].map((name) => style.getPropertyValue(name));
  return {
    move(at) {
      paint.setTransform(scale, 0, 0, scale, 0, 0);
      paint.clearRect(0, 0, width, y + 4);
      Object.assign(paint, { strokeStyle: ink, fillStyle: ink, lineWidth: 1.5 });
      paint.beginPath();
      for (const event of active(at)) {
        paint.rect(x(event.start), lanes.get(track(event)), Math.max(x(event.end) - x(event.start), 1.5), high - 1);
      }
      for (const { ends: { x1, y1, x2, y2 } } of flying(at)) {
        paint.moveTo(x1, y1);
        paint.lineTo(x2, y2);
      }
      paint.stroke();
      for (const { from, to, ends: { x1, y1, x2, y2 } } of flying(at)) {
        const share = (at - from) / Math.max(to - from, 1);
        paint.beginPath();
        paint.arc(x1 + (x2 - x1) * share, y1 + (y2 - y1) * share, 4, 0, 7);
        paint.fill();
      }
      paint.fillStyle = bad;
      paint.fillRect(x(Math.min(at, finish)) - 1, top - 4, 2, y - top + 4);
    },
    state() {},
  };
}

// The mesh, row 0 at the bottom: links in use as arrows, nodes darker the more they received.
function mesh({ data, nodes, acts, deliveriesTo, label, kind }, root, width, canvas) {
  canvas.width = 0;
  const [w, h] = data.mesh;
  const fit = (innerHeight * 0.7 - 44) / Math.max(h - 1, 1);
  const pitch = Math.min(84, Math.max(fit, 36), (width - 40) / Math.max(w - 1, 1)), radius = Math.min(13, pitch * 0.3);
  const column = (node) => (node - data.first) % w, row = (node) => Math.floor((node - data.first) / w);
  const at = (node) => [(width - pitch * (w - 1)) / 2 + pitch * column(node), 20 + pitch * (h - 1 - row(node))];
  const line = (parent, [x1, y1], [x2, y2], name) => svg(parent, "line", { x1, y1, x2, y2, class: name });
  root.setAttribute("height", pitch * (h - 1) + 40);
  for (const node of nodes) {
    if (column(node) + 1 < w) line(root, at(node), at(node + 1), "grid");
    if (row(node) + 1 < h) line(root, at(node), at(node + w), "grid");
  }
  const used = svg(root, "g");
  const most = Math.max(1, ...[...deliveriesTo.values()].map((own) => own.length));
  const discs = nodes.map((node) => {
    const [cx, cy] = at(node);
    const name = node === data.source ? "source" : data.destinations.includes(node) ? "destination" : "";
    svg(root, "circle", { cx, cy, r: radius, class: `node ${name}` });
    const disc = svg(root, "circle", { cx, cy, r: radius, class: "held" });
    if (radius >= 9) svg(root, "text", { x: cx, y: cy + 4, class: "label middle" }, label(node));
    return disc;
  });
  return {
    move() {},
    state(time) {
      used.replaceChildren();
      for (const event of acts.filter((event) => event.what === "cross" && isNow(event, time))) {
        const [from, to] = [at(event.node), at(event.peer)];
        const [dx, dy] = [(to[0] - from[0]) / pitch, (to[1] - from[1]) / pitch];
        // Opposite directions of a link lie beside each other.
        const beside = ([x, y], along) => [x + dx * along + dy * 4, y + dy * along - dx * 4];
        const [start, neck, tip] = [beside(from, radius), beside(to, -radius - 7), beside(to, -radius)];
        const arrow = svg(used, "g", { class: `arrow ${kind(event)}`, "data-place": event.place });
        line(arrow, start, neck, "");
        const wing = (side) => [neck[0] + dy * side, neck[1] - dx * side];
        svg(arrow, "polygon", { points: [tip, wing(5), wing(-5)].join(" ") });
        const middle = beside([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], 0);
        const aside = { x: middle[0] + dy * 9, y: middle[1] - dx * 9 + 4 };
        if (pitch >= 48) svg(used, "text", { ...aside, class: "label middle" }, event.item ?? event.message);
      }
      discs.forEach((disc, place) => {
        const came = (deliveriesTo.get(nodes[place]) ?? []).filter((event) => event.end <= time).length;
        disc.style.opacity = came / most;
      });
    },
  };
}

// An execution in its section of the page.
const MOST_LISTED = 100;
function panel(play, section) {
  const { data, nodes, acts, events, actsOf, label, groupName } = play;
  const part = (name) => section.querySelector(`.${name}`);
  const classes = [...new Set(acts.map((event) => event.class))].filter((name) => name !== null).sort();
  const kind = (event) => (event.class === null ? event.what : `class-${classes.indexOf(event.class) % 3}`);
  const lanes = part("lanes"), root = lanes.querySelector("svg"), shapeOf = (event) => lanes.querySelector(`[data-place="${event.place}"]`);
  const cells = new Map(), seen = new Set();
  // While it plays, rows change only where they can be seen: the words of all rows would take longer than a frame.
  const watch = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) seen[isIntersecting ? "add" : "delete"](Number(target.dataset.node));
  });
  let view = null, chosen = null;

  function tabulate() {
    const table = html(part("nodes"), "table"), head = html(html(table, "thead"), "tr"), body = html(table, "tbody");
    for (const title of [data.noun, "does now", "has received", ...(play.all ? ["parts"] : [])]) html(head, "th", "", title).scope = "col";
    for (const node of nodes) {
      const row = html(body, "tr");
      row.dataset.node = node;
      watch.observe(row);
      html(row, "th", "", `${label(node)}${data.destinations.includes(node) ? " (destination)" : data.group ? ` (${groupName(node)})` : ""}`).scope = "row";
      cells.set(node, [html(row, "td"), html(row, "td"), play.all ? html(html(row, "td"), "div", "strip") : null]);
    }
  }
  function legend() {
    const names = { send: "sends", receive: "receives", compute: "computes", cross: "link in use" };
    const key = (name, text) => html(part("legend"), "li", name, text);
    for (const [name, own] of groupBy(acts.filter((event) => !data.mesh || event.what === "cross"), kind)) {
      key(`key ${name}`, own[0].class ?? names[name]);
    }
    if (data.source !== null && data.mesh) key("key send ring", "source");
    if (data.destinations.length) key("key receive ring", "destination");
    if (data.mesh) key("", "stronger fill: has received more");
    else if (events.length > acts.length) key("key gap", "port blocked by its gap");
    if (!data.mesh) key("key flight", "message on its way");
  }
  function explain() {
    const drawn = data.mesh ? `Each circle is a ${data.noun}; arrows are links in use` : `Each row is a ${data.noun}; time runs to the right`;
    const how = data.mesh ? "Press Play, then point at an arrow" : "Press Play, or point at a bar";
    return `${drawn}. ${how}, to read what happens and why it begins then. ${acts.length ? `First: ${play.tell(acts[0])}` : ""}`;
  }
  function choose(event) {
    lanes.querySelector(".chosen")?.classList.remove("chosen");
    chosen = event;
    const shape = shapeOf(event);
    shape?.classList.add("chosen");
    shape?.setAttribute("aria-label", play.does(event));
    part("said").textContent = play.tell(event);
  }
  // From a shape to the event beside it in its row, or at about its time in another row.
  function neighbour(event, key) {
    const rows = nodes.filter((node) => actsOf.has(node)), own = actsOf.get(event.node);
    const side = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[key];
    if (key === "ArrowLeft" || key === "ArrowRight") return own[own.indexOf(event) + side];
    const row = actsOf.get(rows[rows.indexOf(event.node) + side]);
    return row?.find((other) => other.end > event.start) ?? row?.at(-1);
  }
  for (const name of ["pointerover", "focusin", "click"]) {
    lanes.addEventListener(name, ({ target }) => {
      const shape = target.closest("[data-place]");
      if (shape) choose(events[shape.dataset.place]);
      if (shape && name !== "pointerover" && !data.mesh) set(events[shape.dataset.place].start);
    });
  }
  tabulate();
  legend();
  part("said").textContent = explain();
  return {
    section,
    draw() {
      const width = Math.max(280, lanes.clientWidth - 2);
      root.replaceChildren();
      root.setAttribute("width", width);
      view = (data.mesh ? mesh : timelines)({ ...play, kind }, root, width, lanes.querySelector("canvas"));
      if (chosen) choose(chosen);
    },
    move: (at) => view.move(at),
    state: (at) => view.state(at),
    // The words at a time.
    tell(at) {
      change(part("status"), at < play.finish ? `runs until ${group(play.finish)} ${data.unit}` : `done at ${group(play.finish)} ${data.unit}`);
      for (const [node, [now, came, strip]] of cells) {
        if (moving !== null && !seen.has(node)) continue;
        change(now, play.activity(node, at));
        change(came, play.holds(node, at));
        if (!strip) continue;
        const stops = play.received(node, at).flatMap((range) => range.map((end) => `${end * 100}%`));
        const colours = stops.map((stop, place) => (place % 2 ? `var(--receive) 0 ${stop}` : `transparent 0 ${stop}`));
        strip.style.background = stops.length ? `linear-gradient(90deg, ${colours.join(", ")}, transparent 0)` : "";
      }
      const transit = play.inTransit(at), more = transit.length - MOST_LISTED;
      part("transit").replaceChildren();
      for (const { event, text } of transit.slice(0, MOST_LISTED)) {
        const button = html(html(part("transit"), "li"), "button", "", text);
        button.type = "button";
        button.addEventListener("click", () => choose(event));
      }
      if (more > 0 || !transit.length) html(part("transit"), "li", "note", more > 0 ? `and ${group(more)} more` : "nothing");
    },
    go(shape, key) {
      const next = neighbour(events[shape.dataset.place], key), target = next && shapeOf(next);
      shape.setAttribute("tabindex", target ? -1 : 0);
      target?.setAttribute("tabindex", 0);
      target?.focus();
    },
  };
}

let time = 0, stated = null, told = null, moving = null, silent = 0;
const panels = plays.map((play, place) => panel(play, document.querySelectorAll(".play")[place]));

// While it plays, words change at most ten times a second, and take at most a tenth of the time.
const PAUSE = 100;
function set(at) {
  time = Math.min(Math.max(at, 0), finish);
  const whole = Math.floor(time);
  for (const own of panels) own.move(time);
  if (stated !== whole) for (const own of panels) own.state(whole);
  stated = whole;
  if (told === whole || (moving !== null && whole < finish && performance.now() < silent)) return;
  const begun = performance.now();
  told = whole;
  $("time").value = whole;
  change($("now"), `${group(whole)} of ${group(finish)} ${unit}`);
  $("time").setAttribute("aria-valuetext", $("now").textContent);
  for (const own of panels) own.tell(whole);
  silent = begun + Math.max(PAUSE, 10 * (performance.now() - begun));
}
function step(side) {
  const next = side > 0 ? moments.find((moment) => moment > stated) : moments.findLast((moment) => moment < time);
  set(next ?? stated);
}
function draw() {
  for (const own of panels) own.draw();
  stated = told = null;
  set(time);
}

// Plays all in 4 to 40 seconds at speed 1; from moment to moment where motion is unwelcome.
function frame(now) {
  if (moving === null) return;
  const passed = (now - moving) / 1000 * Number($("speed").value);
  if (!isStill.matches) set(time + passed * finish / Math.min(40, Math.max(4, moments.length * 0.4)));
  else if (passed >= 1) step(1);
  if (!isStill.matches || passed >= 1) moving = now;
  if (time >= finish) run(false);
  else requestAnimationFrame(frame);
}
function run(on) {
  if (on && time >= finish) set(0);
  moving = on ? performance.now() : null;
  $("run").textContent = on ? "Pause" : "Play";
  if (on) requestAnimationFrame(frame);
  else {
    told = null;
    set(time);
  }
}

function press(key) {
  const shape = key.target.closest?.("[data-place]"), isArrow = ["ArrowLeft", "ArrowRight"].includes(key.key);
  if (key.target.matches?.("select") || key.ctrlKey || key.altKey || key.metaKey) return;
  if (key.key === " " && !key.target.matches?.("button, summary")) run(moving === null);
  else if (shape && key.key.startsWith("Arrow")) panels.find(({ section }) => section.contains(shape)).go(shape, key.key);
  else if (isArrow) step(key.key === "ArrowRight" ? 1 : -1);
  else if (key.key === "Home" || key.key === "End") set(key.key === "End" ? finish : 0);
  else return;
  key.preventDefault();
}

$("time").max = finish;
$("time").addEventListener("input", () => set(Number($("time").value)));
$("run").addEventListener("click", () => run(moving === null));
$("earlier").addEventListener("click", () => step(-1));
$("later").addEventListener("click", () => step(1));
addEventListener("keydown", press);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
let drawn = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== drawn) requestAnimationFrame(draw);
  drawn = innerWidth;
});
draw();
