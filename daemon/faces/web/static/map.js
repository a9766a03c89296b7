// The map: sigma draws it by WebGL where the server placed the notes; lists say the same in words.
"use strict";
(() => {
  const LISTED = 30;
  const DARK = matchMedia("(prefers-color-scheme: dark)").matches;
  const COLOURS = DARK
    ? ["#6aa5e8", "#e8a35a", "#6fc18b", "#b49be8", "#5fc4c4", "#d2b54b", "#e38fc0", "#a3b86c", "#c9997a", "#9fb4c8"]
    : ["#2f6fb5", "#c46a12", "#2c8a4d", "#7a55b8", "#16808a", "#927600", "#b0417f", "#61761f", "#87563a", "#4b6478"];
  const ALONE = DARK ? "#8a949e" : "#7a848e";
  const MISSING = DARK ? "#ff9d94" : "#a4262c";
  const EDGE = DARK ? "#363d44" : "#d3d8de";
  const UNLINKED = DARK ? "#e8a35a" : "#c46a12";
  const TEXT = DARK ? "#e7e9ec" : "#1a1d21";
  const byId = (id) => document.getElementById(id);
  const state = byId("map-state");
  let map, renderer, graph, selected = -1;

  const count = (many, one, more = `${one}s`) => `${many.toLocaleString("en")} ${many === 1 ? one : more}`;

  async function load(kept) {
    const answer = await fetch(`/api/v1/map?kept=${kept}`);
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail || `status ${answer.status}`);
    return answer.json();
  }

  // Adds to a map its neighbours by node, and which similar pairs no link connects.
  function connected(found) {
    const size = found.paths.length + found.missing.length;
    const linked = Array.from({ length: size }, () => new Set());
    for (let at = 0; at < found.links.length; at += 2) {
      linked[found.links[at]].add(found.links[at + 1]);
      linked[found.links[at + 1]].add(found.links[at]);
    }
    const unlinked = Array.from({ length: size }, () => []);
    for (let at = 0; at < found.similar.length; at += 2) {
      const [one, other] = [found.similar[at], found.similar[at + 1]];
      if (linked[one].has(other)) continue;
      unlinked[one].push(other);
      unlinked[other].push(one);
    }
    return { ...found, size, linked, unlinked };
  }

  const isMissing = (node) => node >= map.paths.length;
  const nameOf = (node) => (isMissing(node) ? map.missing[node - map.paths.length] : map.names[node]);
  const isByMeaning = () => document.querySelector('input[name="graph"]:checked').value === "meaning";

  function colourOf(node) {
    if (isMissing(node)) return MISSING;
    return map.clusters[node] < 0 ? ALONE : COLOURS[map.clusters[node] % COLOURS.length];
  }

  function isShown(node) {
    if (isMissing(node)) return byId("show-missing").checked && !isByMeaning();
    return map.linked[node].size > 0 || byId("show-alone").checked || isByMeaning();
  }

  function built() {
    const drawn = new graphology.Graph({ multi: true, type: "undirected" });
    const places = isByMeaning() ? map.by_meaning : map.by_links;
    for (let node = 0; node < map.size; node += 1) {
      if (!isShown(node)) continue;
      drawn.addNode(node, {
        x: places[2 * node], y: -places[2 * node + 1], label: nameOf(node), color: colourOf(node),
        size: Math.min(14, (map.size < 300 ? 4 : 2.5) + Math.sqrt(map.linked[node].size)),
      });
    }
    const pairs = isByMeaning() ? map.similar : map.links;
    for (let at = 0; at < pairs.length; at += 2) {
      if (drawn.hasNode(pairs[at]) && drawn.hasNode(pairs[at + 1])) drawn.addEdge(pairs[at], pairs[at + 1], { color: EDGE, size: 0.7 });
    }
    if (byId("show-unlinked").checked) {
      map.unlinked.forEach((others, one) => others.forEach((other) => {
        if (one < other && drawn.hasNode(one) && drawn.hasNode(other)) drawn.addEdge(one, other, { color: UNLINKED, size: 1.5 });
      }));
    }
    return drawn;
  }

  function hover(context, data, settings) {
    const size = settings.labelSize;
    context.font = `600 ${size}px ${settings.labelFont}`;
    const width = context.measureText(data.label).width;
    context.fillStyle = DARK ? "#2a3138" : "#fff";
    context.shadowColor = "#0006";
    context.shadowBlur = 6;
    context.fillRect(data.x + data.size, data.y - size * 0.8, width + 12, size * 1.6);
    context.shadowBlur = 0;
    context.fillStyle = TEXT;
    context.fillText(data.label, data.x + data.size + 6, data.y + size / 3);
  }

  // Notes that the selected one has nothing to do with step back.
  function reduced(node, data) {
    if (selected < 0 || !graph.hasNode(selected)) return data;
    const at = Number(node);
    if (at === selected) return { ...data, highlighted: true, zIndex: 2 };
    if (map.linked[selected].has(at) || map.unlinked[selected].includes(at)) return { ...data, zIndex: 1, forceLabel: true };
    return { ...data, color: EDGE, label: "", zIndex: 0 };
  }

  function draw() {
    graph = built();
    const camera = renderer && renderer.getCamera().getState();
    if (renderer) renderer.kill();
    try {
      renderer = new Sigma(graph, byId("map"), {
        labelColor: { color: TEXT }, labelSize: 13, labelDensity: map.size < 300 ? 0.9 : 0.4, labelGridCellSize: 110, stagePadding: 60, labelRenderedSizeThreshold: map.size < 300 ? 3 : 6, zIndex: true,
        labelFont: "system-ui, sans-serif", hideEdgesOnMove: graph.size > 20000, defaultDrawNodeHover: hover,
        nodeReducer: reduced,
        edgeReducer: (edge, data) => (selected < 0 || !graph.hasNode(selected) || graph.hasExtremity(edge, selected) ? data : { ...data, hidden: true }),
      });
    } catch (error) {
      renderer = null;
      byId("map").hidden = true;
      say("This browser cannot draw the map (no WebGL). The lists below have the same notes.");
      return;
    }
    if (camera) renderer.getCamera().setState(camera);
    renderer.on("clickNode", ({ node }) => select(Number(node)));
    renderer.on("clickStage", () => select(-1));
    byId("map").dataset.drawn = graph.order;
  }

  function entry(node) {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.className = "plain";
    button.type = "button";
    button.textContent = nameOf(node);
    button.addEventListener("click", () => select(node, true));
    const about = document.createElement("span");
    about.className = "quiet";
    about.textContent = isMissing(node) ? " does not exist" : ` ${count(map.linked[node].size, "link")}`;
    row.append(button, about);
    return row;
  }

  function list(id, nodes) {
    byId(id).replaceChildren(...nodes.slice(0, LISTED).map(entry));
  }

  function search() {
    const wanted = byId("map-query").value.trim().toLowerCase();
    const nodes = [...Array(map.size).keys()].filter((node) => nameOf(node).toLowerCase().includes(wanted));
    nodes.sort((one, other) => map.linked[other].size - map.linked[one].size);
    byId("found-many").textContent = nodes.length > LISTED
      ? `The ${LISTED} with most links of ${count(nodes.length, "note")}.` : `${count(nodes.length, "note")}.`;
    list("found", nodes);
    return nodes;
  }

  function select(node, focus = false) {
    selected = node;
    byId("selection").hidden = node < 0;
    if (renderer) renderer.refresh();
    if (node < 0) return;
    const title = byId("selected");
    title.replaceChildren();
    if (isMissing(node)) title.textContent = nameOf(node);
    else {
      const link = document.createElement("a");
      link.href = `/notes/${encodeURIComponent(map.paths[node])}`;
      link.textContent = nameOf(node);
      title.append(link);
    }
    const cluster = map.clusters[node] < 0 ? "It is in no cluster" : `Cluster: ${map.labels[map.clusters[node]]}`;
    byId("selected-about").textContent = isMissing(node)
      ? `No note has this name; ${count(map.linked[node].size, "note links", "notes link")} to it.` : `${cluster}.`;
    list("unlinked", map.unlinked[node]);
    byId("unlinked-title").hidden = !map.unlinked[node].length;
    const near = [...map.linked[node]];
    list("neighbours", near);
    byId("neighbours-title").textContent = near.length ? `${count(near.length, "linked note")}` : "No linked notes";
    if (focus) title.focus();
    if (renderer && graph.hasNode(node)) {
      const { x, y } = renderer.getNodeDisplayData(node);
      renderer.getCamera().animate({ x, y, ratio: Math.min(renderer.getCamera().ratio, 0.35) }, { duration: 300 });
    }
  }

  function legend() {
    const sizes = new Map();
    map.clusters.forEach((cluster) => cluster >= 0 && sizes.set(cluster, (sizes.get(cluster) || 0) + 1));
    const shown = [...sizes.keys()].sort((one, other) => sizes.get(other) - sizes.get(one)).slice(0, COLOURS.length);
    const rows = shown.map((cluster) => [COLOURS[cluster % COLOURS.length], map.labels[cluster]]);
    if (sizes.size > shown.length) rows.push([EDGE, count(sizes.size - shown.length, "smaller cluster")]);
    if (map.missing.length) rows.push([MISSING, "missing notes"]);
    rows.push([ALONE, "in no cluster"]);
    byId("legend").replaceChildren(...rows.map(([colour, label]) => {
      const row = document.createElement("li");
      const dot = document.createElement("span");
      dot.className = "dot";
      dot.style.background = colour;
      row.append(dot, label);
      return row;
    }));
  }

  function show(found) {
    map = connected(found);
    const alone = map.linked.filter((near, node) => !isMissing(node) && !near.size).length;
    const unlinked = map.unlinked.reduce((sum, others) => sum + others.length, 0) / 2;
    state.textContent = map.paths.length
      ? `${count(map.paths.length, "note")}, ${count(map.links.length / 2, "link")}. ${count(alone, "note has", "notes have")} no link, ${count(map.missing.length, "linked note is", "linked notes are")} missing, ${count(unlinked, "pair is", "pairs are")} similar but not linked.`
      : "No note is indexed yet. A running daemon indexes the vault by itself, and so does “lacuna index”.";
    byId("map-bar").hidden = false;
    draw();
    legend();
    search();
    if (selected >= 0) select(-1);
  }

  function move(event) {
    if (!renderer || event.ctrlKey || event.metaKey || event.altKey) return;
    const camera = renderer.getCamera();
    const { x, y, ratio } = camera.getState();
    const step = 0.15 * ratio;
    const steps = {
      ArrowLeft: { x: x - step }, ArrowRight: { x: x + step }, ArrowUp: { y: y + step }, ArrowDown: { y: y - step },
      "+": { ratio: ratio / 1.4 }, "=": { ratio: ratio / 1.4 }, "-": { ratio: ratio * 1.4 }, 0: { x: 0.5, y: 0.5, ratio: 1 },
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    camera.animate(steps[event.key], { duration: 120 });
  }

  byId("map").addEventListener("keydown", move);
  byId("map-bar").addEventListener("change", draw);
  byId("map-query").addEventListener("input", search);
  byId("map-search").addEventListener("submit", (event) => {
    event.preventDefault();
    const [first] = search();
    if (first !== undefined) select(first, true);
  });
  (async () => {
    try {
      const kept = await load(true);
      show(kept);
      if (!kept.is_current) {
        say("Notes changed: updating the map …");
        show(await load(false));
        say("");
      }
    } catch (error) {
      state.textContent = `The map could not be loaded: ${error.message}`;
    }
  })();
})();
