// Questions: steps and pieces of the answer as they come, then the page of the thread; citations on hover.
"use strict";
(() => {
  const form = document.getElementById("ask-form");
  if (!form) return; // the page says why there is none
  const place = document.getElementById("answering");
  const steps = document.getElementById("answer-steps");
  const text = document.getElementById("answer-text");
  const NAME = 60; // characters of a thread that is named by its question
  const MODES = { direct: "Looking it up", oracle: "Weighing three perspectives", playbook: "Reading what a person says", jackal: "Comparing notes with sources" };
  let asked = "";
  let source = null;

  // A thread gets the name of its first question, and a number if there is one of this name.
  function named(question) {
    const name = question.length > NAME ? `${question.slice(0, NAME - 1)}…` : question;
    const known = new Set([...document.querySelectorAll("#threads + ul a")].map((link) => link.textContent));
    if (!known.has(name)) return name;
    for (let number = 2; ; number += 1) if (!known.has(`${name} (${number})`)) return `${name} (${number})`;
  }

  function step(line) {
    const made = row(line);
    steps.append(made);
    if (steps.children.length > 6) steps.firstElementChild.remove();
  }

  const end = () => {
    if (source) source.close();
    source = null;
    form.querySelector("button").disabled = false;
  };

  function follow(address, thread, question) {
    source = new EventSource(address);
    const on = (type, work) => source.addEventListener(type, (event) => work(JSON.parse(event.data)));
    on("route", ({ mode, reason }) => step(reason ? `${MODES[mode] || mode}: ${reason}` : MODES[mode] || mode));
    on("handoff", ({ taker, why }) => step(`${MODES[taker] || taker}${why ? `: ${why}` : ""}`));
    on("step_start", (event) => step(event.what || event.step));
    on("stream_token", (event) => { text.textContent += event.text; });
    on("done", () => {
      end();
      location.assign(`/ask?thread=${encodeURIComponent(thread)}`);
    });
    source.addEventListener("error", (event) => {
      if (event.data) {
        end();
        place.hidden = true;
        say(JSON.parse(event.data).message);
      } else if (source && source.readyState === EventSource.CLOSED) {
        end();
        location.assign(`/ask?question=${encodeURIComponent(question)}`);
      }
    });
  }

  async function ask(question, options = {}) {
    if (source || !question) return;
    const thread = form.dataset.thread || named(question);
    document.getElementById("answering-title").textContent = question;
    steps.replaceChildren();
    text.textContent = "";
    place.hidden = false;
    await attempt(form.querySelector("button"), async () => {
      const begun = await post("asked", { question, thread, ...options });
      asked = begun.id;
      form.querySelector("button").disabled = true;
      follow(begun.events, thread, question);
    });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(document.getElementById("question").value.trim());
  });
  document.getElementById("answer-stop").addEventListener("click", () => {
    fetch(`/api/v1/ask/${asked}`, { method: "DELETE", headers: { "x-lacuna-token": token } });
    end();
    place.hidden = true;
    say("Cancelled.");
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-deeper]");
    if (!button) return;
    const { question } = button.parentElement.dataset;
    ask(question, button.dataset.deeper === "thorough" ? { thorough: true } : { mode: "oracle" });
    place.scrollIntoView({ block: "nearest" });
  });

  // What a number stands for is shown while it is pointed at or has the focus.
  const shown = document.createElement("div");
  shown.className = "preview";
  shown.id = "preview";
  shown.setAttribute("role", "tooltip");
  shown.hidden = true;
  document.body.append(shown);

  function preview(link) {
    const cited = document.querySelector(link.getAttribute("href"));
    if (!cited) return;
    stay();
    shown.replaceChildren(...[...cited.children].map((each) => each.cloneNode(true)));
    shown.hidden = false;
    link.setAttribute("aria-describedby", "preview");
    const { bottom, left, top } = link.getBoundingClientRect();
    shown.style.left = `${Math.max(8, Math.min(left, innerWidth - shown.offsetWidth - 8))}px`;
    const below = bottom + 6 + shown.offsetHeight < innerHeight;
    shown.style.top = `${below ? bottom + 6 : Math.max(8, top - shown.offsetHeight - 6)}px`;
  }
  // It stays while it is pointed at itself.
  let leaving = 0;
  const hide = () => { leaving = setTimeout(() => { shown.hidden = true; }, 200); };
  const stay = () => clearTimeout(leaving);
  shown.addEventListener("mouseenter", stay);
  shown.addEventListener("mouseleave", hide);
  for (const [type, work] of [["mouseover", preview], ["focusin", preview], ["mouseout", hide], ["focusout", hide]]) {
    document.addEventListener(type, (event) => {
      const link = event.target.closest && event.target.closest("a.cite");
      if (link) work(link);
    });
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") shown.hidden = true; });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.cite");
    const cited = link && document.querySelector(link.getAttribute("href"));
    if (cited) cited.closest("details").open = true;
  });
})();
