import type { Predictor } from "@consilium/core/release/predictor";
import { linearMapOnnx } from "./linearMap.js";
import { treesOnnx } from "./trees.js";

/** model.onnx: the predictor with its preprocessing, for any ONNX runtime. */
export function onnxModel(predictor: Predictor, description: string): Uint8Array {
  return predictor.kind === "trees"
    ? treesOnnx(predictor, description)
    : linearMapOnnx(predictor, description);
}
