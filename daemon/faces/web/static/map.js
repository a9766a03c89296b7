// The map: first as dots, then sigma draws it by WebGL where the server placed the notes; lists say the same in words.
"use strict";
(() => {
  const LISTED = 30;
  const PADDING = 60; // pixels around the map
  const SLICE = 12; // milliseconds that notes or links are added before the page may answer
  const LOOK = 256; // notes or links between two looks at the clock
  const COLOURS = MAP_COLOURS;
  const byId = (id) => document.getElementById(id);
  const state = byId("map-state");
  const place = byId("map");
  let map, renderer, graph, sketch, loading, drawings = 0, selected = -1;

  const count = (many, one, more = `${one}s`) => `${many.toLocaleString("en")} ${many === 1 ? one : more}`;
  const turn = () => (window.scheduler?.yield ? scheduler.yield() : new Promise((resolve) => { setTimeout(resolve); }));
  const painted = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });

  async function load(kept) {
    const answer = await fetch(`/api/v1/map?kept=${kept}`);
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail || `status ${answer.status}`);
    return new MapData(await answer.json());
  }

  const isByMeaning = () => document.querySelector('input[name="graph"]:checked').value === "meaning";

  function isShown(node) {
    if (map.isMissing(node)) return byId("show-missing").checked && !isByMeaning();
    return map.degrees[node] > 0 || byId("show-alone").checked || isByMeaning();
  }

  // Adds to a graph in slices; stops when another drawing has begun.
  async function each(many, add, isCurrent) {
    let began = performance.now();
    for (let at = 0; at < many; at += 1) {
      add(at);
      if (at % LOOK === 0 && performance.now() - began > SLICE) {
        await turn();
        if (!isCurrent()) return;
        began = performance.now();
      }
    }
  }

  async function built(isCurrent, withLinks) {
    const drawn = new graphology.Graph({ multi: true, type: "undirected" });
    const places = isByMeaning() ? map.by_meaning : map.by_links;
    const keys = Array.from({ length: map.size }, (_, node) => (isShown(node) ? String(node) : ""));
    await each(map.size, (node) => {
      if (keys[node]) drawn.addNode(keys[node], {
        x: places[2 * node], y: -places[2 * node + 1], label: map.nameOf(node), color: map.colourOf(node), size: map.radiusOf(node),
      });
    }, isCurrent);
    if (!withLinks) return drawn;
    const connect = (one, other, style) => keys[one] && keys[other] && drawn.addEdge(keys[one], keys[other], style);
    const pairs = isByMeaning() ? map.similar : map.links;
    const plain = { color: COLOURS.edge, size: 0.7 }; // sigma copies it for each link
    await each(pairs.length / 2, (at) => connect(pairs[2 * at], pairs[2 * at + 1], plain), isCurrent);
    if (byId("show-unlinked").checked) {
      const strong = { color: COLOURS.unlinked, size: 1.5 };
      map.unlinked.forEach((others, one) => others.forEach((other) => one < other && connect(one, other, strong)));
    }
    return drawn;
  }

  function hover(context, data, settings) {
    const size = settings.labelSize;
    context.font = `600 ${size}px ${settings.labelFont}`;
    const width = context.measureText(data.label).width;
    context.fillStyle = COLOURS.hovered;
    context.shadowColor = "#0006";
    context.shadowBlur = 6;
    context.fillRect(data.x + data.size, data.y - size * 0.8, width + 12, size * 1.6);
    context.shadowBlur = 0;
    context.fillStyle = COLOURS.text;
    context.fillText(data.label, data.x + data.size + 6, data.y + size / 3);
  }

  // Notes that the selected one has nothing to do with step back.
  function reduced(node, data) {
    if (selected < 0 || !graph.hasNode(selected)) return data;
    const at = Number(node);
    if (at === selected) return { ...data, highlighted: true, zIndex: 2 };
    if (map.near[selected].has(at) || map.unlinked[selected].has(at)) return { ...data, zIndex: 1, forceLabel: true };
    return { ...data, color: COLOURS.edge, label: "", zIndex: 0 };
  }

  function started() {
    const made = new Sigma(graph, place, {
      labelColor: { color: COLOURS.text }, labelSize: 13, labelDensity: map.size < 300 ? 0.9 : 0.4, labelGridCellSize: 110, stagePadding: PADDING, labelRenderedSizeThreshold: map.size < 300 ? 3 : 6, zIndex: true,
      labelFont: "system-ui, sans-serif", hideEdgesOnMove: map.links.length > 40000, defaultDrawNodeHover: hover,
      nodeReducer: reduced,
      edgeReducer: (edge, data) => (selected < 0 || !graph.hasNode(selected) || graph.hasExtremity(edge, selected) ? data : { ...data, hidden: true }),
    });
    made.on("clickNode", ({ node }) => select(Number(node)));
    made.on("clickStage", () => select(-1));
    return made;
  }

  function show(drawn) {
    graph = drawn;
    if (renderer) renderer.setGraph(graph);
    else renderer = started();
    sketch.hidden = true;
    place.dataset.drawn = graph.order;
  }

  // Draws the notes, then the same with what connects them.
  async function draw() {
    drawings += 1;
    const own = drawings;
    const isCurrent = () => own === drawings;
    for (const withLinks of [false, true]) {
      const drawn = await built(isCurrent, withLinks);
      if (!isCurrent()) return;
      show(drawn);
      performance.mark(withLinks ? "map-links" : "map-notes");
      await painted();
    }
    place.dataset.links = graph.size;
  }

  // Loads sigma, which starts WebGL at once; resolves to whether there is WebGL.
  function canDraw() {
    return new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = place.dataset.sigma;
      script.addEventListener("load", () => resolve(typeof Sigma === "function"));
      script.addEventListener("error", () => resolve(false));
      document.head.append(script);
    });
  }

  function entry(node) {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.className = "plain";
    button.type = "button";
    button.textContent = map.nameOf(node);
    button.addEventListener("click", () => select(node, true));
    const about = document.createElement("span");
    about.className = "quiet";
    about.textContent = map.isMissing(node) ? " does not exist" : ` ${count(map.near[node].size, "link")}`;
    row.append(button, about);
    return row;
  }

  function list(id, nodes) {
    byId(id).replaceChildren(...nodes.slice(0, LISTED).map(entry));
  }

  function search() {
    const wanted = byId("map-query").value.trim().toLowerCase();
    const nodes = [...Array(map.size).keys()].filter((node) => map.nameOf(node).toLowerCase().includes(wanted));
    nodes.sort((one, other) => map.near[other].size - map.near[one].size);
    byId("found-many").textContent = nodes.length > LISTED
      ? `The ${LISTED} with most links of ${count(nodes.length, "note")}.` : `${count(nodes.length, "note")}.`;
    list("found", nodes);
    return nodes;
  }

  function select(node, focus = false) {
    selected = node;
    byId("selection").hidden = node < 0;
    if (renderer) renderer.refresh({ skipIndexation: true });
    if (node < 0) return;
    const title = byId("selected");
    title.replaceChildren();
    if (map.isMissing(node)) title.textContent = map.nameOf(node);
    else {
      const link = document.createElement("a");
      link.href = `/notes/${encodeURIComponent(map.paths[node])}`;
      link.textContent = map.nameOf(node);
      title.append(link);
    }
    const cluster = map.clusters[node] < 0 ? "It is in no cluster" : `Cluster: ${map.labels[map.clusters[node]]}`;
    const near = [...map.near[node]];
    byId("selected-about").textContent = map.isMissing(node)
      ? `No note has this name; ${count(near.length, "note links", "notes link")} to it.` : `${cluster}.`;
    list("unlinked", [...map.unlinked[node]]);
    byId("unlinked-title").hidden = !map.unlinked[node].size;
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
    const shown = [...sizes.keys()].sort((one, other) => sizes.get(other) - sizes.get(one)).slice(0, COLOURS.clusters.length);
    const rows = shown.map((cluster) => [COLOURS.clusters[cluster % COLOURS.clusters.length], map.labels[cluster]]);
    if (sizes.size > shown.length) rows.push([COLOURS.edge, count(sizes.size - shown.length, "smaller cluster")]);
    if (map.missing.length) rows.push([COLOURS.missing, "missing notes"]);
    rows.push([COLOURS.alone, "in no cluster"]);
    byId("legend").replaceChildren(...rows.map(([colour, label]) => {
      const row = document.createElement("li");
      const dot = document.createElement("span");
      dot.className = "dot";
      dot.style.background = colour;
      row.append(dot, label);
      return row;
    }));
  }

  function summarise() {
    const alone = map.degrees.subarray(0, map.paths.length).reduce((sum, degree) => sum + (degree ? 0 : 1), 0);
    const unlinked = map.unlinked.reduce((sum, others) => sum + others.size, 0) / 2;
    state.textContent = map.paths.length
      ? `${count(map.paths.length, "note")}, ${count(map.links.length / 2, "link")}. ${count(alone, "note has", "notes have")} no link, ${count(map.missing.length, "linked note is", "linked notes are")} missing, ${count(unlinked, "pair is", "pairs are")} similar but not linked.`
      : "No note is indexed yet. A running daemon indexes the vault by itself, and so does “lacuna index”.";
    byId("map-bar").hidden = false;
  }

  // Shows dots at once; the rest waits until they are on the screen.
  async function take(found) {
    map = found;
    if (sketch) sketch.remove();
    sketch = sketchMap(place, map, [...Array(map.size).keys()].filter(isShown), PADDING);
    sketch.hidden = Boolean(renderer);
    await painted();
    performance.mark("map-sketch");
    if (selected >= 0) select(-1);
    loading ||= canDraw();
    const isDrawable = await loading;
    if (isDrawable) await draw();
    summarise();
    legend();
    search();
    if (!isDrawable) say("This browser cannot draw the whole map (no WebGL). The lists below have the same notes.");
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

  place.addEventListener("keydown", move);
  byId("map-bar").addEventListener("change", () => renderer && draw());
  byId("map-query").addEventListener("input", search);
  byId("map-search").addEventListener("submit", (event) => {
    event.preventDefault();
    const [first] = search();
    if (first !== undefined) select(first, true);
  });
  (async () => {
    try {
      const kept = await load(true);
      await take(kept);
      if (!kept.is_current) {
        say("Notes changed: updating the map …");
        await take(await load(false));
        if (renderer) say("");
      }
    } catch (error) {
      state.textContent = `The map could not be loaded: ${error.message}`;
    } finally {
      place.setAttribute("aria-busy", "false");
    }
  })();
})();
