// Sounds: files, the microphone and .npy files as arrays of one channel, with the rate that the program takes.

const RATE = 16_000; // samples a second, if neither the program nor the user says otherwise

async function decoded(buffer, rate) {
  // one channel; the browser converts the rate
  const wav = readWav(buffer);
  if (wav?.rate === rate) return mixed(wav.channels);
  const found = await new OfflineAudioContext(1, 1, rate).decodeAudioData(buffer.slice(0));
  return mixed(Array.from({ length: found.numberOfChannels }, (_, i) => found.getChannelData(i)));
}

function mixed(channels) {
  if (channels.length === 1) return channels[0];
  return channels[0].map((_, i) => channels.reduce((sum, channel) => sum + channel[i], 0) / channels.length);
}

// WAV files with the rate that is wanted are read as they are: browsers scale positive samples in a way of their own.

const SAMPLES = {
  "1 8": (view, at) => (view.getUint8(at) - 128) / 128,
  "1 16": (view, at) => view.getInt16(at, true) / 2 ** 15,
  "1 24": (view, at) => ((view.getUint16(at, true) << 8) | (view.getInt8(at + 2) << 24)) / 2 ** 31,
  "1 32": (view, at) => view.getInt32(at, true) / 2 ** 31,
  "3 32": (view, at) => view.getFloat32(at, true),
  "3 64": (view, at) => view.getFloat64(at, true),
};

function readWav(buffer) {
  // { rate, channels }; null for another file
  const view = new DataView(buffer);
  const word = (at) => String.fromCharCode(...new Uint8Array(buffer, at, 4));
  if (buffer.byteLength < 12 || word(0) !== "RIFF" || word(8) !== "WAVE") return null;
  let format = null;
  for (let at = 12; at + 8 <= buffer.byteLength;) {
    const [start, size] = [at + 8, view.getUint32(at + 4, true)];
    if (word(at) === "fmt ") {
      const kind = view.getUint16(start, true);
      format = {
        kind: kind === 0xfffe ? view.getUint16(start + 24, true) : kind,
        count: view.getUint16(start + 2, true),
        rate: view.getUint32(start + 4, true),
        bits: view.getUint16(start + 14, true),
      };
    }
    if (word(at) === "data" && format)
      return wavChannels(view, start, Math.min(size, buffer.byteLength - start), format);
    at = start + size + (size % 2);
  }
  return null;
}

function wavChannels(view, start, size, { kind, count, rate, bits }) {
  const read = SAMPLES[`${kind} ${bits}`];
  if (!read || !count) return null;
  const step = bits / 8;
  const length = Math.floor(size / (step * count));
  const channel = (c) => Float32Array.from({ length }, (_, i) => read(view, start + (i * count + c) * step));
  return { rate, channels: Array.from({ length: count }, (_, c) => channel(c)) };
}

function tensorOfSound(samples, spec) {
  const axis = spec.shape.findIndex((size) => size !== 1);
  const wanted = spec.shape[Math.max(axis, 0)];
  const level = (x) => Math.max(-32768, Math.min(32767, Math.round(x * 32768)));
  const found = filled(spec.dtype, [samples.length], isFloat(spec.dtype) ? samples : Float64Array.from(samples, level));
  const sized = typeof wanted === "number" ? resized(found, wanted) : found;
  return { ...sized, dims: spec.shape.map((_, i) => (i === Math.max(axis, 0) ? sized.dims[0] : 1)) };
}

class Sound {
  // what a field holds: the bytes of a file, decoded when its rate is known, or an array
  constructor(spec, page) {
    Object.assign(this, { spec, page, buffer: null, held: null });
    this.about = make("p", { class: "hint", role: "status" });
    const seen = { width: 800, height: 120, role: "img", "aria-label": `${spec.label}: the sound`, hidden: true };
    this.canvas = make("canvas", seen);
    this.refresh = guarded(this.about, () => this.show());
    const usual = { type: "number", min: 3000, max: 384000, value: spec.options.rate ?? RATE };
    this.field = make("input", { ...usual, onchange: this.refresh });
    const load = (file) => (isArrayFile(file) ? readFile(file, spec) : file.arrayBuffer());
    this.last = new LastFile(load, (content) => this.hold(content));
    const choose = guarded(this.about, () => this.takeFile(this.file.files[0]));
    this.file = make("input", { type: "file", accept: "audio/*,.npy", onchange: choose });
    this.read = checked(this.file, async () => {
      await this.last.settled();
      return this.tensor();
    });
  }

  get rate() {
    return Number(this.page.numberAt(this.spec.options.rate_input) ?? this.field.value) || RATE;
  }

  async tensor() {
    if (this.held) return this.held;
    if (!this.buffer) throw new Error("there is no sound yet: choose a file");
    try {
      return tensorOfSound(await decoded(this.buffer, this.rate), this.spec);
    } catch {
      throw new Error(`the sound cannot be read at ${this.rate} samples a second`);
    }
  }

  async show() {
    await this.last.settled();
    if (!this.held && !this.buffer) return;
    const tensor = await this.tensor();
    const length = sizeOf(tensor.dims);
    drawCurve(this.canvas, numbersOf(tensor), {});
    this.canvas.hidden = false;
    const seconds = (length / this.rate).toFixed(2);
    this.about.textContent = `${length} samples, ${seconds} s at ${this.rate} Hz${fixedText(this.spec)}`;
  }

  hold(content) {
    // the bytes of a file, an array, or nothing
    const isArray = Boolean(content?.dims);
    Object.assign(this, { buffer: isArray ? null : content, held: isArray ? content : null });
    this.canvas.hidden = true; // until it is shown
    this.page.changed();
  }

  take(content) {
    this.last.forget();
    this.hold(content);
    return this.show();
  }

  async takeFile(file) {
    await this.last.take(file);
    await this.show();
  }
}

function soundControl(spec, page) {
  const sound = new Sound(spec, page);
  const { about, canvas, file, refresh } = sound;
  const isAsked = !spec.options.rate && !spec.options.rate_input;
  const settings = make(
    "div",
    { class: "row" },
    isAsked ? make("label", {}, "samples a second ", sound.field) : null,
    recordButton(about, (buffer) => sound.take(buffer)),
  );
  return {
    element: field(spec, file, `a sound of one channel, ${spec.text}`, settings, about, canvas),
    refresh,
    read: () => sound.read(),
    write: guarded(about, (tensor) => sound.take(tensor)),
    rateOf: () => sound.rate,
    droppedFile: guarded(about, ({ dataTransfer }) => sound.takeFile(dataTransfer.files[0])),
  };
}

function fixedText(spec) {
  const wanted = spec.shape.find((size) => typeof size === "number" && size !== 1);
  return wanted === undefined
    ? ""
    : `; the program takes ${wanted} samples: longer sounds are cut, shorter ones end in silence`;
}

function recordButton(about, take) {
  if (!navigator.mediaDevices?.getUserMedia || !("MediaRecorder" in window)) return null;
  let recorder = null;
  const button = make(
    "button",
    {
      type: "button",
      onclick: guarded(about, async () => {
        if (recorder) {
          recorder.stop();
          recorder = null;
          button.textContent = "Record";
          return;
        }
        const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
        const parts = [];
        recorder = new MediaRecorder(stream);
        recorder.ondataavailable = ({ data }) => parts.push(data);
        recorder.onstop = guarded(about, async () => {
          stream.getTracks().forEach((track) => track.stop());
          await take(await new Blob(parts).arrayBuffer());
        });
        recorder.start();
        button.textContent = "Stop recording";
        about.textContent = "recording …";
      }),
    },
    "Record",
  );
  return button;
}

function wavOf(samples, rate) {
  // 16 bits, one channel
  const view = new DataView(new ArrayBuffer(44 + 2 * samples.length));
  const text = (place, letters) => Array.from(letters).forEach((c, i) => view.setUint8(place + i, c.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * samples.length, true);
  text(8, "WAVEfmt ");
  [
    [16, 16],
    [24, rate],
    [28, 2 * rate],
    [40, 2 * samples.length],
  ].forEach(([at, n]) => view.setUint32(at, n, true));
  [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ].forEach(([at, n]) => view.setUint16(at, n, true));
  text(36, "data");
  samples.forEach((x, i) => view.setInt16(44 + 2 * i, Math.max(-1, Math.min(1, x)) * 32767, true));
  return new Blob([view.buffer], { type: "audio/wav" });
}

// Curves and bars.

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function penOf(canvas) {
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, canvas.width, canvas.height);
  return pen;
}

function rangeOf(numbers) {
  let [low, high] = [Infinity, -Infinity];
  for (const x of numbers) {
    if (!Number.isFinite(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return low > high ? [0, 1] : [low, high];
}

function drawCurve(canvas, numbers, { segments = [] }) {
  // segments: pairs of places among the numbers
  const pen = penOf(canvas);
  const [low, high] = rangeOf(numbers);
  const { width, height } = canvas;
  const across = (i) => (i / Math.max(numbers.length - 1, 1)) * width;
  const up = (x) => height - 4 - ((x - low) / (high - low || 1)) * (height - 8);
  pen.fillStyle = colour("main");
  pen.globalAlpha = 0.25;
  for (const [first, last] of segments)
    pen.fillRect(across(first), 0, Math.max(across(last) - across(first), 1), height);
  pen.globalAlpha = 1;
  pen.strokeStyle = colour("main");
  pen.lineWidth = 1.5;
  pen.beginPath();
  const each = Math.max(1, Math.floor(numbers.length / (4 * width))); // of many samples, the extremes of each stretch
  for (let i = 0; i < numbers.length; i += each) {
    const [least, most] = each === 1 ? [numbers[i], numbers[i]] : rangeOf(numbers.slice(i, i + each));
    if (!Number.isFinite(least)) continue;
    pen.lineTo(across(i), up(least));
    if (most !== least) pen.lineTo(across(i), up(most));
  }
  pen.stroke();
}

function drawBars(canvas, numbers) {
  const pen = penOf(canvas);
  const [low, high] = rangeOf(numbers);
  const [bottom, top] = [Math.min(low, 0), Math.max(high, 0)];
  const { width, height } = canvas;
  const up = (x) => height - ((x - bottom) / (top - bottom || 1)) * height;
  pen.fillStyle = colour("main");
  const each = width / numbers.length;
  numbers.forEach((x, i) => {
    if (Number.isFinite(x))
      pen.fillRect(i * each + each / 10, Math.min(up(x), up(0)), each * 0.8, Math.max(Math.abs(up(x) - up(0)), 1));
  });
}
