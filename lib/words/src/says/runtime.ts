import type { AccessSays } from "./access.js";
import type { HttpSays } from "./http.js";
import type { IdentitySays } from "./identity.js";
import type { NetworkSays } from "./network.js";
import type { ProcessSays } from "./process.js";
import type { ReleaseSays } from "./release.js";

/** What the processes share. */
export interface RuntimeSays
  extends AccessSays,
    HttpSays,
    IdentitySays,
    NetworkSays,
    ProcessSays,
    ReleaseSays {}
