import { soundRegistry } from "./registry.js";

/** All methods of the registry, loaded: for every program but a site's. */
export const soundMethods = await Promise.all(soundRegistry.map((one) => one.load()));
