import { describe, expect, it } from "vitest";
import { serveChanged } from "./changedTables.js";

const served = "aggregator: a.example:7443\ntables:\n  stays: { path: stays.csv }\n";

function changed(text: string, { isIdle = true, fault = null as Error | null } = {}) {
  const opened: string[] = [];
  const said: string[] = [];
  const log = {
    info: (message: string) => said.push(message),
    error: (message: string) => said.push(message),
  };
  const reopen = async (by: string) => {
    if (fault !== null) throw fault;
    opened.push(by);
    return true;
  };
  const done = serveChanged(text, { path: "config.yaml", served, tables: { isIdle, reopen }, log });
  return { done, opened, said };
}

describe("a config.yaml that has changed", () => {
  const other = served.replace("stays.csv", "stays.parquet");

  it("has its tables served", async () => {
    const { done, opened, said } = changed(other);
    expect(await done).toEqual({ text: other, served: other });
    expect(opened).toEqual([other]);
    expect(said).toEqual(["the tables of the changed config.yaml are served"]);
  });

  it("is looked at again while a table is being read", async () => {
    const { done, opened } = changed(other, { isIdle: false });
    expect(await done).toBeNull();
    expect(opened).toEqual([]);
  });

  it.each([
    ["comments and other keys alone", `# Ours.\n${served}logLevel: debug\n`, 0],
    ["a text that is no YAML", `${served}  - [`, 1],
    ["a key that is misspelt", `${served}tabels: {}\n`, 1],
  ])("leaves the tables as they are: %s", async (_, text, faults) => {
    const { done, opened, said } = changed(text);
    expect(await done).toEqual({ text, served });
    expect(opened).toEqual([]);
    expect(said).toHaveLength(faults);
  });

  it("leaves the tables as they are where a table's entry has an error", async () => {
    const { done, said } = changed(other, { fault: new Error("of the entry") });
    expect(await done).toEqual({ text: other, served });
    expect(said).toHaveLength(1);
  });
});
