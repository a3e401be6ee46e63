import { Methods } from "@consilium/core/method/methods";
import { openInlineKernels } from "@consilium/kernels/inlineKernels";
import { paperMethods } from "@consilium/methods-paper/registry";
import { run } from "./run.js";

/** The fold worker of published methods: a file of its own, that a hospital without them has not. */
await run({ methods: new Methods([...paperMethods]), kernels: openInlineKernels });
