import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeDatabase, parsePostgresUrl } from "./address.js";

const parsed = (text: string) => {
  const result = parsePostgresUrl(text);
  return result.ok ? result.value : result.error.code;
};

describe("a PostgreSQL address", () => {
  it("asks for TLS with every check, except on this machine", () => {
    expect(parsed("postgres://aggregator@db.example.org/consilium")).toEqual({
      host: "db.example.org",
      port: 5432,
      user: "aggregator",
      database: "consilium",
      tls: "verify-full",
      caFile: null,
    });
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      expect(parsed(`postgresql://a@${host}:6000/b`)).toMatchObject({ port: 6000, tls: "disable" });
    }
    expect(parsed("postgres://a@db/b?sslmode=disable")).toMatchObject({ tls: "disable" });
    expect(parsed("postgres://a@127.0.0.1/b?sslmode=verify-full&sslrootcert=/etc/ca.pem")).toMatchObject({
      tls: "verify-full",
      caFile: "/etc/ca.pem",
    });
  });

  it("may be a socket's folder", () => {
    expect(parsed("postgres://a@/b?host=/run/postgresql")).toMatchObject({
      host: "/run/postgresql",
      user: "a",
      database: "b",
      tls: "disable",
    });
  });

  it("is refused with a password in it, and the message does not repeat it", () => {
    const result = parsePostgresUrl("postgres://a:hunter2@db/b");
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain("hunter2");
    expect(String(!result.ok && result.error.describe())).not.toContain("hunter2");
  });

  it("is refused where it is none, or would encrypt without knowing to whom", () => {
    for (const text of [
      "",
      "db",
      "mysql://a@db/b",
      "postgres://db/b",
      "postgres://a@db",
      "postgres://a@db/",
      "postgres://a@db/b?sslmode=require",
      "postgres://a@db/b?options=-c",
      "postgres://a@db:99999/b",
    ]) {
      expect(parsed(text), text).toBe("CONFIG_INVALID");
    }
  });

  it("of any text is read or refused, never thrown at", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((s) => `postgres://${s}`),
        ),
        (text) => {
          parsePostgresUrl(text);
        },
      ),
    );
  });

  it("is named without its user", () => {
    const result = parsePostgresUrl("postgres://someone@[::1]:6000/b");
    expect(result.ok && describeDatabase(result.value)).toBe("database b at [::1]:6000");
  });
});
