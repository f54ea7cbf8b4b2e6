// What an execution does and holds at a time, in words. Everything follows from its events.
"use strict";
const group = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const plural = (number, word) => `${group(number)} ${word}${number === 1 ? "" : "s"}`;
const isNow = (event, time) => event.start <= time && (time < event.end || (event.start === event.end && event.end === time));

// Finds the members of a list that last at a time, without a look at all of them. A span is when one begins and ends.
function during(list, span) {
  const all = list.map((member) => [...span(member), member]).sort((a, b) => a[0] - b[0]);
  const longest = all.reduce((most, [start, end]) => Math.max(most, end - start), 0);
  return (time) => {
    let low = 0, high = all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle][0] < time - longest) low = middle + 1;
      else high = middle;
    }
    const found = [];
    for (; low < all.length && all[low][0] <= time; low += 1) {
      const [start, end, member] = all[low];
      if (isNow({ start, end }, time)) found.push(member);
    }
    return found;
  };
}

function groupBy(list, key) {
  const groups = new Map();
  for (const event of list) {
    if (!groups.has(key(event))) groups.set(key(event), []);
    groups.get(key(event)).push(event);
  }
  return groups;
}

// Ranges, each from its first number to its end, in order and joined where they touch.
function joined(ranges) {
  const runs = [];
  for (const [first, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = runs.at(-1);
    if (last && last[1] >= first) last[1] = Math.max(last[1], end);
    else runs.push([first, end]);
  }
  return runs;
}
// Ranges as `0-2, 5`.
const spelled = (ranges) => joined(ranges).map(([first, end]) => (first + 1 === end ? `${first}` : `${first}-${end - 1}`)).join(", ");
const ranges = (numbers) => spelled([...numbers].map((number) => [number, number + 1]));

// Reads an execution, as the page embeds it.
function read(data) {
  const events = data.events.map((row, place) =>
    Object.fromEntries([["place", place], ...data.columns.map((name, column) => [name, row[column]])]));
  // The nodes of a group stand together.
  const groupOf = (node) => data.groups[node - data.first] ?? 0;
  const groupName = (node) => (data.group ? `${data.group} ${groupOf(node)}` : "");
  const nodes = Array.from({ length: data.nodes }, (_, place) => place + data.first).sort((a, b) => groupOf(a) - groupOf(b));
  const acts = events.filter((event) => !event.what.endsWith("gap"));
  const finish = acts.reduce((last, event) => Math.max(last, event.end), 0);
  // What a message carries is an item; a round is only a number.
  const hasItems = !["", "round"].includes(data.item);
  const hasReceives = acts.some((event) => event.what === "receive");
  const delivers = (event) => event.what === "receive" || (!hasReceives && event.what === "cross");
  const receiver = (event) => (event.what === "cross" ? event.peer : event.node);
  const sender = (event) => (event.what === "cross" ? event.node : event.peer);

  const label = (node) => data.labels[node - data.first] ?? node;

  const actsOf = groupBy(acts, (event) => event.node);
  const deliveriesTo = groupBy(acts.filter(delivers).sort((a, b) => a.end - b.end), receiver);
  const messages = [...groupBy(acts.filter((event) => event.message !== null), (event) => event.message)].map(([number, own]) => {
    const of = (what) => own.filter((event) => event.what === what);
    const [send, receives, links] = [of("send")[0], of("receive"), of("cross")];
    const { size = null, there = null, words = [] } = data.messages[number] ?? {};
    // On its way from the end of its send to its last receive; in a round both last as long as the round.
    const flight = send && receives.length
      ? [Math.min(send.end, receives[0].start), Math.max(send.end, receives.at(-1).start)] : [0, 0];
    return { number, send, receives, links, size, there, words, flight };
  });
  const messageOf = new Map(messages.map((message) => [message.number, message]));
  // A port with its gaps, a cpu, or a link.
  const track = (event) => [event.node, event.what.split("-")[0], event.port ?? event.peer].join();
  const onTrack = groupBy(events, track);
  // Whether no node ever does two things at once.
  const isSequential = [...actsOf.values()].every((own) => own.every((event, at) => at === 0 || own[at - 1].end <= event.start));

  const sized = (size) => (size === null ? "" : plural(size, data.size));
  function content(event) {
    const { number, size } = messageOf.get(event.message);
    if (data.item && !hasItems) return `${sized(size) || "a message"} of ${data.item} ${event.item}`;
    const item = data.item ? `${data.item} ${event.item}` : event.what === "cross" ? `message ${number}` : "";
    return item && size !== null ? `${item} (${sized(size)})` : item || sized(size);
  }

  function does(event) {
    if (event.what === "compute") return event.class ?? "computes";
    if (event.what.endsWith("gap")) return `gap of ${event.what.split("-")[0]} port ${event.port}`;
    const what = content(event) ? `${content(event)} ` : "";
    const [verb, to] = { send: ["sends", "to"], receive: ["receives", "from"], cross: ["passes", "to"] }[event.what];
    return `${verb} ${what}${to} ${label(event.peer)}`;
  }

  // The times from which earlier events let this one begin, the latest first.
  function reasons(event) {
    const found = [];
    const add = (what, time, moves = false) => { if (time <= event.start) found.push({ what, time, moves }); };
    const last = (list, time) => list.reduce((best, other) => (best && time(best) > time(other) ? best : other), null);
    const isEarlier = (other) => other.end <= event.start && (other.end < event.end || other.place < event.place);

    const own = onTrack.get(track(event)).filter((other) => other.message !== event.message || event.what === "compute");
    const gap = onTrack.get(track(event)).find((other) => other.what === "receive-gap" && other.message === event.message);
    const freeAt = (other) => {
      if (event.what === "cross") return other.end;
      // The gap before a receive begins with the receive before it. A worm holds the port until its tail has left the first link.
      return Math.max(other.end, gap ? other.start + gap.end - gap.start : 0, messageOf.get(other.message)?.links[0]?.end ?? 0);
    };
    const user = last(own.filter((other) => other.what !== "receive-gap" && isEarlier(other)), freeAt);
    const port = { send: `send port ${event.port}`, receive: `receive port ${event.port}`, cross: "link" }[event.what];
    if (user && port) add(`${port} free`, freeAt(user));

    const done = last(actsOf.get(event.node).filter((other) => other !== event && isEarlier(other)), (other) => other.end);
    if (done && isSequential && !data.mesh) add(`${data.noun} free`, done.end);

    const { send, links, there } = messageOf.get(event.message) ?? { links: [], there: null };
    const hop = event.what === "cross" || event.what === "receive" ? links.filter((link) => link.place < event.place).at(-1) : null;
    if (event.what === "receive" && there !== null) add("message there", there);
    if (hop && hop.end <= event.start) add("message there", hop.end);
    else if (hop) add(`header enters the link ${label(hop.node)} → ${label(hop.peer)}`, hop.start, true);
    if (event.what === "receive" && there === null && !hop && send) add("its send begins", send.start);
    if (event.what === "cross" && send && !hop) add("startup ended", send.end);

    const needed = event.what !== "receive" && event.what !== "compute" && !hop && (hasItems || data.source !== null);
    const delivery = needed && (deliveriesTo.get(event.node) ?? []).find((other) => isEarlier(other) && other.item === event.item);
    if (delivery) add(`${data.item ? `${data.item} ${event.item}` : "message"} there`, delivery.end);
    return found.sort((a, b) => b.time - a.time);
  }

  function tell(event) {
    const noun = data.noun[0].toUpperCase() + data.noun.slice(1);
    const more = [data.mesh && event.class, ["send", "receive"].includes(event.what) && `port ${event.port}`].filter(Boolean);
    const span = `from ${group(event.start)} to ${group(event.end)} (${data.unit})`;
    const what = [`${noun} ${label(event.node)} ${does(event)}`, ...more, span].join(", ");
    const found = reasons(event);
    const why = found.map(({ what, time }) => `${what} at ${group(time)}`).join(", ") || "it waits for no earlier event";
    const isOpen = found.length && found[0].time < event.start;
    const later = !isOpen ? "" : found.some(({ moves }) => moves) ? " and crosses it" : "; no event lets it begin then, its schedule does";
    return `${what}. Begins at ${group(event.start)}: ${why}${later}.`;
  }

  // What nodes without a common source have at the start: what they send and were not sent.
  const own = new Map(nodes.map((node) => [node, new Set()]));
  for (const event of acts.filter((event) => hasItems && data.source === null && ["send", "cross"].includes(event.what))) {
    const came = (deliveriesTo.get(event.node) ?? []).some((other) => other.item === event.item && other.end <= event.start);
    if (!came) own.get(event.node).add(event.item);
  }

  // What a node has received: items or ranges of words, out of all that messages carry.
  const parts = (event) => (hasItems ? [[event.item, event.item + 1]] : messageOf.get(event.message).words);
  const all = acts.filter(delivers).reduce((most, event) => parts(event).reduce((most, [, end]) => Math.max(most, end), most), 0);
  const cameTo = (node, time) => (deliveriesTo.get(node) ?? []).filter((event) => event.end <= time);
  const received = (node, time) => joined(cameTo(node, time).flatMap(parts)).map((range) => range.map((end) => end / all));

  function holds(node, time) {
    const came = cameTo(node, time);
    const told = node === data.source ? ["source"] : [];
    const items = (list) => ranges(list.map((event) => event.item));
    const sum = came.reduce((sum, event) => sum + (messageOf.get(event.message).size ?? 0), 0);
    const size = sum ? `, ${sized(sum)}` : "";
    if (own.get(node).size) told.push(`own ${data.item} ${ranges(own.get(node))}`);
    if (came.length && hasItems) {
      told.push(`${plural(new Set(came.map((event) => event.item)).size, data.item)}${size}: ${items(came)}`);
    } else if (came.length) {
      const rounds = (list) => (data.item ? `${data.item} ${items(list)} ` : "");
      const senders = [...groupBy(came, sender)].map(([from, list]) => `${rounds(list)}from ${label(from)}`);
      told.push(`${plural(came.length, "message")}${size}: ${senders.join(", ")}`);
    }
    const words = came.flatMap((event) => messageOf.get(event.message).words);
    if (words.length) told.push(`${data.size || "word"}s ${spelled(words)}`);
    return told.join("; ");
  }

  function activity(node, time) {
    const taking = hasReceives ? [] : deliveriesTo.get(node) ?? [];
    const all = [...(actsOf.get(node) ?? []), ...taking];
    const now = all.filter((event) => isNow(event, time));
    const words = (event) => (event.node === node ? does(event) : `receives ${content(event)} from ${label(event.node)}`);
    if (now.length) return now.map(words).join("; ");
    return all.length === 0 ? "" : all.some((event) => event.start > time) ? "waits" : "done";
  }

  // The messages that are between their sender and their receiver, with an event of each.
  function inTransit(time) {
    return messages.flatMap(({ number, send, links, there, flight }) => {
      const taken = links.filter((link) => isNow(link, time));
      if (!taken.length && !(flight[0] <= time && time < flight[1])) return [];
      const [from, to] = send ? [send.node, send.peer] : [links[0].node, links.at(-1).peer];
      const route = (a, b) => `${label(a)} → ${label(b)}`;
      const on = taken.map((link) => route(link.node, link.peer)).join(", ");
      const where = on && on !== route(from, to) ? `on ${on}` : there === null ? "" : `there at ${group(there)}`;
      const event = taken.at(-1) ?? send;
      return [{ event, number, text: [route(from, to), content(event) || `message ${number}`, where].filter(Boolean).join(", ") }];
    });
  }

  return {
    data, nodes, events, acts, actsOf, deliveriesTo, messages, finish, isSequential,
    groupName, label, track, does, tell, holds, received, activity, inTransit, all,
  };
}
