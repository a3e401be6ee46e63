import type { Predictor } from "@consilium/core/release/predictor";
import { assertNever } from "@consilium/core/result";
import { linearMapOnnx, regressionOnnx } from "./linearMap.js";
import { treesOnnx } from "./trees.js";

/** model.onnx: the predictor with its preprocessing, for any ONNX runtime. */
export function onnxModel(predictor: Predictor, description: string): Uint8Array {
  switch (predictor.kind) {
    case "trees":
      return treesOnnx(predictor, description);
    case "linear-map":
      return linearMapOnnx(predictor, description);
    case "regression":
      return regressionOnnx(predictor, description);
    default:
      return assertNever(predictor);
  }
}
