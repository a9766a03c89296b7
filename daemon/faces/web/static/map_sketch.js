// The first picture of the map: dots on a plain canvas, where sigma draws them as soon as it has started.
// Starting WebGL takes longer than this picture, and where there is no WebGL, the picture stays.
"use strict";
function sketchMap(place, map, nodes, padding) {
  const canvas = document.createElement("canvas");
  const { clientWidth: width, clientHeight: height } = place;
  const scale = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [width * scale, height * scale];
  canvas.className = "sketch";
  place.append(canvas);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  const { across, down } = onScreen(map.by_links, nodes, width, height, padding);
  for (const node of nodes) {
    const [x, y, radius] = [across(node), down(node), map.radiusOf(node)];
    context.fillStyle = map.colourOf(node);
    if (radius < 4) context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    else {
      context.beginPath();
      context.arc(x, y, radius, 0, 7);
      context.fill();
    }
  }
  return canvas;
}

// Where sigma shows a node before the camera moves, in pixels.
function onScreen(places, nodes, width, height, padding) {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const node of nodes) {
    const [x, y] = [places[2 * node], places[2 * node + 1]];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  const [wide, high] = [right - left || 1, bottom - top || 1];
  const [flat, tall] = [height / width, high / wide];
  const turned = (flat < 1 && tall > 1) || (flat > 1 && tall < 1);
  const fit = turned ? 1 : Math.min(Math.max(tall, 1 / tall), Math.max(flat, 1 / flat));
  const scale = ((Math.min(width, height) - 2 * padding) * fit) / Math.max(wide, high);
  return {
    across: (node) => width / 2 + (places[2 * node] - (left + right) / 2) * scale,
    down: (node) => height / 2 + (places[2 * node + 1] - (top + bottom) / 2) * scale,
  };
}
