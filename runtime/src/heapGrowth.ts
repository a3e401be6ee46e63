/**
 * V8 collects a heap that was idle for a while as soon as it has grown by a tenth. A stage's vectors are more than that,
 * and every stage then paid for marking the whole heap: more than for its masks. This lets the heap grow to three times
 * what the last full collection left.
 */
export const heapGrowth = "--heap-growing-percent=200";
