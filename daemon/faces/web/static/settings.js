// Settings: saved one by one; the server checks each value.
"use strict";
(() => {
  async function save(name, value, button) {
    const saved = await attempt(button, () => send("/api/v1/settings", { key: name, value }));
    if (saved) {
      sessionStorage.setItem("saved", name);
      location.reload();
    }
  }

  document.addEventListener("submit", (event) => {
    const name = event.target.dataset.setting;
    if (!name) return;
    event.preventDefault();
    save(name, new FormData(event.target).get("value"), event.submitter);
  });
  document.addEventListener("click", (event) => {
    const name = event.target.dataset.default;
    if (name) save(name, null, event.target);
  });
  const filter = document.getElementById("filter");
  if (!filter) return; // the page says why there is none
  const sections = [...document.querySelectorAll("details.section")];
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const section of sections) {
      const settings = [...section.querySelectorAll("article")];
      for (const each of settings) each.hidden = !each.textContent.toLowerCase().includes(wanted);
      section.hidden = settings.every((each) => each.hidden);
      section.open = wanted !== "" && !section.hidden;
    }
  });

  const saved = sessionStorage.getItem("saved");
  if (saved) {
    sessionStorage.removeItem("saved");
    say(`Saved ${saved}.`);
    const place = document.getElementById(saved);
    if (place) {
      place.closest("details").open = true;
      place.scrollIntoView();
    }
  }
})();
