import { fileURLToPath } from "node:url";
import { loadPackageDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { ProtoGrpcType as FederationTypes } from "./generated/federation.js";
import type { ProtoGrpcType as ReleasesTypes } from "./generated/releases.js";

/** The services, loaded from the .proto files themselves. The types beside them are generated from the same. */
const folder = fileURLToPath(new URL("../consilium/v1/", import.meta.url));

const definition = loadSync(["federation.proto", "releases.proto"], {
  includeDirs: [folder],
  longs: Number,
  enums: String,
  defaults: true,
  oneofs: true,
});

const loaded = loadPackageDefinition(definition) as unknown as FederationTypes & ReleasesTypes;

export const Federation = loaded.consilium.v1.Federation;
export const Releases = loaded.consilium.v1.Releases;
export const RosterMessage = loaded.consilium.v1.Roster;
