// Decisions, keys and live events. Nothing here builds HTML from text.
"use strict";
const token = document.querySelector('meta[name="lacuna-token"]').content;
const message = document.getElementById("message");

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

async function decide(id, status, never) {
  message.textContent = "Saving …";
  try {
    await post("review", { ids: [id], status, never });
    message.textContent = status === "accepted" ? "Accepted." : "Dismissed.";
    return true;
  } catch (error) {
    message.textContent = error.message;
    return false;
  }
}

const finding = document.getElementById("finding");
const list = document.getElementById("findings");

async function decideShown(status, never = false) {
  if (finding && (await decide(finding.dataset.id, status, never))) {
    location.assign(finding.dataset.next || "/inbox");
  }
  const row = list && list.contains(document.activeElement) && document.activeElement.closest("li");
  if (row && (await decide(row.dataset.id, status, never))) {
    const next = row.nextElementSibling || row.previousElementSibling;
    row.remove();
    if (next) next.focus();
  }
}

function move(step) {
  if (!list) return;
  const rows = [...list.children];
  const at = rows.indexOf(document.activeElement.closest("li"));
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  if (next) next.focus();
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.decide) decideShown(button.dataset.decide, "never" in button.dataset);
  if (button.dataset.post) {
    try {
      await post(button.dataset.post, JSON.parse(button.dataset.body));
      location.reload();
    } catch (error) {
      message.textContent = error.message;
    }
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, textarea, select")) return;
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "Enter" && event.target.matches("li")) event.target.querySelector("a").click();
  else if (event.key === "a") decideShown("accepted");
  else if (event.key === "d") decideShown("dismissed");
  else if (event.key === "n") decideShown("dismissed", true);
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
