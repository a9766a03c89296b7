// Charts of the figures in the tables of the page, which say the same to who does not see them.
"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const [FIRST, SECOND, THIRD] = dark ? ["#82baff", "#e8a35a", "#7fd39a"] : ["#0a559e", "#b45a0c", "#1a6b35"];
  const TEXT = dark ? "#9ca6b0" : "#59626d";
  const GRID = dark ? "#2f353b" : "#e4e8ec";

  // Reads a table: for each row the day in seconds, then numbers.
  function columns(name) {
    const rows = [...document.querySelectorAll(`table[data-figures="${name}"] tbody tr`)];
    const cells = rows.map((row) => [...row.cells].map((cell, at) => (at ? Number(cell.textContent) : Date.parse(cell.textContent) / 1000)));
    return cells.length ? cells[0].map((_, at) => cells.map((row) => row[at])) : [];
  }

  const days = columns("days");
  const weeks = columns("weeks");
  // A few weeks without a finding before the first one, for the scale.
  while (weeks.length && weeks[0].length < 6) {
    weeks[0].unshift(weeks[0][0] - 7 * 86400);
    weeks.slice(1).forEach((column) => column.unshift(0));
  }
  const figures = {
    per_note: () => [[days[0], days[2].map((links, at) => (days[1][at] ? links / days[1][at] : 0))], ["links per note"]],
    isolated: () => [[days[0], days[3], days[4]], ["without links", "missing"]],
    clusters: () => [[days[0], days[6], days[7], days[5]], ["largest", "middle", "clusters"]],
    found: () => [[weeks[0], weeks[1], weeks[2]], ["found", "kept"]],
  };

  function line(label, at, many) {
    const stroke = [FIRST, SECOND, THIRD][at];
    return { label, stroke, width: 2, fill: many === 1 ? `${stroke}22` : undefined, points: { show: true, size: 6, fill: stroke } };
  }

  function bars(label, at) {
    const fill = [FIRST, SECOND][at];
    return { label, stroke: fill, fill: at ? fill : `${fill}44`, paths: uPlot.paths.bars({ size: [0.6, 40] }), points: { show: false } };
  }

  function draw(place) {
    const key = place.dataset.chart;
    const [data, labels] = figures[key]();
    const axis = { stroke: TEXT, grid: { stroke: GRID, width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const span = data[0].length < 2 ? 86400 * 4 : 0;
    const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
    const chart = new uPlot({
      width: place.clientWidth, height: 160, tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
      scales: {
        x: { range: (_, low, high) => (key === "found" ? [low - 5 * 86400, high + 5 * 86400] : [low - span, high + span]) },
        y: { range: (_, low, high) => [0, Math.max(1, high * 1.15)] },
      },
      axes: [{ ...axis, space: 70, values: (_, ticks) => ticks.map((tick) => day.format(new Date(tick * 1000))) }, { ...axis, size: 38 }],
      cursor: { y: false }, legend: { live: false },
      series: [{}, ...labels.map((label, at) => (key === "found" ? bars(label, at) : line(label, at, labels.length)))],
    }, data, place);
    addEventListener("resize", () => chart.setSize({ width: place.clientWidth, height: 160 }));
  }

  const charts = document.getElementById("charts");
  if (charts) {
    charts.hidden = false;
    document.querySelectorAll("[data-chart]").forEach(draw);
  }

  // A link to a folded list unfolds it.
  const unfold = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.matches("details")) target.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
})();
