// Decisions, keys and live events. Nothing here builds HTML from text.
"use strict";
const token = document.querySelector('meta[name="lacuna-token"]').content;
const message = document.getElementById("message");
const say = (text) => { message.textContent = text; };

async function post(name, body) {
  const answer = await fetch(`/api/v1/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-lacuna-token": token },
    body: JSON.stringify(body),
  });
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw new Error(problem.detail || `The server answered with status ${answer.status}.`);
  }
  return answer.json();
}

// Runs work with its button disabled; returns whether it succeeded, and says why if not.
async function attempt(button, work) {
  if (button) button.disabled = true;
  try {
    await work();
    return true;
  } catch (error) {
    say(error.message);
    return false;
  } finally {
    if (button) button.disabled = false;
  }
}

const finding = document.getElementById("finding");
const list = document.getElementById("findings");
const SAVED = { accepted: "Accepted", dismissed: "Dismissed", pending: "Back in the inbox" };
let undoable = JSON.parse(sessionStorage.getItem("undoable") || "[]");

async function decide(ids, status, never = false) {
  say("Saving …");
  const saved = await attempt(null, () => post("review", { ids, status, never }));
  if (saved) {
    undoable = status === "pending" ? [] : ids;
    sessionStorage.setItem("undoable", JSON.stringify(undoable));
    const many = ids.length === 1 ? "" : `: ${ids.length} findings`;
    say(`${SAVED[status]}${many}.${undoable.length ? " Press u to undo." : ""}`);
  }
  return saved;
}

async function undo() {
  if (!undoable.length) say("There is nothing to undo.");
  else if (await decide(undoable, "pending")) location.reload();
}

const shown = () => (list ? [...list.children].filter((row) => !row.hidden) : []);

async function decideHere(status, never = false) {
  if (finding) {
    if (await decide([finding.dataset.id], status, never)) {
      location.assign(finding.dataset.next || "/inbox");
    }
    return;
  }
  const row = list && list.contains(document.activeElement) && document.activeElement.closest("li");
  if (row && (await decide([row.dataset.id], status, never))) {
    const next = row.nextElementSibling || row.previousElementSibling;
    row.remove();
    if (next) next.focus();
  }
}

async function decideAll(status) {
  const rows = shown();
  if (!rows.length || !confirm(`Decide ${rows.length} findings?`)) return;
  if (await decide(rows.map((row) => row.dataset.id), status)) rows.forEach((row) => row.remove());
}

function move(step) {
  const rows = shown();
  const at = rows.indexOf(document.activeElement.closest("li"));
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  if (next) next.focus();
}

async function research(button, topic, depth) {
  say("Researching … You can leave this page; the run is kept.");
  await attempt(button, async () => {
    const run = await post("research", { topics: [topic], ...(depth ? { depth } : {}) });
    location.assign(`/runs/${encodeURIComponent(run.run)}`);
  });
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id === "sign-out") {
    await attempt(button, () => fetch("/logout", { method: "POST", headers: { "x-lacuna-token": token } }));
    location.assign("/login");
    return;
  }
  const { decide: status, all, research: topic, post: name, body, confirm: asked } = button.dataset;
  if (status) decideHere(status, "never" in button.dataset);
  if (all) decideAll(all);
  if (topic && confirm(`Send “${topic}” to the sources that are on?`)) research(button, topic);
  if (name && (!asked || confirm(asked))) {
    say("Working …");
    if (await attempt(button, () => post(name, JSON.parse(body)))) location.reload();
  }
});

const form = document.getElementById("research");
if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(form);
    research(form.querySelector("button"), given.get("topic").trim(), given.get("depth"));
  });
}

const filter = document.getElementById("filter");
if (filter) {
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of list.children) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, textarea, select")) return;
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "Enter" && event.target.matches("li")) event.target.querySelector("a").click();
  else if (event.key === "a") decideHere("accepted");
  else if (event.key === "d") decideHere("dismissed");
  else if (event.key === "n") decideHere("dismissed", true);
  else if (event.key === "u") undo();
});

const live = document.getElementById("live");
if (live) {
  const events = new EventSource("/api/v1/events");
  events.addEventListener("step_progress", (event) => {
    const step = JSON.parse(event.data);
    const count = step.done === null ? "" : ` ${step.done}${step.total === null ? "" : `/${step.total}`}`;
    live.textContent = `${step.step}${count}: ${step.what}`;
  });
  events.addEventListener("step_complete", () => { live.textContent = ""; });
  events.addEventListener("ended", () => events.close());
}

const menu = document.getElementById("menu");
if (menu) {
  menu.addEventListener("click", () => {
    const isOpen = menu.parentElement.toggleAttribute("data-open");
    menu.setAttribute("aria-expanded", String(isOpen));
  });
}
