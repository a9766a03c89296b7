// The inbox and a finding: decisions by keys and buttons, undo, filters.
"use strict";
(() => {
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
      offerUndo();
      const waiting = document.getElementById("waiting");
      if (waiting) waiting.textContent = Math.max(0, Number(waiting.textContent) - ids.length);
      const many = ids.length === 1 ? "" : `: ${ids.length} findings`;
      say(`${SAVED[status]}${many}.${undoable.length ? " Press u to undo." : ""}`);
    }
    return saved;
  }

  function offerUndo() {
    const button = document.getElementById("undo");
    if (button) button.hidden = !undoable.length;
  }

  async function undo() {
    if (!undoable.length) say("There is nothing to undo.");
    else if (await decide(undoable, "pending")) location.reload();
  }

  const shown = () => (list ? [...list.children].filter((row) => !row.hidden) : []);

  async function decideRow(row, status, never = false) {
    const rows = shown();
    const at = rows.indexOf(row);
    const next = rows[at + 1] || rows[at - 1];
    if (!(await decide([row.dataset.id], status, never))) return;
    row.remove();
    if (next) next.focus();
  }

  async function decideHere(status, never = false) {
    if (finding) {
      if (await decide([finding.dataset.id], status, never)) {
        location.assign(finding.dataset.next || "/inbox");
      }
      return;
    }
    const row = list && list.contains(document.activeElement) && document.activeElement.closest("li");
    if (row) decideRow(row, status, never);
  }

  async function decideAll(status) {
    const rows = shown();
    const titles = rows.slice(0, 10).map((each) => each.querySelector("a").textContent);
    if (rows.length > 10) titles.push(`and ${rows.length - 10} more`);
    const verb = status === "accepted" ? "Accept" : "Dismiss";
    if (!rows.length || !(await confirmed(`${verb} ${rows.length} findings?`, titles, verb))) return;
    if (await decide(rows.map((row) => row.dataset.id), status)) rows.forEach((row) => row.remove());
  }

  function move(step) {
    const rows = shown();
    const at = rows.indexOf(document.activeElement.closest("li"));
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
    if (next) next.focus();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { decide: status, all } = button.dataset;
    const row = button.closest("#findings li");
    if (status && row) decideRow(row, status);
    else if (status) decideHere(status, "never" in button.dataset);
    if (all) decideAll(all);
    if (button.id === "undo") undo();
  });

  const [words, host] = ["filter", "host"].map((id) => document.getElementById(id));
  function filter() {
    const wanted = words.value.trim().toLowerCase();
    const from = host ? host.value : "";
    for (const row of list.children) row.hidden = !row.querySelector(".entry").textContent.toLowerCase().includes(wanted) || (from !== "" && row.dataset.host !== from);
  }
  if (words) words.addEventListener("input", filter);
  if (host) host.addEventListener("change", filter);
  offerUndo();

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.matches("input, textarea, select")) return;
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "Enter" && event.target.matches("li")) event.target.querySelector("a").click();
    else if (event.key === "a") decideHere("accepted");
    else if (event.key === "d") decideHere("dismissed");
    else if (event.key === "n") decideHere("dismissed", true);
    else if (event.key === "u") undo();
  });
})();
