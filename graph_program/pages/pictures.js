// Pictures: files, the camera and .npy files as arrays, in the layout that the program takes; arrays as pictures.

const LARGEST_SIDE = 1024; // pixels of a picture whose size the program leaves open, if nobody says otherwise

function axesOf({ layout, batch }) {
  // where height, width and channels are
  const first = batch ? 1 : 0;
  if (layout === "chw") return { height: first + 1, width: first + 2, channel: first };
  return { height: first, width: first + 1, channel: layout === "hwc" ? first + 2 : null };
}

function fittingSize(size, natural, bounds) {
  // the largest size up to `natural` that the program takes
  if (typeof size === "number") return size;
  if (typeof size === "string") {
    const [low, high] = bounds[size] ?? [1, null];
    return Math.max(low, Math.min(natural, high ?? natural), 1);
  }
  for (let found = natural; found > 0; found--) {
    const known = new Map();
    solve(size, found, known);
    if (known.size) return found;
  }
  return natural;
}

function sizeFor(spec, source, most, bounds) {
  // [height, width] of the array for a picture
  const axes = axesOf(spec.options);
  const sizes = [spec.shape[axes.height], spec.shape[axes.width]];
  const isOpen = sizes.every((size) => typeof size !== "number");
  const shrink = isOpen ? Math.min(1, most / Math.max(source.height, source.width)) : 1;
  const natural = [source.height * shrink, source.width * shrink];
  if (typeof sizes[0] === "number") natural[1] = (source.width * sizes[0]) / source.height;
  else if (typeof sizes[1] === "number") natural[0] = (source.height * sizes[1]) / source.width;
  const found = sizes.map((size, i) => fittingSize(size, Math.max(1, Math.round(natural[i])), bounds));
  const isSquare = isOpen && JSON.stringify(sizes[0]) === JSON.stringify(sizes[1]);
  return isSquare ? found.fill(Math.min(...found)) : found;
}

function tensorOfPixels({ data, width, height }, spec, isInverted) {
  const { layout, channels, batch, top } = spec.options;
  const values = new Float64Array(height * width * channels);
  const plane = layout === "chw" ? height * width : 1;
  const step = layout === "chw" ? 1 : channels;
  for (let i = 0; i < height * width; i++) {
    const at = 4 * i;
    // ITU-R BT.601 in integers, so that grey pixels stay what they are
    const grey = (19595 * data[at] + 38470 * data[at + 1] + 7471 * data[at + 2] + 0x8000) >> 16;
    for (let c = 0; c < channels; c++) {
      const level = channels === 1 ? grey : data[at + c];
      values[i * step + c * plane] = isInverted && c < 3 ? 255 - level : level;
    }
  }
  const size = { hw: [height, width], hwc: [height, width, channels], chw: [channels, height, width] }[layout];
  const dims = batch ? [1, ...size] : size;
  if (spec.dtype === "bool") return { type: "bool", dims, data: Uint8Array.from(values, (level) => level > 127) };
  if (top === 255) return filled(spec.dtype, dims, values);
  const scaled = values.map((level) => (level / 255) * top);
  return filled(spec.dtype, dims, isFloat(spec.dtype) ? scaled : scaled.map(Math.round));
}

class Picture {
  // what a field holds: the picture of a file or of the camera, or the array of a .npy file or an example
  constructor(spec, page) {
    Object.assign(this, { spec, page, source: null, held: null });
    this.canvas = make("canvas", { role: "img", "aria-label": `${spec.label}: the picture`, hidden: true });
    this.about = make("p", { class: "hint", role: "status" });
    this.invert = make("input", { type: "checkbox", onchange: () => page.changed() });
    const most = { type: "number", min: 1, max: 8192, value: LARGEST_SIDE };
    this.side = make("input", { ...most, onchange: () => this.show() });
    const load = (file) => (isArrayFile(file) ? readFile(file, spec) : bitmapOf(file));
    this.last = new LastFile(load, (content) => this.hold(content));
    const choose = guarded(this.about, () => this.last.take(this.file.files[0]));
    this.file = make("input", { type: "file", accept: "image/*,.npy", onchange: choose });
    this.read = checked(this.file, async () => {
      await this.last.settled();
      return this.tensor();
    });
  }

  show() {
    const { source, held, canvas, spec } = this;
    if (source) {
      const [height, width] = sizeFor(spec, source, Number(this.side.value) || LARGEST_SIDE, this.page.bounds);
      draw(canvas, source, height, width, spec.options.channels === 4);
      const isScaled = height !== source.height || width !== source.width;
      const resized = isScaled ? `, resized to ${width} × ${height}` : "";
      this.about.textContent = `${source.width} × ${source.height} pixels${resized}`;
    } else if (held) {
      showPixels(canvas, pixelsOf(held, spec.options));
      this.about.textContent = `an array ${dimsText(held.dims)}`;
    }
    canvas.hidden = !source && !held;
    this.page.changed();
  }

  hold(content) {
    // a picture, an array, or nothing
    const isArray = Boolean(content?.dims);
    Object.assign(this, { source: isArray ? null : content, held: isArray ? content : null }).show();
  }

  take(content) {
    this.last.forget();
    this.hold(content);
  }

  tensor() {
    if (this.held) return this.held;
    if (!this.source) throw new Error("there is no picture yet: choose a file");
    const { width, height } = this.canvas;
    const pixels = this.canvas.getContext("2d", { willReadFrequently: true }).getImageData(0, 0, width, height);
    return tensorOfPixels(pixels, this.spec, this.invert.checked);
  }
}

function pictureControl(spec, page) {
  const picture = new Picture(spec, page);
  const { canvas, about, invert, side, file } = picture;
  const isOpen = typeof spec.shape[axesOf(spec.options).height] !== "number";
  const settings = make(
    "div",
    { class: "row" },
    make("label", {}, invert, " inverted"),
    isOpen ? make("label", {}, "largest side ", side, " pixels") : null,
    cameraButton(about, (source) => picture.take(source)),
  );
  const element = field(spec, file, `a picture, ${spec.text}${rangeText(spec)}`, settings, about, canvas);
  return {
    element,
    canvas,
    read: () => picture.read(),
    write: (tensor) => picture.take(tensor),
    droppedFile: guarded(about, ({ dataTransfer }) => picture.last.take(dataTransfer.files[0])),
  };
}

function rangeText({ dtype, options }) {
  if (dtype === "bool") return " (true where it is light)";
  return ` (0 to ${options.top})`;
}

async function bitmapOf(file) {
  // the levels as they are in the file
  try {
    return await createImageBitmap(file, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
  } catch {
    throw new Error(`${file.name} is no picture that this browser reads`);
  }
}

function draw(canvas, source, height, width, keepsAlpha) {
  [canvas.width, canvas.height] = [width, height];
  canvas.classList.toggle("small", width < 100);
  canvas.style.width = width < 100 ? "200px" : "";
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (!keepsAlpha) {
    pen.fillStyle = "#fff"; // behind what is transparent
    pen.fillRect(0, 0, width, height);
  }
  pen.imageSmoothingEnabled = width !== source.width || height !== source.height;
  pen.imageSmoothingQuality = "high";
  pen.drawImage(source, 0, 0, width, height);
}

function cameraButton(about, take) {
  if (!navigator.mediaDevices?.getUserMedia) return null;
  const video = make("video", { hidden: true, muted: true, playsinline: true });
  let stream = null;
  const end = () => {
    stream.getTracks().forEach((track) => track.stop());
    stream = null;
    video.hidden = true;
    button.textContent = "Use the camera";
  };
  const button = make(
    "button",
    {
      type: "button",
      onclick: guarded(about, async () => {
        if (stream) {
          take(await createImageBitmap(video));
          end();
          return;
        }
        stream = await navigator.mediaDevices.getUserMedia({ video: true });
        video.srcObject = stream;
        video.hidden = false;
        await video.play();
        button.textContent = "Take the picture";
      }),
    },
    "Use the camera",
  );
  return make("div", { class: "row" }, button, video);
}

// Arrays as pictures.

function pictureLayout(dims) {
  // of an array that looks like one; null where it does not
  const isBatch = dims.length === 4 && dims[0] === 1;
  const [a, b, c] = isBatch ? dims.slice(1) : dims;
  const rank = dims.length - (isBatch ? 1 : 0);
  if (rank === 2) return { layout: "hw", channels: 1, batch: isBatch };
  if (rank !== 3) return null;
  if ([1, 3, 4].includes(c)) return { layout: "hwc", channels: c, batch: isBatch };
  return [1, 3, 4].includes(a) && b > 0 ? { layout: "chw", channels: a, batch: isBatch } : null;
}

function levelsOf(tensor, top, whites = []) {
  // how numbers become levels from 0 to 255, and what is to be said of it
  const isPlain = tensor.type === "bool" || tensor.type === "uint8";
  if (top || isPlain) return [(x) => (255 * x) / (top ?? (tensor.type === "bool" ? 1 : 255)), ""];
  const numbers = numbersOf(tensor);
  if (!numbers.some(Number.isFinite)) return [(x) => 255 * x, "no element is a finite number"];
  const [low, high] = rangeOf(numbers);
  const usual = isFloat(tensor.type) ? 1 : 255;
  // the white of a picture that went in, where that is enough and shows more than black: 1.5 of 255 is near 1
  const isWhite = (one) => low >= 0 && high <= one && (one === usual || high >= one / 16);
  const white = [usual, ...whites].find(isWhite);
  const [black, most] = white === undefined ? [low, high] : [0, white];
  const told = most === usual && black === 0 ? [] : [`black is ${shortText(black)}, white is ${shortText(most)}`];
  if (numbers.some(Number.isNaN)) told.push("nan is black");
  const scale = 255 / (most - black || 1);
  return [(x) => (x - black) * scale, told.join("; ")];
}

const shortText = (number) => floatText(Number(number.toPrecision(6))).replace(/\.0$/, "");

function pixelsOf(tensor, shape, whites) {
  // ImageData, and what is to be said of it
  const axes = axesOf(shape);
  const [height, width] = [tensor.dims[axes.height], tensor.dims[axes.width]];
  const numbers = numbersOf(tensor);
  const [level, said] = levelsOf(tensor, shape.top, whites);
  const pixels = new ImageData(Math.max(width, 1), Math.max(height, 1));
  const plane = shape.layout === "chw" ? height * width : 1;
  const step = shape.layout === "chw" ? 1 : shape.channels;
  for (let i = 0; i < height * width; i++) {
    for (let c = 0; c < 4; c++) {
      const channel = shape.channels === 1 ? 0 : c;
      pixels.data[4 * i + c] = c < 3 || shape.channels === 4 ? level(numbers[i * step + channel * plane]) : 255;
    }
  }
  return Object.assign(pixels, { said });
}

function showPixels(canvas, pixels) {
  [canvas.width, canvas.height] = [pixels.width, pixels.height];
  canvas.classList.toggle("small", pixels.width < 100);
  canvas.style.width = pixels.width < 100 ? "200px" : "";
  canvas.getContext("2d", { willReadFrequently: true }).putImageData(pixels, 0, 0);
}
