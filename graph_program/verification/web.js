// Runs models in onnxruntime-web: `node web.js questions.json answers.json`.
//
// A question is {model: path, feeds: [{name: tensor}]}; its answer is {outputs: [{name: tensor}]}, with {error: text}
// where a run fails, and outputs are those of the runs before, or {error: text} where the model is not loaded.  A tensor is {type, dims, data}, its data in base64, or a list of texts.

const fs = require("fs");
const ort = require("onnxruntime-web");

ort.env.wasm.numThreads = 1; // the models are small, and the threads would outlive them

const arrays = {
  float32: Float32Array, float64: Float64Array, bool: Uint8Array, float16: Uint16Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
};

function read({ type, dims, data }) {
  if (type === "string") return new ort.Tensor(type, data, dims);
  const bytes = new Uint8Array(Buffer.from(data, "base64")); // whose memory is aligned
  return new ort.Tensor(type, new arrays[type](bytes.buffer), dims);
}

function written({ type, dims, data }) {
  if (type === "string") return { type, dims, data };
  return { type, dims, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64") };
}

const each = (tensors, change) => Object.fromEntries(Object.entries(tensors).map(([name, t]) => [name, change(t)]));

// The arrays that a model takes: it may have others itself.
function taken(feed, session) {
  return Object.fromEntries(session.inputNames.filter((name) => name in feed).map((name) => [name, feed[name]]));
}

async function answer({ model, feeds }) {
  let outputs;
  try {
    const session = await ort.InferenceSession.create(new Uint8Array(fs.readFileSync(model)));
    outputs = [];
    for (const feed of feeds) outputs.push(each(await session.run(each(taken(feed, session), read)), written));
    await session.release();
    return { outputs };
  } catch (error) {
    return { error: String(error), outputs }; // without outputs where there are none
  }
}

(async () => {
  const [questions, answers] = process.argv.slice(2);
  const found = [];
  for (const question of JSON.parse(fs.readFileSync(questions))) found.push(await answer(question));
  fs.writeFileSync(answers, JSON.stringify(found));
})();
