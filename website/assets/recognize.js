// Recognizes known messages in a pasted text, with the patterns that logsense itself uses. Sends nothing anywhere.
"use strict";

/** Makes a recognizer from what recognizer.py wrote; it takes a text and gives hits, the best first. */
function makeRecognizer(known) {
  const MOST_CHARACTERS = 400000;
  const MOST_PREFIXES = 12;
  const ESCAPES = /\u001b(?:\[[0-?]*[ -\/]*[@-~]?|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -\/]*[0-OQ-WYZ\\`-~]?)/g;
  const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g;
  // Statements that hold a message as a literal, and what stands below a traceback's frame: nothing was printed there.
  const STATEMENT = new RegExp("^(?:" + known.source.statement + ")");
  const FRAME = new RegExp("^(?:" + known.source.frame + ")");
  // What says why a run failed goes before what tells its course.
  const COURSE = new Set(["end", "checkpoint", "start", "fact", "progress"]);
  // A message of which more than so many samples of others hold one too is put aside where a rarer one says the same.
  const COMMON = 15;
  // In characters: what being a failure is worth, and how much it costs to be common.
  const FAILURE = 10;
  const SPREAD = 30;
  const TRIES = 6;

  const sticky = (sources) => sources.map((source) => new RegExp(source, "my"));
  const anyPrefix = sticky(known.prefixes.any);
  const laterPrefix = sticky(known.prefixes.after);
  const marks = new RegExp("[" + Object.keys(known.pieces).join("") + "]", "g");
  const compiled = new Map();
  const messages = known.messages.map(([id, title, kind, folded, common, patterns, causes]) => ({
    id, title, kind: known.kinds[kind], common, causes,
    patterns: patterns.map(([regex, ignores, ...literals]) => {
      const fold = Boolean(folded || ignores);
      const flat = literals.map((one) => one.replace(/\s+/g, " "));
      return { regex, fold, literals: fold ? flat.map((one) => one.toLowerCase()) : flat };
    }),
  }));

  function compile(pattern) {
    const key = (pattern.fold ? "i" : "") + pattern.regex;
    let found = compiled.get(key);
    if (!found) {
      found = new RegExp(pattern.regex.replace(marks, (mark) => known.pieces[mark]), pattern.fold ? "gmi" : "gm");
      compiled.set(key, found);
    }
    return found;
  }

  function withoutPrefixes(line) {
    let at = 0;
    for (let taken = 0; taken < MOST_PREFIXES; taken += 1) {
      const end = prefixEnd(line, at);
      if (end <= at) break;
      at = end;
    }
    return line.slice(at);
  }

  function prefixEnd(line, at) {
    for (const rule of at ? anyPrefix.concat(laterPrefix) : anyPrefix) {
      rule.lastIndex = at;
      const found = rule.exec(line);
      if (found && found[0]) return at + found[0].length;
    }
    return at;
  }

  /** The lines of a text, as pasted and as they are searched, and how many stand before them: of a long text, the end. */
  function clean(pasted) {
    const cut = pasted.length > MOST_CHARACTERS ? pasted.indexOf("\n", pasted.length - MOST_CHARACTERS) + 1 : 0;
    const before = cut ? pasted.slice(0, cut).split("\n").length - 1 : 0;
    const text = pasted.slice(Math.max(cut, pasted.length - 2 * MOST_CHARACTERS));
    const plain = text.replace(/\r\n/g, "\n").replace(ESCAPES, "").replace(/\u00a0/g, " ");
    const raw = plain.split("\n").map((line) => line.slice(line.lastIndexOf("\r", line.length - 2) + 1).replace(INVISIBLE, ""));
    return { raw, before, lines: raw.map((line) => withoutPrefixes(line).trimEnd()) };
  }

  /** Where a message stands first that a program printed; else where a traceback shows it in its source. */
  function search(pattern, text, lines, starts) {
    const regex = compile(pattern);
    regex.lastIndex = 0;
    let quoted = null;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const found = regex.exec(text);
      if (!found) break;
      const number = lineOf(found.index, starts);
      const here = { number, at: found.index, length: found[0].length };
      const framed = number > 0 && FRAME.test(lines[number - 1]);
      if (!framed && !STATEMENT.test(lines[number])) return here;
      if (framed && !quoted) quoted = here;
      regex.lastIndex = found.index + 1;
    }
    return quoted;
  }

  /** A rare message with long words of its own tells more than one that stands in many texts. */
  function hit(message, best, lines, raw, starts) {
    const score = best.literal + (message.kind === "failure" ? FAILURE : 0) - SPREAD * Math.log(1 + message.common);
    const within = best.at - starts[best.number];
    const taken = Math.max(0, raw[best.number].indexOf(lines[best.number]));
    const length = Math.min(best.length, lines[best.number].length - within);
    const to = best.number + lines.slice(best.number).join("\n").slice(within, within + best.length).split("\n").length - 1;
    return {
      message, score, text: raw[best.number], column: taken + within, length, from: best.number, to,
      course: COURSE.has(message.kind),
    };
  }

  /** Failures first, then what followed from them or hints at them, then the course of the run. */
  function ordered(hits) {
    const meet = (one, other) => one.from <= other.to && one.to >= other.from;
    for (const one of hits) {
      const better = hits.some((other) => other.score > one.score && meet(one, other));
      one.minor = one.course || (one.message.common >= COMMON && better);
    }
    const failures = hits.filter((one) => one.message.kind === "failure" && !one.minor);
    for (const one of hits) {
      one.follows = one.message.kind !== "failure" && failures.some((other) => !meet(one, other));
    }
    return hits.sort((a, b) => a.course - b.course || a.minor - b.minor || a.follows - b.follows || b.score - a.score);
  }

  /** The place of the line that holds a character, in lines that start at `starts`. */
  function lineOf(index, starts) {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= index) low = middle; else high = middle - 1;
    }
    return low;
  }

  return function recognize(pasted) {
    const { raw, before, lines } = clean(pasted);
    const text = lines.join("\n");
    const flat = text.replace(/\s+/g, " ");
    const lower = flat.toLowerCase();
    const starts = [];
    let at = 0;
    for (const line of lines) { starts.push(at); at += line.length + 1; }
    const hits = [];
    for (const message of messages) {
      let best = null;
      for (const pattern of message.patterns) {
        const within = pattern.fold ? lower : flat;
        const literal = pattern.literals.find((one) => within.includes(one));
        if (literal === undefined) continue;
        const found = search(pattern, text, lines, starts);
        if (found && (!best || literal.length > best.literal)) best = { ...found, literal: literal.length };
      }
      if (best) hits.push({ ...hit(message, best, lines, raw, starts), line: before + best.number + 1 });
    }
    return ordered(hits);
  };
}

if (typeof module !== "undefined") module.exports = { makeRecognizer };
