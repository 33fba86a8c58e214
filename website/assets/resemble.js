// Finds the messages whose words a text shares most, for what is not recognized: retyped, cut short, of another version.
"use strict";

/** Makes a search from what recognizer.py wrote; it takes a text and gives up to five messages, the nearest first. */
function makeResembler(known) {
  const MOST = 5;
  const MOST_LINES = 30;
  const FEW_LINES = 3;
  // Of a few words most must be the message's; in a whole line most of the message must stand.
  const FEW_WORDS = 8;
  const ASKED_SHARE = 0.6;
  const LEAST_SHARED = 4;
  const NEAR = { few: 0.45, line: 0.55, text: 0.65 };
  const WORD = /[a-z][a-z0-9]{2,}/g;
  const ALARM = /error|fail|exception|fatal|abort|cannot|can't|could not|unable|killed|timed? ?out|not found|invalid|mismatch/i;
  const TOLD = new Set(["failure", "consequence", "hint"]);
  const EMPTY = new Set(["the", "and", "for", "with", "was", "not", "error", "runtimeerror", "valueerror", "line", "file"]);
  let index = null;

  function words(text) {
    const found = text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().match(WORD) || [];
    return new Set(found.filter((word) => !EMPTY.has(word)));
  }

  /** The fixed words of a regex, as far as they can be told. */
  function fixed(regex) {
    return words(regex.replace(/\\[bBdDwWsSAZkxu]/g, " ").replace(/\(\?[:=!<]*(?:_\d+>)?/g, " ").replace(/\\(.)/g, "$1"));
  }

  function build() {
    const spellings = [];
    const spread = new Map();
    for (const [id, title, kind, , , patterns, causes] of known.messages) {
      if (!TOLD.has(known.kinds[kind])) continue;
      const seen = new Set();
      for (const [regex] of patterns) {
        const own = fixed(regex);
        if (!own.size) continue;
        spellings.push({ message: { id, title, kind: known.kinds[kind], causes }, own });
        own.forEach((word) => seen.add(word));
      }
      seen.forEach((word) => spread.set(word, (spread.get(word) || 0) + 1));
    }
    const holders = new Map();
    const weight = (word) => Math.log(1 + known.messages.length / (spread.get(word) || 0.5));
    for (const spelling of spellings) {
      spelling.total = [...spelling.own].reduce((sum, word) => sum + weight(word), 0);
      for (const word of spelling.own) {
        if (!holders.has(word)) holders.set(word, []);
        holders.get(word).push(spelling);
      }
    }
    return { holders, weight };
  }

  /** How near each message comes to a line: 1 where both have the same words, 0 where they share none. */
  function compare(line, inText, nearest) {
    const asked = words(line);
    const { holders, weight } = index;
    let total = 0;
    const shared = new Map();
    for (const word of asked) {
      total += weight(word);
      for (const spelling of holders.get(word) || []) {
        const known = shared.get(spelling) || { sum: 0, count: 0 };
        shared.set(spelling, { sum: known.sum + weight(word), count: known.count + 1 });
      }
    }
    const few = asked.size <= FEW_WORDS;
    for (const [spelling, { sum, count }] of shared) {
      const near = (2 * sum) / (total + spelling.total);
      const enough = few ? sum >= ASKED_SHARE * total && count >= Math.min(2, asked.size) : count >= LEAST_SHARED;
      if (!enough || near < (inText ? NEAR.text : few ? NEAR.few : NEAR.line)) continue;
      const before = nearest.get(spelling.message.id);
      if (!before || before.near < near) nearest.set(spelling.message.id, { message: spelling.message, near });
    }
  }

  return function resembling(text) {
    index = index || build();
    const lines = text.split("\n").filter((line) => line.trim());
    const asked = lines.length <= FEW_LINES ? lines : lines.filter((line) => ALARM.test(line)).slice(-MOST_LINES);
    const nearest = new Map();
    asked.forEach((line) => compare(line.slice(0, 1000), lines.length > 1, nearest));
    return [...nearest.values()].sort((a, b) => b.near - a.near).slice(0, MOST);
  };
}

if (typeof module !== "undefined") module.exports = { makeResembler };
