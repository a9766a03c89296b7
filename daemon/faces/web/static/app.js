// What every page has: commands, questions before them, filters and the menu. Nothing here builds HTML
// from text.
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

async function research(button, request) {
  say("Researching … You can leave this page; the run is kept.");
  await attempt(button, async () => {
    const run = await post("research", request);
    location.assign(`/runs/${encodeURIComponent(run.run)}`);
  });
}

// Shows each query and its sources before anything is sent; resolves to whether it may be sent.
async function mayBeSent(button, asked, yes) {
  let plan;
  say("Looking up what is sent …");
  const isKnown = await attempt(button, async () => {
    const answer = await fetch(`/api/v1/research-plan?${new URLSearchParams(asked)}`);
    plan = await answer.json();
    if (!answer.ok) throw new Error(plan.detail);
  });
  if (!isKnown) return false;
  say("");
  const { queries, may_reword: mayReword } = plan;
  if (!queries.length) {
    say("There is nothing to research.");
    return false;
  }
  const lines = queries.map(({ query, sources }) => `“${query}” to ${sources.join(", ") || "no source: none is on"}`);
  if (mayReword) lines.push("Your language model may word them differently; Costs and privacy lists what was sent.");
  const isOwn = queries.every(({ sources }) => sources.every((each) => each === "library"));
  return confirmed(isOwn ? "This is looked up on this machine" : "This is sent", lines, yes);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id === "sign-out") {
    await attempt(button, () => fetch("/logout", { method: "POST", headers: { "x-lacuna-token": token } }));
    location.assign("/login");
    return;
  }
  const { open: note, research: topic, schedule, post: name, body, confirm: asked, then } = button.dataset;
  if (note && (await attempt(button, () => send("/open-note", { path: note })))) say(`Opened ${note}`);
  if (topic && (await mayBeSent(button, { topics: topic }, "Research"))) research(button, { topics: [topic] });
  if (schedule && !(await mayBeSent(button, { schedule }, "Run now"))) return;
  if (name && (!asked || (await confirmed(asked)))) {
    say("Working …");
    let done;
    if (await attempt(button, async () => { done = await post(name, JSON.parse(body)); })) {
      if ("saved" in button.dataset) say(`Saved in your vault: ${done.path}`);
      else if ("stays" in button.dataset) say("It ends in a moment.");
      else if (then) location.assign(then);
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
