// The data of the map: columns of numbers, what each note is near to, and its colour.
"use strict";
const MAP_COLOURS = (() => {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return {
    clusters: isDark
      ? ["#6aa5e8", "#e8a35a", "#6fc18b", "#b49be8", "#5fc4c4", "#d2b54b", "#e38fc0", "#a3b86c", "#c9997a", "#9fb4c8"]
      : ["#2f6fb5", "#c46a12", "#2c8a4d", "#7a55b8", "#16808a", "#927600", "#b0417f", "#61761f", "#87563a", "#4b6478"],
    alone: isDark ? "#8a949e" : "#7a848e",
    missing: isDark ? "#ff9d94" : "#a4262c",
    edge: isDark ? "#363d44" : "#d3d8de",
    unlinked: isDark ? "#e8a35a" : "#c46a12",
    text: isDark ? "#e7e9ec" : "#1a1d21",
    hovered: isDark ? "#2a3138" : "#fff",
  };
})();

// The numbers of a column: base64 of little-endian 32-bit integers, as nearly all machines have them.
function numbersOf(column) {
  const text = atob(column);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = text.charCodeAt(at);
  return new Int32Array(bytes.buffer);
}

// The map that the server sent. A node is a note, or a linked note that does not exist.
class MapData {
  constructor(found) {
    Object.assign(this, found);
    for (const column of ["clusters", "links", "similar", "by_links", "by_meaning"]) this[column] = numbersOf(found[column]);
    this.size = found.paths.length + found.missing.length;
    this.degrees = new Uint32Array(this.size);
    for (const end of this.links) this.degrees[end] += 1;
    this.lists = null;
  }

  // What each node is linked with.
  get near() { return this.connected().near; }

  // What each node is similar to without a link.
  get unlinked() { return this.connected().unlinked; }

  // Makes both when they are first asked for: drawing needs neither.
  connected() {
    if (this.lists) return this.lists;
    const lists = () => Array.from({ length: this.size }, () => new Set());
    const [near, unlinked] = [lists(), lists()];
    this.pairs(this.links, (one, other) => near[one].add(other) && near[other].add(one));
    this.pairs(this.similar, (one, other) => {
      if (!near[one].has(other)) unlinked[one].add(other) && unlinked[other].add(one);
    });
    this.lists = { near, unlinked };
    return this.lists;
  }

  pairs(column, use) {
    for (let at = 0; at < column.length; at += 2) use(column[at], column[at + 1]);
  }

  isMissing(node) { return node >= this.paths.length; }

  nameOf(node) { return this.isMissing(node) ? this.missing[node - this.paths.length] : this.names[node]; }

  colourOf(node) {
    if (this.isMissing(node)) return MAP_COLOURS.missing;
    const cluster = this.clusters[node];
    return cluster < 0 ? MAP_COLOURS.alone : MAP_COLOURS.clusters[cluster % MAP_COLOURS.clusters.length];
  }

  radiusOf(node) { return Math.min(14, (this.size < 300 ? 4 : 2.5) + Math.sqrt(this.degrees[node])); }
}
