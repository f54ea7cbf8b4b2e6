// Draws the execution, moves through time and shows the event under the mouse or the keyboard.
"use strict";
const $ = (id) => document.getElementById(id);
const moments = [...new Set([0, finish, ...acts.flatMap((event) => [event.start, event.end])])].sort((a, b) => a - b);
const isStill = matchMedia("(prefers-reduced-motion: reduce)");
const classes = [...new Set(acts.map((event) => event.class))].filter((name) => name !== null).sort();
const kind = (event) => (event.class === null ? event.what : `class-${classes.indexOf(event.class) % 3}`);
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
let time = 0, stated = null, chosen = null, moving = null, view = null;

// The timelines: a lane for each track of a node, or one where a node does one thing at a time.
function timelines(root, width) {
  const widest = Math.max(data.noun.length, ...nodes.map((node) => Math.max(`${label(node)}`.length, groupName(node).length)));
  const [left, right, top, high] = [8 + 7.5 * widest, 12 + 4 * group(finish).length, 22, isSequential ? 18 : 9];
  const lanes = new Map(), x = (at) => left + (width - left - right) * Math.min(at, finish) / Math.max(finish, 1);
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
    svg(root, "text", { x: left - 6, y: y + (rows * high) / 2 + 4, class: "label end" }, label(node));
    svg(root, "rect", { x: left, y, width: x(finish) - left, height: rows * high, class: "lane" });
    tracks.forEach((name, row) => lanes.set(name, y + (isSequential ? 0 : row * high)));
    y += rows * high + 5;
  }
  let step = 1;
  // 1, 2, 5, 10, 20, 50, ...
  while (x(step) - x(0) < 12 + 8 * group(finish).length && step < finish) step *= `${step}`.startsWith("2") ? 2.5 : 2;
  for (let tick = 0; tick <= finish; tick += step) {
    svg(root, "line", { x1: x(tick), x2: x(tick), y1: top, y2: y, class: "grid" });
    svg(root, "text", { x: x(tick), y: top - 6, class: "label middle" }, group(tick));
  }
  for (const event of events.filter((event) => lanes.has(track(event)) && event.start < finish)) {
    const isGap = event.what.endsWith("gap");
    const size = { x: x(event.start), width: Math.max(x(event.end) - x(event.start), isGap ? 0 : 1.5) };
    const y = lanes.get(track(event)), place = isGap ? { y: y + high - 2, height: 2 } : { y, height: high - 1 };
    const name = isGap ? "gap" : `event ${kind(event)}`;
    const shape = svg(root, "rect", { ...size, ...place, class: name, "data-place": event.place });
    if (!isGap) shape.setAttribute("tabindex", event === acts[0] ? 0 : -1);
  }
  const lines = new Map(messages.filter(({ send, receives }) => send && receives.length).map(({ number, send, receives }) => {
    const [receive] = receives, [y1, y2] = [send, receive].map((event) => lanes.get(track(event)) + high / 2);
    // In a round a message is sent and received at once.
    const [x1, x2] = (send.end <= receive.start ? [send.end, receive.start] : [send.start, receive.end]).map(x);
    return [number, svg(root, "line", { x1, y1, x2, y2, class: "message" })];
  }));
  const future = svg(root, "rect", { y: top, height: y - top, class: "future" });
  const cursor = svg(root, "line", { y1: top - 4, y2: y, class: "cursor" });
  root.setAttribute("height", y + 4);
  return {
    move(at) {
      for (const [key, value] of Object.entries({ x1: x(at), x2: x(at) })) cursor.setAttribute(key, value);
      future.setAttribute("x", x(at));
      future.setAttribute("width", Math.max(0, width - x(at)));
    },
    state(at, transit) {
      const now = new Set(transit.map(({ number }) => number));
      for (const [number, line] of lines) line.classList.toggle("now", now.has(number));
    },
  };
}

// The mesh, row 0 at the bottom: links in use as arrows, nodes darker the more they received.
function mesh(root, width) {
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

function draw() {
  const chart = $("chart");
  const width = Math.max(300, chart.clientWidth - 2);
  const root = chart.querySelector("svg");
  root.replaceChildren();
  root.setAttribute("width", width);
  view = (data.mesh ? mesh : timelines)(root, width);
  stated = null;
  set(time);
  if (chosen) choose(chosen);
}

const cells = new Map();
function tabulate() {
  const table = html($("nodes"), "table"), head = html(html(table, "thead"), "tr"), body = html(table, "tbody");
  for (const title of [data.noun, "does now", "has received"]) html(head, "th", "", title).scope = "col";
  for (const node of nodes) {
    const row = html(body, "tr");
    html(row, "th", "", `${label(node)}${data.destinations.includes(node) ? " (destination)" : data.group ? ` (${groupName(node)})` : ""}`).scope = "row";
    cells.set(node, [html(row, "td"), html(row, "td")]);
  }
}
function legend() {
  const names = { send: "sends", receive: "receives", compute: "computes", cross: "link in use" };
  for (const [name, own] of groupBy(acts.filter((event) => !data.mesh || event.what === "cross"), kind)) {
    html($("legend"), "li", `key ${name}`, own[0].class ?? names[name]);
  }
  if (data.source !== null && data.mesh) html($("legend"), "li", "key send ring", "source");
  if (data.destinations.length) html($("legend"), "li", "key receive ring", "destination");
  if (data.mesh) html($("legend"), "li", "", "stronger fill: has received more");
  else if (events.length > acts.length) html($("legend"), "li", "key gap", "port blocked by its gap");
}

// The state at whole times.
const MOST_LISTED = 100;
function state(at) {
  const change = (cell, text) => { if (cell.textContent !== text) cell.textContent = text; };
  for (const [node, [now, came]] of cells) {
    change(now, activity(node, at));
    change(came, holds(node, at));
  }
  const transit = inTransit(at);
  view.state(at, transit);
  $("transit").replaceChildren();
  for (const { event, text } of transit.slice(0, MOST_LISTED)) {
    const button = html(html($("transit"), "li"), "button", "", text);
    button.type = "button";
    button.addEventListener("click", () => choose(event));
  }
  const more = transit.length - MOST_LISTED;
  if (more > 0 || !transit.length) html($("transit"), "li", "note", more > 0 ? `and ${group(more)} more` : "nothing");
}
function set(at) {
  time = Math.min(Math.max(at, 0), finish);
  const whole = Math.floor(time);
  view.move(time);
  if (stated === whole) return;
  stated = whole;
  $("time").value = whole;
  $("now").textContent = `${group(whole)} of ${group(finish)} ${data.unit}`;
  $("time").setAttribute("aria-valuetext", $("now").textContent);
  state(whole);
}
function step(side) {
  const next = side > 0 ? moments.find((moment) => moment > stated) : moments.findLast((moment) => moment < time);
  set(next ?? stated);
}

function choose(event) {
  document.querySelector(".chosen")?.classList.remove("chosen");
  chosen = event;
  const shape = document.querySelector(`[data-place="${event.place}"]`);
  shape?.classList.add("chosen");
  shape?.setAttribute("aria-label", does(event));
  $("event").textContent = tell(event);
}

// Plays all in 4 to 40 seconds at speed 1; from moment to moment where motion is unwelcome.
function frame(now) {
  if (moving === null) return;
  const passed = (now - moving) / 1000 * Number($("speed").value);
  if (!isStill.matches) set(time + passed * finish / Math.min(40, Math.max(4, moments.length * 0.4)));
  else if (passed >= 1) step(1);
  if (!isStill.matches || passed >= 1) moving = now;
  if (time >= finish) play(false);
  else requestAnimationFrame(frame);
}
function play(on) {
  if (on && time >= finish) set(0);
  moving = on ? performance.now() : null;
  $("play").textContent = on ? "Pause" : "Play";
  if (on) requestAnimationFrame(frame);
}

// From a shape to the event beside it in its row, or at about its time in another row.
function neighbour(event, key) {
  const rows = nodes.filter((node) => actsOf.has(node)), own = actsOf.get(event.node);
  const side = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[key];
  if (key === "ArrowLeft" || key === "ArrowRight") return own[own.indexOf(event) + side];
  const row = actsOf.get(rows[rows.indexOf(event.node) + side]);
  return row?.find((other) => other.end > event.start) ?? row?.at(-1);
}
function press(key) {
  const shape = key.target.closest?.("[data-place]");
  if (key.target.matches?.("select") || key.ctrlKey || key.altKey || key.metaKey) return;
  if (key.key === " " && !key.target.matches?.("button, summary")) play(moving === null);
  else if (shape && key.key.startsWith("Arrow")) {
    const next = neighbour(events[shape.dataset.place], key.key);
    const target = next && document.querySelector(`[data-place="${next.place}"]`);
    shape.setAttribute("tabindex", target ? -1 : 0);
    target?.setAttribute("tabindex", 0);
    target?.focus();
  } else if (key.key === "ArrowLeft" || key.key === "ArrowRight") step(key.key === "ArrowRight" ? 1 : -1);
  else return;
  key.preventDefault();
}

$("time").max = finish;
$("time").addEventListener("input", () => set(Number($("time").value)));
$("play").addEventListener("click", () => play(moving === null));
$("earlier").addEventListener("click", () => step(-1));
$("later").addEventListener("click", () => step(1));
addEventListener("keydown", press);
for (const name of ["pointerover", "focusin", "click"]) {
  $("chart").addEventListener(name, ({ target }) => {
    const shape = target.closest("[data-place]");
    if (shape) choose(events[shape.dataset.place]);
    if (shape && name !== "pointerover" && !data.mesh) set(events[shape.dataset.place].start);
  });
}
let drawn = $("chart").clientWidth;
new ResizeObserver(([{ contentRect }]) => {
  if (contentRect.width !== drawn) requestAnimationFrame(draw);
  drawn = contentRect.width;
}).observe($("chart"));
// On a phone the drawing comes first.
if (innerWidth < 600) document.querySelector("header details").open = false;
tabulate();
legend();
draw();
