import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface TestCertificate {
  readonly certFile: string;
  readonly cert: string;
  readonly key: string;
}

/** A certificate that is its own authority, for two days. @param names - as in `IP:127.0.0.1` */
export function selfSigned(folder: string, name: string, names: readonly string[]): TestCertificate {
  const at = (ending: string) => join(folder, `${name}.${ending}`);
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
      "-keyout",
      at("key"),
      "-out",
      at("crt"),
      "-addext",
      `subjectAltName=${names.join(",")}`,
    ],
    { stdio: "pipe" },
  );
  return {
    certFile: at("crt"),
    cert: readFileSync(at("crt"), "utf8"),
    key: readFileSync(at("key"), "utf8"),
  };
}
