import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestStore } from "../../testing/store/store.js";
import { GroupCommit } from "./groupCommit.js";
import type { Store } from "./store.js";

let store: Store;
/** Commits so far. */
let commits: number;
let refuseCommits: number;
let group: GroupCommit;
beforeEach(() => {
  store = openTestStore(["CREATE TABLE notes (text TEXT PRIMARY KEY) STRICT"]);
  commits = 0;
  refuseCommits = 0;
  let depth = 0;
  group = new GroupCommit({
    transaction: <T>(work: () => T): T =>
      store.transaction(() => {
        depth++;
        let result: T;
        try {
          result = work();
        } finally {
          depth--;
        }
        if (depth > 0) return result;
        if (refuseCommits-- > 0) throw new Error("disk full");
        commits++;
        return result;
      }),
  });
});
afterEach(() => store.close());

const note = (text: string) => store.run("INSERT INTO notes (text) VALUES (?)", text);
const notes = () => store.all("SELECT text FROM notes ORDER BY rowid").map((row) => row.text);

describe("writes of one turn", () => {
  it("are one commit, in their order, and each gets its own result", async () => {
    const results = await Promise.all(
      ["a", "b", "c"].map((text) =>
        group.run(() => {
          note(text);
          return text.toUpperCase();
        }),
      ),
    );
    expect(results).toEqual(["A", "B", "C"]);
    expect(notes()).toEqual(["a", "b", "c"]);
    expect(commits).toBe(1);
  });

  it("are not done before the turn ends, and what comes later is a commit of its own", async () => {
    const first = group.run(() => note("a"));
    expect(notes()).toEqual([]);
    await first;
    await group.run(() => note("b"));
    expect(commits).toBe(2);
  });

  it("take what was waiting for them into their commit; alone it waits no longer than it may", async () => {
    const waited = group.run(() => note("a"), 60_000);
    await group.run(() => note("b"));
    await waited;
    expect(notes()).toEqual(["a", "b"]);
    expect(commits).toBe(1);
    await group.run(() => note("c"), 5);
    expect(commits).toBe(2);
  });

  it("fail alone: what the others wrote stays, also in memory", async () => {
    const counted: string[] = [];
    const add = (text: string) =>
      group.run((onUndo) => {
        note(text);
        counted.push(text);
        onUndo(() => counted.pop());
      });
    const results = await Promise.allSettled([add("a"), add("b"), add("a"), add("c")]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(notes()).toEqual(["a", "b", "c"]);
    expect(counted).toEqual(["a", "b", "c"]);
  });

  it("are taken back in memory when they do not become durable", async () => {
    let applied = 0;
    const add = (text: string) =>
      group.run((onUndo) => {
        note(text);
        applied++;
        onUndo(() => applied--);
      });
    refuseCommits = 3;
    const results = await Promise.allSettled([add("a"), add("b")]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(notes()).toEqual([]);
    expect(applied).toBe(0);
    await add("a");
    expect(notes()).toEqual(["a"]);
    expect(applied).toBe(1);
  });
});

describe("a transaction beside writes that wait", () => {
  it("takes them into its commit, before its own", async () => {
    const waited = group.run(() => note("a"), 60_000);
    expect(
      group.transaction(() => {
        note("b");
        return 7;
      }),
    ).toBe(7);
    await waited;
    expect(notes()).toEqual(["a", "b"]);
    expect(commits).toBe(1);
  });

  it("lasts where one of them fails, which fails alone", async () => {
    const counted: string[] = [];
    const add = (text: string) =>
      group.run((onUndo) => {
        counted.push(text);
        onUndo(() => counted.pop());
        note(text);
      });
    note("x");
    const waited = Promise.allSettled([add("a"), add("x"), add("c")]);
    group.transaction(() => note("y"));
    expect((await waited).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(notes()).toEqual(["x", "y", "a", "c"]);
    expect(counted).toEqual(["a", "c"]);
  });

  it.each(["its work", "its commit"])("loses none of them where %s fails", async (what) => {
    const waited = group.run(() => note("a"), 60_000);
    if (what === "its commit") refuseCommits = 1;
    expect(() =>
      group.transaction(() => {
        note("b");
        if (what === "its work") throw new Error("no");
      }),
    ).toThrow();
    refuseCommits = 0;
    await waited;
    expect(notes()).toEqual(["a"]);
  });

  it("takes none of them into one that may yet be taken back", async () => {
    let inner: Promise<unknown> | null = null;
    const outer = group.run(() => {
      inner = group.run(() => note("late"), 60_000);
      group.transaction(() => note("a"));
      throw new Error("no");
    });
    await expect(outer).rejects.toThrow("no");
    group.transaction(() => note("b"));
    await inner;
    expect(notes()).toEqual(["late", "b"]);
  });
});
