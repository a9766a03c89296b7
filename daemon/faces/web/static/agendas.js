// Planned research: what is left out, reworded or never suggested is stored at once, as it may start by
// itself; what is sent is shown before it starts.
"use strict";
(() => {
  const change = (of, body) => post("agenda-change", { id: of.closest("[data-agenda]").dataset.agenda, task: of.closest("[data-task]").dataset.task, ...body });

  function ended({ agenda }) {
    if (agenda && agenda.status === "cancelled") location.reload();
  }

  document.addEventListener("change", async (event) => {
    const box = event.target.closest("[data-task] input[type=checkbox]");
    if (!box) return;
    const isSaved = await attempt(null, async () => {
      ended(await change(box, { choice: box.checked ? "wanted" : "vetoed" }));
      say(box.checked ? "It is researched." : "It is left out.");
    });
    if (!isSaved) box.checked = !box.checked;
  });

  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-reword]");
    if (!form) return;
    event.preventDefault();
    await attempt(event.submitter, async () => {
      const { agenda } = await change(form, { query: new FormData(form).get("query") });
      const { query } = agenda.tasks.find((each) => each.id === form.closest("[data-task]").dataset.task);
      form.elements.query.value = query;
      form.closest("[data-task]").querySelector("[data-query]").textContent = query;
      say("Saved. This is what is sent.");
    });
  });

  async function approve(button) {
    const tasks = [...button.closest("[data-agenda]").querySelectorAll("[data-task]")];
    const wanted = tasks.filter((task) => task.querySelector("input").checked);
    if (!wanted.length) {
      say("No question is ticked. Cancel the agenda instead.");
      return;
    }
    const lines = wanted.map((task) => `“${task.querySelector("[data-query]").textContent}” to ${task.dataset.sources}`);
    if (!(await confirmed("This is sent", lines, "Start now"))) return;
    if (await attempt(button, () => post("agenda-approve", { id: button.dataset.approve }))) location.assign("/");
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.approve) approve(button);
    if ("never" in button.dataset && button.closest("[data-task]")) {
      if (await attempt(button, () => change(button, { choice: "never" }))) location.reload();
    }
  });

  // Countdowns: what starts by itself says when.
  const untils = [...document.querySelectorAll("[data-until]")];
  function count() {
    for (const each of untils) {
      const seconds = Math.ceil((Date.parse(each.dataset.until) - Date.now()) / 1000);
      const minutes = Math.floor(seconds / 60);
      if (seconds <= 0) each.textContent = "now";
      else if (seconds < 600) each.textContent = `in ${minutes}:${String(seconds % 60).padStart(2, "0")} min`;
      else if (minutes < 100) each.textContent = `in ${minutes} min`;
      else if (minutes < 2880) each.textContent = `in ${Math.round(minutes / 60)} hours`;
    }
  }
  count();
  if (untils.length) setInterval(count, 1000);
})();
