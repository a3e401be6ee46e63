import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/data/writeTable.js";
import { SparkApplication } from "./application.js";
import { forcedSettings, sparkEngine } from "./sparkConfig.js";

const folder = temporaryFolder();
const worker = join(folder, "fold-worker.mjs");
writeFileSync(worker, "");

/** In Python's place, a driver that answers each request with the same message, once it has kept what it was asked. */
function answering(answer: object): string {
  const path = join(folder, `driver-${Math.random().toString(36).slice(2)}`);
  const script = `#!${process.execPath}
const { writeFileSync } = require("node:fs");
const text = Buffer.from(${JSON.stringify(JSON.stringify(answer))});
const length = Buffer.alloc(4);
length.writeUInt32LE(text.length);
process.stdin.on("data", (data) => {
  if (data.includes('"do":"start"')) writeFileSync("${path}.asked", data.subarray(data.indexOf("{")));
  process.stdout.write(Buffer.concat([length, text]));
});`;
  writeFileSync(path, script, { mode: 0o700 });
  return path;
}

const start = (answer: object, more: object = {}) =>
  SparkApplication.start({
    ...sparkEngine.parse({ kind: "spark", master: "yarn", python: answering(answer), ...more }),
    program: { worker, environment: {} },
  });
const told = (fault: object) => ({
  fault: "SPARK",
  detail: null,
  condition: null,
  kind: "Py4JJavaError",
  python: false,
  ...fault,
});

describe("a Spark application", () => {
  it.each([
    [told({ fault: "GONE" }), /^ENGINE_UNREACHABLE the cluster's master did not take/],
    [told({ fault: "SIGN_IN" }), /^ENGINE_UNREACHABLE .*refuses the application's sign-in/],
    [
      told({ condition: "JAVA_GATEWAY_EXITED" }),
      /^ENGINE_UNREACHABLE Spark's JVM did not start on this machine$/,
    ],
    [told({ kind: "IllegalStateException" }), /^ENGINE_FAILED Spark reports IllegalStateException/],
  ])("that cannot start has its code: %j", async (answer, what) => {
    const { code, message } = (await start(answer).catch((error: unknown) => error)) as {
      code: string;
      message: string;
    };
    expect(`${code} ${english(message)}`).toMatch(what);
  });

  it("names Kerberos where a keytab is refused, and the file where there is none", async () => {
    const keytab = join(folder, "consilium.keytab");
    const signedIn = (path: string) =>
      start(told({ condition: "JAVA_GATEWAY_EXITED" }), {
        principal: "consilium@HOSPITAL.EXAMPLE",
        keytab: path,
      });
    await expect(signedIn(keytab)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    writeFileSync(keytab, "keys");
    await expect(inEnglish(signedIn(keytab))).rejects.toThrow(
      /or Kerberos refused the principal and its keytab/,
    );
  });

  it("tells Java where the settings of Kerberos are, which it does not find by their variable", async () => {
    const key = "spark.driver.defaultJavaOptions";
    const options = async (place?: string) => {
      const python = answering({ spark: "4.3.0", undone: [] });
      const own = { ...sparkEngine.parse({ kind: "spark", master: "yarn", python }) };
      const environment = { KRB5_CONFIG: place };
      await (await SparkApplication.start({ ...own, program: { worker, environment } })).end();
      const { forced } = JSON.parse(readFileSync(`${python}.asked`, "utf8")) as {
        forced: Record<string, string>;
      };
      return forced[key];
    };
    expect(await options("/etc/hospital/krb5.conf")).toBe(
      `${forcedSettings[key]} -Djava.security.krb5.conf=/etc/hospital/krb5.conf`,
    );
    for (const place of [undefined, "/a -Dlog4j2.level=INFO"])
      expect(await options(place)).toBe(forcedSettings[key]);
  });
});
