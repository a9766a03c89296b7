// What every page has: commands, questions before them, the menu and live events. Nothing here builds
// HTML from text.
"use strict";
const token = document.querySelector('meta[name="lacuna-token"]').content;
const message = document.getElementById("message");
const say = (text) => { message.textContent = text; };

async function send(address, body) {
  const answer = await fetch(address, {
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

const post = (name, body) => send(`/api/v1/${name}`, body);

// Asks before something is done; `lines` say what that is. Resolves to whether it may be done.
function confirmed(title, lines = [], yes = "Yes") {
  const dialog = document.getElementById("ask");
  document.getElementById("ask-title").textContent = title;
  document.getElementById("ask-lines").replaceChildren(...lines.map(row));
  document.getElementById("ask-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
document.getElementById("ask-yes").addEventListener("click", () => document.getElementById("ask").close("yes"));
document.getElementById("ask-no").addEventListener("click", () => document.getElementById("ask").close(""));

function row(text) {
  const made = document.createElement("li");
  made.textContent = text;
  return made;
}

async function research(button, topics, depth) {
  say("Researching … You can leave this page; the run is kept.");
  await attempt(button, async () => {
    const run = await post("research", { topics, ...(depth ? { depth } : {}) });
    location.assign(`/runs/${encodeURIComponent(run.run)}`);
  });
}

// An agenda starts with the tasks that are ticked, after what is sent was shown.
async function approve(button) {
  const boxes = [...button.closest("[data-agenda]").querySelectorAll("input[type=checkbox]")];
  const wanted = boxes.filter((box) => box.checked);
  const blocked = boxes.filter((box) => !box.checked).map((box) => box.value);
  if (!wanted.length) {
    say("No question is ticked. Cancel the agenda instead.");
    return;
  }
  const lines = wanted.map((box) => `“${box.dataset.query}” to ${box.dataset.sources}`);
  if (!(await confirmed("This is sent", lines, "Start now"))) return;
  const body = { id: button.dataset.approve, ...(blocked.length ? { blocked } : {}) };
  if (await attempt(button, () => post("agenda-approve", body))) location.reload();
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id === "sign-out") {
    await attempt(button, () => fetch("/logout", { method: "POST", headers: { "x-lacuna-token": token } }));
    location.assign("/login");
    return;
  }
  const { research: topic, post: name, body, confirm: asked, approve: agenda, then } = button.dataset;
  if (agenda) approve(button);
  if (topic && (await confirmed("This is sent to the sources that are on", [topic], "Research"))) research(button, [topic]);
  if (name && (!asked || (await confirmed(asked)))) {
    say("Working …");
    if (await attempt(button, () => post(name, JSON.parse(body)))) {
      if (then) location.assign(then);
      else location.reload();
    }
  }
});

for (const filter of document.querySelectorAll("[data-filters]")) {
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const each of document.getElementById(filter.dataset.filters).children) each.hidden = !each.textContent.toLowerCase().includes(wanted);
  });
}

const menu = document.getElementById("menu");
if (menu) {
  menu.addEventListener("click", () => {
    const isOpen = menu.parentElement.toggleAttribute("data-open");
    menu.setAttribute("aria-expanded", String(isOpen));
  });
}

// Countdowns: what starts by itself says when.
const untils = [...document.querySelectorAll("[data-until]")];
function count() {
  for (const each of untils) {
    const minutes = Math.ceil((Date.parse(each.dataset.until) - Date.now()) / 60000);
    if (minutes <= 0) each.textContent = "now";
    else if (minutes < 100) each.textContent = `in ${minutes} min`;
    else if (minutes < 2880) each.textContent = `in ${Math.round(minutes / 60)} hours`;
  }
}
count();
if (untils.length) setInterval(count, 10000);

// What is being done, step by step, as it happens.
const live = document.getElementById("live");
if (live) {
  const steps = new Map();
  const events = new EventSource("/api/v1/events");
  const show = () => live.replaceChildren(...[...steps.values()].slice(-8).map((text) => {
    const line = document.createElement("p");
    line.textContent = text;
    return line;
  }));
  events.addEventListener("step_progress", (event) => {
    const step = JSON.parse(event.data);
    const many = step.done === null ? "" : ` ${step.done}${step.total === null ? "" : ` of ${step.total}`}`;
    steps.set(step.step, `${step.step}${many}: ${step.what}`);
    show();
  });
  events.addEventListener("step_complete", (event) => {
    steps.delete(JSON.parse(event.data).step);
    show();
  });
  events.addEventListener("ended", () => events.close());
}
