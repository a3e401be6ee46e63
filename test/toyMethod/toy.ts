import { listed } from "@consilium/core/method/listedMethods";
import { soundRegistry } from "@consilium/methods/registry";
import { SiteMethods } from "@consilium/site-agent/studies/siteMethods";

export const toy = listed("pca", "toy-halves", () => import("./method.js"));

/** The methods of a hospital that has the toy as well: of its agent, and of the process that reads its tables. */
export const siteMethods = () => new SiteMethods([...soundRegistry, toy]);
