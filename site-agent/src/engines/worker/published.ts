import { ListedMethods } from "@consilium/core/method/listedMethods";
import { openInlineKernels } from "@consilium/kernels/inlineKernels";
import { paperMethods } from "@consilium/methods-paper/registry";
import { run } from "./run.js";

/** The fold worker of published methods: a file of its own, that a hospital without them has not. */
const methods = new ListedMethods([]);
methods.add(paperMethods);
await run({ methods, kernels: openInlineKernels });
