import { expect, it } from "vitest";
import { siteConsoleSettings } from "./siteConsole.js";

it("has defaults where config.yaml says nothing of the console", () => {
  for (const raw of [undefined, null, {}])
    expect(siteConsoleSettings(raw)).toMatchObject({ listen: "127.0.0.1:7082", hosts: [] });
});

it("takes certificate and key together", () => {
  expect(siteConsoleSettings({ tls: { certificate: "a.pem", key: "b.pem" } }).tls).toEqual({
    certificate: "a.pem",
    key: "b.pem",
  });
  expect(() => siteConsoleSettings({ tls: { certificate: "a.pem" } })).toThrow("console.tls.key is missing");
});

it("names every wrong key as config.yaml has it, and the known one that is closest", () => {
  const read = () =>
    siteConsoleSettings({ listn: "0.0.0.0:80", publicUrl: "https://hospital.example/secret-path" });
  expect(read).toThrow(/config\.yaml.*console\.listn is not a key here; did you mean listen\?/s);
  expect(read).toThrow(/console\.publicUrl: write it without a path/);
  expect(read).not.toThrow(/secret-path/);
  expect(read).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});
