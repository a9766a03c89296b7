// The citation graph of a run: works by year, lines for citations. The list below it says the same.
"use strict";
(async () => {
  const place = document.getElementById("citations");
  if (!place) return;
  const SHOWN = 120;
  const [ROW, LEFT, TOP] = [26, 30, 24];
  const draw = (name, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const answer = await fetch(`/api/v1/citations?run=${encodeURIComponent(place.dataset.run)}`);
  if (!answer.ok) return;
  const { works: all, citations } = await answer.json();
  const works = all.slice(0, SHOWN);
  const years = [...new Set(works.map((work) => (work.published || "").slice(0, 4)))].sort();
  const width = Math.max(place.clientWidth - 2, years.length * 64);
  const step = (width - 2 * LEFT) / Math.max(1, years.length - 1);
  const used = new Map();
  const places = new Map();
  for (const work of works) {
    const at = years.indexOf((work.published || "").slice(0, 4));
    const row = used.get(at) || 0;
    used.set(at, row + 1);
    places.set(work.key, [years.length === 1 ? width / 2 : LEFT + at * step, TOP + 14 + row * ROW]);
  }
  const height = TOP + 20 + Math.max(...used.values()) * ROW;
  const most = Math.max(...works.map((work) => work.pagerank || 0)) || 1;
  const lines = citations.filter(({ citing, cited }) => places.has(citing) && places.has(cited)).map(({ citing, cited }) => {
    const [[x1, y1], [x2, y2]] = [places.get(citing), places.get(cited)];
    return draw("path", { d: `M${x1},${y1} C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2},${y2}`, class: "line" });
  });
  const circles = works.map((work) => {
    const [cx, cy] = places.get(work.key);
    const title = `${work.title || work.key}${work.published ? `, ${work.published}` : ""}`;
    const circle = draw("circle", { cx, cy, r: 4 + 7 * Math.sqrt((work.pagerank || 0) / most), class: work.retracted ? "retracted" : work.document ? "read" : "" }, draw("title", {}, title));
    if (!/^https?:/.test(work.url || "")) return circle;
    return draw("a", { href: work.url, rel: "noopener noreferrer nofollow", "aria-label": title }, circle);
  });
  const labels = years.map((year, at) => draw("text", { x: years.length === 1 ? width / 2 : LEFT + at * step, y: 14, "text-anchor": "middle" }, year || "?"));
  place.append(draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Works by year" }, ...labels, ...lines, ...circles));
})();
