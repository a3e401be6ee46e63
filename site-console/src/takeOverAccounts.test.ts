import { AccessRecords } from "@consilium/runtime/store/accessRecords";
import { openStore } from "@consilium/runtime/store/store";
import { expect, it } from "vitest";
import { fakeAgent, testLog } from "../testing/console.js";
import { migrations } from "./schema.js";
import { takeOverAccounts } from "./takeOverAccounts.js";

const former = {
  accounts: [
    {
      name: "ada",
      role: "administrator",
      password: "scrypt",
      oidc_issuer: null,
      oidc_subject: null,
      created_at: 1,
      last_sign_in_at: 2,
    },
  ],
  sessions: [{ hash: "h", account: "ada", holder: null, created_at: 1, used_at: 2 }],
  devices: [],
  api_tokens: [],
  setup_links: [],
};

function console() {
  const store = openStore(":memory:", migrations);
  const records = new AccessRecords(store);
  const { agent, asked, answers } = fakeAgent({ formerAccounts: former, formerAccountsTaken: {} });
  const takeOver = () => takeOverAccounts({ agent, store, records, log: testLog });
  return { store, records, takeOver, answers, asked: () => asked.map(([name]) => name) };
}

it("takes accounts and their sessions over, and says so once they are here", async () => {
  const { records, takeOver, asked } = console();
  await takeOver();
  expect(records.accounts()).toMatchObject([{ name: "ada", password: "scrypt", lastSignInAt: 2 }]);
  expect(records.session("h")).toMatchObject({ account: "ada" });
  expect(asked()).toEqual(["formerAccounts", "formerAccountsTaken"]);
});

it("leaves them with the agent where they could not be written here", async () => {
  const { store, takeOver, asked, records } = console();
  store.run("CREATE TRIGGER fails BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'disk'); END");
  await expect(takeOver()).rejects.toThrow("disk");
  expect(asked()).toEqual(["formerAccounts"]);
  expect(records.accounts()).toEqual([]);
});

it("keeps its own accounts against those of an older copy", async () => {
  const { records, takeOver, asked, answers } = console();
  const own = {
    role: "approver",
    password: null,
    oidcIssuer: null,
    oidcSubject: null,
    createdAt: 5,
  } as const;
  records.addAccount({ ...own, name: "bert", lastSignInAt: null });
  await takeOver();
  expect(records.accounts().map(({ name }) => name)).toEqual(["bert"]);
  expect(asked()).toEqual(["formerAccounts", "formerAccountsTaken"]);
  answers.formerAccounts = { ...former, accounts: [], sessions: [] };
  await takeOver();
  expect(asked()).toEqual(["formerAccounts", "formerAccountsTaken", "formerAccounts"]);
});

it("writes only columns that the table has", async () => {
  const { records, takeOver, answers } = console();
  const row = { ...former.accounts[0], "name) VALUES ('eve'); --": "x" };
  answers.formerAccounts = { ...former, accounts: [row], sessions: [], "accounts; DROP TABLE x": [{}] };
  await takeOver();
  expect(records.accounts().map(({ name }) => name)).toEqual(["ada"]);
});
