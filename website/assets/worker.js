// The site's search runs in a web worker, which browsers refuse to a page that was opened as a file: there, a hidden
// frame does its work.
"use strict";

if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.inside.postMessage = (data) => setTimeout(() => this.onmessage && this.onmessage({ data }));
      const script = this.inside.document.createElement("script");
      script.src = address;
      script.onload = () => { const sent = this.waiting; this.waiting = null; sent.forEach((data) => this.postMessage(data)); };
      script.onerror = () => this.onerror && this.onerror();
      this.inside.document.body.append(script);
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.inside.onmessage({ data });
    }

    terminate() { this.frame.remove(); }
  };
}
