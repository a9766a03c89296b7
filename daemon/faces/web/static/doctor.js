// The checks of `lacuna doctor`, which take longer than a page may.
"use strict";
(async () => {
  const about = document.getElementById("checked");
  const places = { fail: "attention", warn: "attention", off: "off", ok: "passed" };

  function part(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function entry({ name, what, hint, verdict }) {
    const row = document.createElement("li");
    const text = part("p", what);
    row.append(part("strong", name), text);
    if (hint && verdict !== "ok") {
      const todo = part("p", "To do: ");
      todo.className = "quiet";
      todo.append(part("code", hint));
      row.append(todo);
    }
    return row;
  }

  const answer = await fetch("/api/v1/doctor");
  const found = await answer.json();
  if (!answer.ok) {
    about.textContent = found.detail;
    return;
  }
  for (const check of found) {
    const section = document.getElementById(places[check.verdict]).parentElement;
    section.hidden = false;
    section.querySelector("ul").append(entry(check));
  }
  const wrong = found.filter(({ verdict }) => places[verdict] === "attention").length;
  about.textContent = wrong ? `${wrong} of ${found.length} checks ${wrong === 1 ? "needs" : "need"} your attention.` : "Everything works.";
})();
