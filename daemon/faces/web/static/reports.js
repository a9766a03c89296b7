// Reports on a topic, and the player: speed and steps.
"use strict";
(() => {
  const form = document.getElementById("report");
  if (!form) return; // the page says why there is none
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const topic = new FormData(form).get("topic").trim();
    const button = form.querySelector("button");
    if (!topic || !(await mayBeSent(button, { topics: topic, is_report: true }, "Research"))) return;
    say("Researching and writing … You can leave this page.");
    const isDone = await attempt(button, () => post("report", { topics: [topic] }));
    if (isDone) location.reload();
  });

  const playerOf = (element) => element.closest("article").querySelector("audio");
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-skip]");
    if (button) playerOf(button).currentTime += Number(button.dataset.skip);
  });
  document.addEventListener("change", (event) => {
    if ("speed" in event.target.dataset) playerOf(event.target).playbackRate = Number(event.target.value);
  });
})();
