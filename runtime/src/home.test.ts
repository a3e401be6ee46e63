import { homedir } from "node:os";
import { join } from "node:path";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { expect, it } from "vitest";
import { homeFolders } from "./home.js";

it("follows CONSILIUM_HOME, and defaults to ~/.consilium", () => {
  const folders = homeFolders({ CONSILIUM_HOME: "/srv/federation" });
  expect(folders.authority).toBe("/srv/federation/authority");
  expect(folders.aggregator).toBe("/srv/federation/aggregator");
  expect(folders.publisher).toBe("/srv/federation/publisher");
  expect(folders.site(unwrap(parseSiteId("north-clinic")))).toBe("/srv/federation/sites/north-clinic");
  expect(homeFolders({}).home).toBe(join(homedir(), ".consilium"));
  expect(homeFolders({ CONSILIUM_HOME: "" }).home).toBe(join(homedir(), ".consilium"));
});
