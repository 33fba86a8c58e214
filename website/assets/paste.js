// Shows what is recognized in the pasted text. Text of the paste reaches the page through textContent only.
"use strict";

(function () {
  const form = document.getElementById("recognize");
  if (!form || typeof logsenseKnowledge === "undefined") return;
  const area = document.getElementById("rec-text");
  const status = document.getElementById("rec-status");
  const found = document.getElementById("rec-found");
  const recognize = makeRecognizer(logsenseKnowledge);
  const resembling = makeResembler(logsenseKnowledge);
  const MOST = 12;
  const CAUSES = 3;
  const PAUSE_MS = 200;
  const WORDS = {
    failure: "failure", consequence: "consequence of another failure", hint: "hint", fact: "fact", noise: "harmless",
    progress: "progress", checkpoint: "checkpoint", start: "start of a run", end: "end of a run",
  };
  const EXAMPLE = [
    "[rank1]: Traceback (most recent call last):",
    '[rank1]:   File "train.py", line 88, in <module>',
    "[rank1]:     loss.backward()",
    "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 79.15 GiB of which 1.20 GiB is free.",
    "[rank0]:[E1121 10:31:02 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=412, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600017 milliseconds before timing out.",
  ].join("\n");

  function made(tag, name, text) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function link(path, text) {
    const element = made("a", "", text);
    element.href = path;
    return element;
  }

  /** A message's part of its program's page. */
  function place(message) {
    return "messages/" + message.id.split(".")[0] + ".html#" + message.id;
  }

  /** The line of a hit, with what matched in it marked. */
  function proof(hit) {
    const line = hit.text;
    const before = Math.max(0, hit.column - 60);
    const quote = made("pre", "rec__line");
    const code = made("code");
    code.append(before ? "…" : "", line.slice(before, hit.column));
    code.append(made("mark", "", line.slice(hit.column, hit.column + hit.length)));
    code.append(line.slice(hit.column + hit.length, hit.column + hit.length + 300));
    quote.append(made("span", "rec__number", String(hit.line)), code);
    return quote;
  }

  function causes(hit) {
    const box = made("div", "rec__causes");
    const listed = hit.message.causes.map((number) => logsenseKnowledge.causes[number]);
    if (!listed.length) return box;
    box.append(made("p", "rec__may", "It may mean:"));
    const list = made("ul");
    const item = ([id, says]) => {
      const row = made("li");
      row.append(link("causes/" + id + ".html", says));
      return row;
    };
    list.append(...listed.slice(0, CAUSES).map(item));
    box.append(list);
    if (listed.length > CAUSES) {
      const more = made("details");
      const rest = made("ul");
      rest.append(...listed.slice(CAUSES).map(item));
      more.append(made("summary", "", listed.length - CAUSES + " more"), rest);
      box.append(more);
    }
    return box;
  }

  function card(hit) {
    const box = made("section", "rec__card");
    const head = made("h3", "rec__title");
    head.append(link(place(hit.message), hit.message.title));
    head.append(made("span", "rec__kind rec__kind--" + hit.message.kind, WORDS[hit.message.kind]));
    box.append(head, proof(hit), causes(hit));
    return box;
  }

  function others(hits) {
    const box = made("details", "rec__others");
    const list = made("ul");
    for (const hit of hits) {
      const row = made("li");
      row.append(link(place(hit.message), hit.message.title));
      row.append(" (" + WORDS[hit.message.kind] + ", line " + hit.line + ")");
      list.append(row);
    }
    box.append(made("summary", "", "Also seen: " + hits.length), list);
    return box;
  }

  /** What a text comes near to that holds no message as it is printed. */
  function near(found) {
    const box = made("section", "rec__card");
    if (!found.length) {
      box.append(made("p", "", "No known message. Paste more of it, as it was printed: the whole traceback, the lines before the end."));
      return box;
    }
    box.append(made("p", "", "No message is in it as programs print it. These share most of its words:"));
    for (const { message } of found) {
      const head = made("h3", "rec__title");
      head.append(link(place(message), message.title));
      head.append(made("span", "rec__kind rec__kind--" + message.kind, WORDS[message.kind]));
      box.append(head, causes({ message }));
    }
    return box;
  }

  function show() {
    found.replaceChildren();
    const text = area.value;
    if (!text.trim()) { status.textContent = ""; return; }
    const hits = recognize(text);
    const main = hits.filter((hit) => !hit.minor).slice(0, MOST);
    const rest = hits.filter((hit) => !main.includes(hit));
    status.textContent = hits.length ? hits.length + (hits.length === 1 ? " message" : " messages") + " recognized" : "";
    for (const hit of main) found.append(card(hit));
    if (rest.length) found.append(others(rest));
    if (!main.length) found.append(near(resembling(text)));
  }

  let waiting = 0;
  area.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(show, PAUSE_MS); });
  document.getElementById("rec-example").addEventListener("click", () => { area.value = EXAMPLE; show(); });
  document.getElementById("rec-clear").addEventListener("click", () => { area.value = ""; show(); area.focus(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
})();
