// `node --import` of it makes a process one of a version yet to come, that no service of today speaks with.
import { protocolVersions } from "@consilium/core/limits";

Object.assign(protocolVersions, { lowest: 8, highest: 9 });
