/**
 * Loaded before a site agent (`node --import`): writes down the shape of everything that the agent gives to gRPC, and
 * passes it on. A line is a JSON object: the time, the call, the study, and the message with its bytes replaced by their number
 * and with what is random or a clock's replaced by its kind. `FRAME_TAP` names the file.
 */
import { appendFileSync } from "node:fs";
import { Federation } from "@consilium/proto/load";

const path = process.env.FRAME_TAP;

/** Keys whose values are drawn, counted by a clock, or a hash of such. */
const masked = new Set(["nowMs", "sequence", "head", "studyId"]);

function shapeOf(value, key) {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (masked.has(key)) return key;
  if (Array.isArray(value)) return value.map((item) => shapeOf(item, ""));
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item, name)]));
  return value;
}

const studyOf = (message) =>
  message.studyId ?? Object.values(message).find((part) => part?.studyId)?.studyId ?? null;

function note(call, study, message) {
  appendFileSync(path, `${JSON.stringify({ at: Date.now(), call, study, message: shapeOf(message, "") })}\n`);
}

/** The newest control stream. */
export let attended = null;

for (const name of ["attend", "sendVector", "sendRows"]) {
  const original = Federation.prototype[name];
  Federation.prototype[name] = function tapped(...args) {
    const call = original.apply(this, args);
    const write = call.write.bind(call);
    let study = null;
    call.write = (message, ...rest) => {
      // Of an upload the header alone names the study.
      study = studyOf(message) ?? (name === "attend" ? null : study);
      note(name, study, message);
      return write(message, ...rest);
    };
    if (name === "attend") attended = call;
    return call;
  };
}
const fetchVector = Federation.prototype.fetchVector;
Federation.prototype.fetchVector = function tapped(request, ...rest) {
  note("fetchVector", request.studyId, request);
  return fetchVector.call(this, request, ...rest);
};
