// Entry of the WASM module. Every pointer is a byte offset in the imported, shared memory; the caller allocates.
// Only f64x2 and no relaxed SIMD: results are the same bits on every CPU.
export { gramBlock, gramFold } from "./gram";
export { largestCorrelations } from "./correlations";
export { histogramSlot, histogramFold } from "./histogram";
export { mirrorUpper } from "./mirror";
export { tridiagonalise, applyReflectors } from "./householder";
export { qlValues, qlVectors } from "./ql";
export { inverseIteration } from "./inverseIteration";
