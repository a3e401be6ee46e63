import { installedMethods as installed } from "@consilium/core/method/installedMethods";
import { soundMethods } from "@consilium/methods/all";

export const installedMethods = installed(soundMethods, () => import("@consilium/methods-paper/registry"));
