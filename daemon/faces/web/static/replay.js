// Replays a run, and lists for each note whether it came out the same.
"use strict";
(() => {
  const button = document.getElementById("replay");
  if (!button) return;
  const place = document.getElementById("replayed");
  button.addEventListener("click", () => attempt(button, async () => {
    say("Judging what was read again …");
    const { notes } = await post("replay", { run: button.dataset.run });
    place.replaceChildren(...notes.map(({ path, identical }) => row(`${path.split("/").pop()}: ${identical ? "the same, byte for byte" : "different"}`)));
    place.hidden = false;
    const same = notes.filter((each) => each.identical).length;
    say(same === notes.length ? `All ${same} notes came out the same.` : `${notes.length - same} of ${notes.length} notes differ.`);
  }));
})();
