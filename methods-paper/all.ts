import type { StudyOf } from "@consilium/core/method/method";
import { Methods } from "@consilium/core/method/methods";
import { soundMethods } from "@consilium/methods/all";
import { paperMethods } from "./registry.js";

const list = [...soundMethods, ...paperMethods] as const;

/** A study of any method. */
export type AnyStudy = StudyOf<(typeof list)[number]>;

/** All methods, the proven and the published: what every program knows but a site's. */
export const allMethods = new Methods<AnyStudy>(list);
