// Research: at once, or in two steps with a choice of what is read.
"use strict";
(() => {
  const form = document.getElementById("research");
  if (!form) return; // the page says why there is none
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
    const requests = offer.requests ? `${offer.requests} request${offer.requests === 1 ? "" : "s"} to read` : "on this machine";
    about.textContent = [offer.authors.slice(0, 3).join(", "), offer.published, offer.sources.join(" and "), `credibility ${offer.credibility.toFixed(2)}`, `${requests}${known}`].filter(Boolean).join(" · ");
    const text = document.createElement("p");
    text.className = "short";
    text.textContent = offer.text.replace(/(^|\s)#+\s/g, "$1");
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
    await post("read_chosen", { run, chosen });
    location.assign(`/runs/${encodeURIComponent(run)}`);
  }

  document.getElementById("read").addEventListener("click", (event) => {
    const chosen = [...offers.querySelectorAll("input:checked")].map((box) => box.value);
    if (chosen.length) attempt(event.target, () => read(chosen));
    else say("Choose at least one document.");
  });

  function wanted() {
    const given = new FormData(form);
    const topics = given.get("topics").split("\n").map((line) => line.trim()).filter(Boolean);
    return { topics, depth: given.get("depth"), sources: given.getAll("sources") };
  }

  // What it may take, before it begins.
  function estimate() {
    const { topics, sources } = wanted();
    const many = Math.max(1, topics.length);
    const boxes = [...form.querySelectorAll("[name=sources]:checked")];
    const documents = many * Number(form.querySelector("[name=depth]:checked").dataset.documents);
    const outside = boxes.filter((box) => !box.dataset.own);
    const money = many * outside.reduce((sum, box) => sum + Number(box.dataset.cost), 0);
    const counted = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;
    const asks = outside.length
      ? `${counted(many * outside.length, "query").replace("querys", "queries")} leave${many * outside.length === 1 ? "s" : ""} this machine` : "Nothing leaves this machine";
    document.getElementById("cost").textContent = sources.length
      ? `${asks}, and up to ${counted(documents, "document")} ${documents === 1 ? "is" : "are"} read${money ? `, for up to $${money.toFixed(3)} of source fees` : ""}.`
      : "Choose at least one source.";
  }

  // Everything is asked by default; a choice is passed on.
  function request() {
    const { topics, depth, sources } = wanted();
    const isAll = sources.length === form.querySelectorAll("[name=sources]").length;
    return { topics, depth, ...(isAll ? {} : { sources }) };
  }

  async function begin(button) {
    const { topics, depth, sources } = wanted();
    if (!topics.length || !sources.length) {
      say(topics.length ? "Choose at least one source." : "Write a topic first.");
      return;
    }
    const lines = topics.map((topic) => `“${topic}” to ${sources.join(", ")}`);
    const isOwn = !form.querySelector("[name=sources]:checked:not([data-own='1'])");
    const title = isOwn ? "This is looked up on this machine" : "This is sent";
    if (!(await confirmed(title, [...lines, document.getElementById("cost").textContent, `Depth: ${depth}.`], "Research"))) return;
    if (new FormData(form).get("choose")) {
      say("Asking the sources …");
      attempt(button, () => discover(request()));
    } else research(button, request());
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    begin(form.querySelector("button"));
  });
  form.addEventListener("input", estimate);
  estimate();
})();
