// Research: at once, or in two steps with a choice of what is read.
"use strict";
(() => {
  const form = document.getElementById("research");
  const choice = document.getElementById("choice");
  const offers = document.getElementById("offers");
  let run = "";

  function offered(offer) {
    const entry = document.createElement("li");
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.value = offer.id;
    box.checked = !offer.known && !offer.note;
    const title = document.createElement("strong");
    title.textContent = offer.title || offer.url;
    const about = document.createElement("p");
    about.className = "quiet";
    const known = offer.note ? ", cited by a note of yours" : offer.known ? ", offered before" : "";
    const requests = offer.requests === 1 ? "1 request" : `${offer.requests} requests`;
    about.textContent = [offer.authors.slice(0, 3).join(", "), offer.published, offer.sources.join(" and "), `credibility ${offer.credibility}`, `${requests} to read${known}`].filter(Boolean).join(" · ");
    const text = document.createElement("p");
    text.textContent = offer.text;
    label.append(box, title);
    entry.append(label, about, text);
    return entry;
  }

  async function discover(body) {
    const found = await post("discover", body);
    run = found.run;
    if (found.skips_choice) return read(null);
    choice.hidden = false;
    offers.replaceChildren(...found.offers.map(offered));
    document.getElementById("choice-about").textContent = found.offers.length
      ? `${found.offers.length} documents, each once, the best first. Nothing was read yet.` : "The sources offer nothing on this.";
    document.getElementById("found-documents").focus();
    say("");
  }

  async function read(chosen) {
    say("Reading … You can leave this page; the run is kept.");
    await post("read", { run, chosen });
    location.assign(`/runs/${encodeURIComponent(run)}`);
  }

  document.getElementById("read").addEventListener("click", (event) => {
    const chosen = [...offers.querySelectorAll("input:checked")].map((box) => box.value);
    if (chosen.length) attempt(event.target, () => read(chosen));
    else say("Choose at least one document.");
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(form);
    const topics = given.get("topics").split("\n").map((line) => line.trim()).filter(Boolean);
    const [button, depth] = [form.querySelector("button"), given.get("depth")];
    if (!topics.length) return;
    if (!given.get("choose")) {
      research(button, topics, depth);
      return;
    }
    say("Asking the sources …");
    attempt(button, () => discover({ topics, depth }));
  });
})();
