// Runs models in onnxruntime-web with WebGPU, in a page: asks its server for questions, and tells it the answers.
//
// A question is {number, model, feeds: [{name: tensor}]}; its answer {outputs: [{name: tensor}]}, with {error: text}
// where a run fails, or {error: text} where the model is not loaded.  A tensor is {type, dims, data}, its data in
// base64, or a list of texts.

import * as ort from "/dist/ort.webgpu.min.mjs";

ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = "/dist/";
ort.env.logLevel = "fatal";

const arrays = {
  float32: Float32Array, float64: Float64Array, bool: Uint8Array, float16: globalThis.Float16Array ?? Uint16Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
};

function read({ type, dims, data }) {
  if (type === "string") return new ort.Tensor(type, data, dims);
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return new ort.Tensor(type, new arrays[type](bytes.buffer), dims);
}

function written({ type, dims, data }) {
  if (type === "string") return { type, dims, data };
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { type, dims, data: btoa(text) };
}

const each = (tensors, change) => Object.fromEntries(Object.entries(tensors).map(([name, t]) => [name, change(t)]));

// The arrays that a model takes: it may have others itself.
function taken(feed, session) {
  return Object.fromEntries(session.inputNames.filter((name) => name in feed).map((name) => [name, feed[name]]));
}

async function answer({ model, feeds }) {
  let outputs;
  try {
    const bytes = new Uint8Array(await (await fetch(model)).arrayBuffer());
    const session = await ort.InferenceSession.create(bytes, { executionProviders: ["webgpu"] });
    outputs = [];
    for (const feed of feeds) outputs.push(each(await session.run(each(taken(feed, session), read)), written));
    await session.release();
    return { outputs };
  } catch (error) {
    return { error: String(error), outputs }; // without outputs where there are none
  }
}

const adapter = await navigator.gpu?.requestAdapter();
const tell = (path, said) => fetch(path, { method: "POST", body: JSON.stringify(said) });
if (!adapter) await tell("/missing", {});
while (adapter) {
  const next = await fetch("/question");
  if (next.status !== 200) break;
  const question = await next.json();
  await tell(`/answer/${question.number}`, await answer(question));
}
