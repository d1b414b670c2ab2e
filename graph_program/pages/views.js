// Results as they are seen: numbers and texts, pictures, masks, boxes, curves, sounds, tables.

const SHOWN = 1000; // elements in a table
const WORDS = {
  points: ["point", "centre", "center", "corner", "keypoint", "landmark"],
  labels: ["label", "segment", "region", "class"],
  text: ["text", "string", "sentence", "line", "message"],
  mask: ["mask", "outline", "edge"],
};
const isOf = (label, kind) =>
  label
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => WORDS[kind].includes(word.replace(/(?<=[^s])s$/, "")));

function viewOf(label, tensor, around) {
  // which view an array gets; docs/page.md has the rule
  const { dims, type } = tensor;
  const [, size = 0] = dims;
  const isNumeric = type !== "bool";
  const picture = around.pictures[0];
  const isSame = dims.length === 2 && around.pictures.some((one) => one.height === dims[0] && one.width === size);
  if (!sizeOf(dims)) return "values";
  if (dims.length === 1) return viewOfRow(label, tensor, around);
  if (type === "uint8" && dims.length === 2 && size === 3 && dims[0] <= 64) return "colours";
  if (dims.length === 2 && size === 4 && picture && isNumeric) return "boxes";
  if (dims.length === 2 && size === 2 && around.sounds.length && isNumeric) return "segments";
  if (dims.length === 2 && size === 2 && picture && isNumeric && isOf(label, "points")) return "points";
  if (type === "bool" && dims.length === 2) return isSame || Math.min(...dims) >= 8 ? "mask" : "values";
  if (dims.length === 2 && isInteger(type) && type !== "uint8")
    return isSame || isOf(label, "labels") ? "labels" : "values";
  const shape = pictureLayout(dims);
  if (!shape) return "values";
  const axes = axesOf(shape);
  const least = Math.min(dims[axes.height], dims[axes.width]);
  const enough = type === "uint8" ? 2 : isSame ? 1 : shape.layout === "hw" ? 16 : 8;
  return least >= enough ? "image" : "values";
}

function viewOfRow(label, { dims, type }, around) {
  if (isInteger(type) && isOf(label, "text")) return "text";
  const sound = around.sounds[0];
  if (sound && sizeOf(sound.tensor.dims) === dims[0] && (isFloat(type) || type === "int16")) return "audio";
  if (dims[0] < 2 || type === "bool") return dims[0] > 32 ? "curve" : "values";
  return dims[0] <= 32 ? "bars" : "curve";
}

function canvasFor(label, what) {
  return make("canvas", { width: 800, height: 200, role: "img", "aria-label": `${label}: ${what}` });
}

function copyOf(picture, most = 640) {
  // the picture that came in, to draw upon
  const canvas = make("canvas", { role: "img" });
  const scale = Math.max(1, Math.floor(most / Math.max(picture.width, picture.height)));
  [canvas.width, canvas.height] = [picture.width * scale, picture.height * scale];
  const pen = canvas.getContext("2d");
  pen.imageSmoothingEnabled = false;
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return [canvas, pen, scale];
}

function overPicture(tensor, around, colourOf) {
  // elements coloured, over the picture of the same size if there is one
  const [height, width] = tensor.dims;
  const numbers = numbersOf(tensor);
  const pixels = new ImageData(width, height);
  const below = around.pictures.find((one) => one.height === height && one.width === width);
  const under = below?.getContext("2d", { willReadFrequently: true }).getImageData(0, 0, width, height).data;
  for (let i = 0; i < width * height; i++) {
    const [red, green, blue, share] = colourOf(numbers[i]);
    [red, green, blue].forEach((level, c) => {
      pixels.data[4 * i + c] = under ? share * level + (1 - share) * under[4 * i + c] : share * level;
    });
    pixels.data[4 * i + 3] = 255;
  }
  return pixels;
}

function labelColour(number) {
  // neighbouring numbers get colours that differ
  if (number === 0) return [0, 0, 0, 0];
  const hue = (Math.abs(number) * 137.508) % 360;
  const part = (shift) => {
    const k = (shift + hue / 30) % 12;
    return Math.round(255 * (0.55 - 0.45 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4), 0.65];
}

const VIEWS = {
  image(label, tensor, around, option) {
    const canvas = canvasFor(label, "a picture");
    const shape = pictureLayout(tensor.dims);
    if (!shape) return [];
    const top = option && Number(option);
    const pixels = pixelsOf(tensor, { ...shape, top }, around.whites);
    showPixels(canvas, pixels);
    return [canvas, make("p", { class: "hint" }, pixels.said)];
  },
  mask(label, tensor, around) {
    if (tensor.dims.length !== 2) return [];
    const canvas = canvasFor(label, "a mask");
    const isAlone = !around.pictures.some((one) => one.height === tensor.dims[0] && one.width === tensor.dims[1]);
    showPixels(
      canvas,
      overPicture(tensor, around, (x) => (x ? (isAlone ? [255, 255, 255, 1] : [255, 40, 40, 0.7]) : [0, 0, 0, 0])),
    );
    return [canvas];
  },
  labels(label, tensor, around) {
    if (tensor.dims.length !== 2) return [];
    const canvas = canvasFor(label, "coloured by number");
    showPixels(canvas, overPicture(tensor, around, labelColour));
    return [canvas];
  },
  boxes(label, tensor, around, option = "xyxy") {
    if (!around.pictures.length || tensor.dims.length !== 2 || tensor.dims[1] !== 4) return [];
    const [canvas, pen, scale] = copyOf(around.pictures[0]);
    canvas.setAttribute("aria-label", `${label}: ${tensor.dims[0]} boxes over the picture`);
    [pen.lineWidth, pen.font] = [2, "14px sans-serif"];
    const numbers = numbersOf(tensor);
    for (let i = 0; i < tensor.dims[0]; i++) {
      const [a, b, c, d] = numbers.slice(4 * i, 4 * i + 4);
      const [x, y, right, bottom] = { xyxy: [a, b, c, d], xywh: [a, b, a + c, b + d], yxyx: [b, a, d, c] }[option];
      const [red, green, blue] = labelColour(i + 1);
      pen.strokeStyle = pen.fillStyle = `rgb(${red} ${green} ${blue})`;
      pen.strokeRect(x * scale, y * scale, (right - x) * scale, (bottom - y) * scale);
      pen.fillText(String(i), x * scale + 3, y * scale + 14);
    }
    return [canvas];
  },
  points(label, tensor, around) {
    if (!around.pictures.length || tensor.dims[1] !== 2) return [];
    const [canvas, pen, scale] = copyOf(around.pictures[0]);
    canvas.setAttribute("aria-label", `${label}: ${tensor.dims[0]} points over the picture`);
    pen.strokeStyle = "#e11";
    pen.lineWidth = 2;
    const numbers = numbersOf(tensor);
    for (let i = 0; i < numbers.length; i += 2) {
      pen.beginPath();
      pen.arc((numbers[i] + 0.5) * scale, (numbers[i + 1] + 0.5) * scale, 4, 0, 2 * Math.PI);
      pen.stroke();
    }
    return [canvas];
  },
  curve(label, tensor) {
    const canvas = canvasFor(label, `a curve of ${sizeOf(tensor.dims)} numbers`);
    drawCurve(canvas, numbersOf(tensor), {});
    return [canvas, rangeNote(tensor)];
  },
  bars(label, tensor) {
    const canvas = canvasFor(label, `${sizeOf(tensor.dims)} bars`);
    drawBars(canvas, numbersOf(tensor));
    return [canvas, rangeNote(tensor)];
  },
  audio(label, tensor, around, option) {
    const rate = Number(option) || around.sounds[0]?.rate || RATE;
    const scale = isFloat(tensor.type) ? 1 : 1 / 32768;
    const address = around.address(
      wavOf(
        numbersOf(tensor).map((x) => x * scale),
        rate,
      ),
    );
    return [...VIEWS.curve(label, tensor), make("audio", { controls: true, src: address, "aria-label": label })];
  },
  segments(label, tensor, around, option) {
    const sound = around.sounds[0];
    if (!sound || tensor.dims.length !== 2 || tensor.dims[1] !== 2) return [];
    const inSeconds = option ? option === "seconds" : isFloat(tensor.type);
    const places = numbersOf(tensor).map((x) => (inSeconds ? x * sound.rate : x));
    const segments = Array.from({ length: tensor.dims[0] }, (_, i) => [places[2 * i], places[2 * i + 1]]);
    const canvas = canvasFor(label, `${segments.length} parts of the sound`);
    drawCurve(canvas, numbersOf(sound.tensor), { segments });
    return [canvas];
  },
  colours(label, tensor) {
    const one = (i) => {
      const levels = Array.from(rowOf(tensor, i).data);
      const swatch = make("span", { class: "swatch", role: "img", "aria-label": levels.join(", ") });
      swatch.style.background = `rgb(${levels.join(" ")})`;
      return make("span", {}, swatch, ` ${levels.join(", ")}`);
    };
    return tensor.dims[1] === 3
      ? [make("div", { class: "swatches" }, ...Array.from({ length: tensor.dims[0] }, (_, i) => one(i)))]
      : [];
  },
  text: (label, tensor) => [make("p", {}, decodedText(tensor))],
  values: () => [],
};

function rangeNote(tensor) {
  const isNumber = (x) => typeof x === "bigint" || Number.isFinite(x);
  const numbers = Array.from(tensor.data, (_, i) => elementOf(tensor, i)).filter(isNumber);
  if (!numbers.length) return null;
  const [low, high] = numbers.reduce(([a, b], x) => [x < a ? x : a, x > b ? x : b], [numbers[0], numbers[0]]);
  return make("p", { class: "hint" }, `from ${numberText(low, tensor.type)} to ${numberText(high, tensor.type)}`);
}

function arrayFigure(label, tensor, asked, around) {
  const [view, option] = (asked ?? viewOf(label, tensor, around)).split(":");
  const drawn = VIEWS[view](label, tensor, around, option);
  const caption = make("figcaption", {}, label, make("span", {}, `  ${tensor.type} ${dimsText(tensor.dims)}`));
  const figure = make(
    "figure",
    { "data-result": label, "data-view": drawn.length ? view : "values" },
    caption,
    ...drawn,
  );
  figure.append(valuesOf(label, tensor, around, !drawn.length));
  return figure;
}

function valuesOf(label, tensor, around, isOpen) {
  // the numbers, in a table that is made when it is opened
  const place = make("div", { class: "table", tabindex: 0 });
  const fill = () => place.childElementCount || place.append(tableOf(tensor));
  const details = make("details", { ontoggle: fill, open: isOpen }, make("summary", {}, "Values"), place);
  if (isOpen) fill();
  const save = (name, content) =>
    make("button", { type: "button", onclick: () => around.save(`${label}${name}`, content()) }, `${name} file`);
  const json = () => new Blob([jsonOf(tensor)], { type: "application/json" });
  details.append(
    make(
      "div",
      { class: "row" },
      save(".npy", () => npyOf(tensor)),
      save(".json", json),
    ),
  );
  return details;
}

function tableOf(tensor) {
  const text = (place) => numberText(elementOf(tensor, place), tensor.type);
  const all = sizeOf(tensor.dims);
  const columns = tensor.dims.length > 1 ? tensor.dims.at(-1) : 1;
  const [wide, rows] = [Math.min(columns, 50), columns ? all / columns : 0];
  const shown = Math.min(rows, Math.max(1, Math.floor(SHOWN / Math.max(wide, 1))));
  const body = make("tbody");
  for (let row = 0; row < shown; row++) {
    const cells = Array.from({ length: wide }, (_, column) => make("td", {}, text(row * columns + column)));
    body.append(make("tr", {}, make("th", { scope: "row" }, placeText(row, tensor.dims)), ...cells));
  }
  const whole = shown === rows && wide === columns;
  const note = all === 0 ? "no elements" : whole ? "" : `${shown * wide} of ${all} elements; the files have all`;
  return make("div", {}, make("table", {}, body), note ? make("p", { class: "hint" }, note) : null);
}

function placeText(row, dims) {
  // the indices of a row
  const outer = dims.length > 1 ? dims.slice(0, -1) : dims;
  const places = [];
  for (const size of [...outer].reverse()) {
    places.unshift(row % Math.max(size, 1));
    row = Math.floor(row / Math.max(size, 1));
  }
  return places.join(", ");
}
