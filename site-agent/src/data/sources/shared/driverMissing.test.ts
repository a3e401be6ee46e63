import { readFileSync } from "node:fs";
import type { ConsiliumError } from "@consilium/core/errors";
import { spokenError } from "@consilium/runtime/http/spoken";
import { expect, test } from "vitest";
import { driverMissing } from "./driverMissing.js";

const manifest = (path: string) =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as {
    readonly type: string;
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };

test("a driver that is not there is named with the command that adds it, and no other fault is taken for that", () => {
  const url = "file:///opt/consilium/site-agent/dist/data/sources/sqlserver/connection.js";
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const fault = spokenError(driverMissing("SQL Server", url, missing) as ConsiliumError);
  expect(fault).toMatchObject({
    code: "CONFIG_INVALID",
    message: "the driver of SQL Server is not installed here",
  });
  expect(fault).toHaveProperty(
    "remedy",
    expect.stringContaining(
      "`npm install --prefix /opt/consilium/site-agent/dist/data/sources/sqlserver --ignore-scripts`",
    ),
  );
  const other = new Error("a syntax error");
  expect(driverMissing("SQL Server", url, other)).toBe(other);
});

test.each([
  ["sqlserver", "mssql"],
  ["oracle", "oracledb"],
])(
  "the folder of %s names its driver, in the version that the tests use, and no installation has it",
  (kind, name) => {
    const own = manifest(`../${kind}/package.json`);
    const agent = manifest("../../../../package.json");
    expect(own.dependencies).toEqual({ [name]: agent.devDependencies[name] });
    expect(own.type).toBe("module");
    expect(agent.dependencies).not.toHaveProperty(name);
  },
);
