// What is wrong with the layout of the page that is open: one sentence for each defect.
(() => {
const defects = [], say = (text) => defects.push(text);
const name = (text) => JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 40));
const hidden = (element) => element.closest(".vh,#tip") !== null;
const printed = matchMedia("print").matches;

// The page is as wide as the window.
const wide = document.documentElement.scrollWidth;
if (wide > innerWidth) say(`the page is ${wide} wide, the window ${innerWidth}`);

// The box of a text: of its letters without the space that a font leaves above and below them.
function letters(box, turned) {
  const [inset, least] = turned ? [0.2 * box.width, 0] : [0, 0.2 * box.height];
  return { left: box.left + inset, right: box.right - inset, top: box.top + least, bottom: box.bottom - least };
}

// The part of a box that its containers show. On screens, those that scroll hide the rest.
function shown(box, element) {
  let { left, right, top, bottom } = box;
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (at instanceof SVGElement && at.tagName !== "svg") continue;
    const { overflowX, overflowY } = getComputedStyle(at), clip = at.getBoundingClientRect();
    if (at === document.documentElement || at === document.body) break;
    if (overflowX !== "visible") [left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)];
    if (overflowY !== "visible") [top, bottom] = [Math.max(top, clip.top), Math.min(bottom, clip.bottom)];
  }
  return { left, right, top, bottom };
}

const scrolls = (element) => {
  for (let at = element; at; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return !printed;
  }
  return false;
};

// All texts that are visible.
const texts = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (!node.data.trim() || hidden(element) || /^(SCRIPT|STYLE|OPTION)$/.test(element.tagName)) continue;
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
  const turned = /rotate/.test(element.getAttribute("transform") || "");
  const range = document.createRange();
  range.selectNodeContents(node);
  const drawing = element.closest("svg");
  const boxes = drawing ? [element.getBoundingClientRect()] : [...range.getClientRects()];
  for (const box of boxes.filter((box) => box.width > 0 && box.height > 0)) {
    texts.push({ text: node.data, element, box: letters(box, turned), whole: box, drawing });
  }
}

// No text is cut off by its drawing, by a container that does not scroll, or by the window.
for (const { text, element, box, drawing } of texts) {
  const root = drawing && (drawing.ownerSVGElement || drawing);
  if (root) {
    const frame = root.getBoundingClientRect();
    const over = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom);
    if (over > 1) say(`${name(text)} leaves the drawing ${name(root.getAttribute("aria-label") || "")} by ${over.toFixed(1)}`);
  }
  if (scrolls(element)) continue;
  const seen = shown(box, element);
  if (seen.right - seen.left < box.right - box.left - 1 || seen.bottom - seen.top < box.bottom - box.top - 1) {
    say(`${name(text)} is cut off by its container`);
  }
  // Paper has margins around the window.
  const beside = printed ? 4 : 0.5;
  if (box.left < -beside || box.right > innerWidth + beside) say(`${name(text)} leaves the window`);
}

// A text that is written on a rectangle fits into it.
for (const { text, element, box, drawing } of texts) {
  const under = drawing && element.previousElementSibling;
  if (!under || under.tagName !== "rect") continue;
  const cell = under.getBoundingClientRect(), middle = (box.left + box.right) / 2;
  const on = middle > cell.left && middle < cell.right && box.top > cell.top && box.bottom < cell.bottom;
  if (on && (box.left < cell.left - 0.5 || box.right > cell.right + 0.5)) say(`${name(text)} is wider than its cell`);
}

// No two texts overlap.
const boxes = texts
  .map((text) => ({ ...text, box: shown(text.box, text.element) }))
  .filter(({ box }) => box.right > box.left && box.bottom > box.top)
  .sort((a, b) => a.box.top - b.box.top);
boxes.forEach((a, first) => {
  for (let second = first + 1; second < boxes.length && boxes[second].box.top < a.box.bottom - 0.5; second++) {
    const b = boxes[second];
    const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (across > 0.5 && down > 0.5) say(`${name(a.text)} and ${name(b.text)} overlap by ${across.toFixed(1)} x ${down.toFixed(1)}`);
  }
});

// Every picture says what it is. A swatch beside a word is a part of that word.
for (const picture of document.querySelectorAll("svg,canvas,img")) {
  if (picture.ownerSVGElement || picture.matches(".inline[aria-hidden=true]")) continue;
  const role = picture.tagName === "IMG" || picture.getAttribute("role") === "img";
  const label = picture.getAttribute("aria-label") || picture.getAttribute("alt");
  if (!role || !label) say(`a picture without role or label: ${name(picture.outerHTML)}`);
}

// The matrices of groups on a circle leave the arcs of nodes free.
for (const circle of document.querySelectorAll(".mach[data-p=circle]")) {
  const matrices = [...circle.querySelectorAll("rect.plot")].map((rect) => rect.getBBox());
  matrices.forEach((a, first) => matrices.slice(first + 1).forEach((b) => {
    if (a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height) say("two matrices of groups overlap");
  }));
  for (const arc of circle.querySelectorAll(".nd path")) {
    const half = parseFloat(getComputedStyle(arc).strokeWidth) / 2;
    const points = [0, 0.25, 0.5, 0.75, 1].map((part) => arc.getPointAtLength(part * arc.getTotalLength()));
    const covers = (m) => points.some(({ x, y }) => x > m.x - half && x < m.x + m.width + half && y > m.y - half && y < m.y + m.height + half);
    if (matrices.some(covers)) say(`a matrix covers the arc of node ${arc.parentElement.dataset.n}`);
  }
}
return defects;
})()
