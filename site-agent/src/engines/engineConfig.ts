import { z } from "zod";
import { sparkEngine } from "./spark/sparkConfig.js";

/** What computes the stages of a site's studies: `engines:` in its configuration, by name. */
export const enginesConfig = z
  .record(
    z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "an engine's name holds letters, digits, _ and -"),
    z.discriminatedUnion("kind", [
      z.strictObject({
        /** Worker processes on this machine. */
        kind: z.literal("processes"),
        /** Default: as many as the machine has cores. */
        workers: z.int().min(1).max(256).optional(),
      }),
      sparkEngine,
    ]),
  )
  .refine((engines) => !("none" in engines), {
    path: ["none"],
    message: "`none` is the table without an engine: give the engine another name",
  })
  .default({});

export type EnginesConfig = z.output<typeof enginesConfig>;

/** `engine:` of a table that is read in the agent's own process. */
export const noEngine = "none";
