import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** What an identity provider does wrong, or somebody who plays it. */
export interface Misbehaviour {
  /** Claims of the ID token in place of the right ones. */
  readonly claims?: JWTPayload;
  /** Signed by a key that the provider does not publish. */
  readonly otherKey?: boolean;
  /** `alg: none`, without a signature. */
  readonly unsigned?: boolean;
  readonly noIdToken?: boolean;
}

interface Grant {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

/**
 * A small OpenID provider: discovery, keys, authorization that asks nobody, a token endpoint that takes a code once,
 * with its client's secret and its PKCE verifier. For tests.
 */
export class TestProvider {
  readonly clientId = "consilium";
  readonly clientSecret = "client-secret-of-the-test";
  person: JWTPayload = { sub: "subject-1", preferred_username: "Ada", groups: ["staff"] };
  misbehaviour: Misbehaviour = {};
  /** Authorization codes that were redeemed. */
  readonly redeemed: string[] = [];
  readonly #grants = new Map<string, Grant>();
  readonly #server: Server;
  readonly #keys;
  #issuer = "";

  private constructor(keys: Awaited<ReturnType<typeof makeKeys>>) {
    this.#keys = keys;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.writeHead(500).end());
    });
  }

  static async start(): Promise<TestProvider> {
    const provider = new TestProvider(await makeKeys());
    await new Promise<void>((resolve) => provider.#server.listen(0, "127.0.0.1", resolve));
    provider.#issuer = `http://127.0.0.1:${(provider.#server.address() as AddressInfo).port}`;
    return provider;
  }

  get issuer(): string {
    return this.#issuer;
  }

  /** What a person's browser does at the provider. @returns where it is sent back to */
  authorize(url: string): URL {
    const { searchParams } = new URL(url);
    const code = randomBytes(16).toString("hex");
    this.#grants.set(code, {
      nonce: searchParams.get("nonce")!,
      challenge: searchParams.get("code_challenge")!,
      redirectUri: searchParams.get("redirect_uri")!,
    });
    const back = new URL(searchParams.get("redirect_uri")!);
    back.searchParams.set("code", code);
    back.searchParams.set("state", searchParams.get("state")!);
    return back;
  }

  /** Makes a code good again, as a provider would that does not remember. */
  forget(code: string, grant: { readonly url: string }): void {
    const { searchParams } = new URL(grant.url);
    this.#grants.set(code, {
      nonce: searchParams.get("nonce")!,
      challenge: searchParams.get("code_challenge")!,
      redirectUri: searchParams.get("redirect_uri")!,
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, this.issuer);
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return json(response, 200, {
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          jwks_uri: `${this.issuer}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["ES256"],
          code_challenge_methods_supported: ["S256"],
        });
      case "/keys":
        return json(response, 200, { keys: [await this.#publicKey()] });
      case "/token":
        return this.#token(request, response);
      default:
        return json(response, 404, {});
    }
  }

  async #token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
    const code = form.get("code") ?? "";
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (clientOf(request) !== `${this.clientId}:${this.clientSecret}`) {
      return json(response, 401, { error: "invalid_client" });
    }
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get("redirect_uri")) {
      return json(response, 400, { error: "invalid_grant" });
    }
    this.redeemed.push(code);
    const idToken =
      this.misbehaviour.noIdToken === true ? {} : { id_token: await this.#idToken(grant.nonce) };
    return json(response, 200, { access_token: "a", token_type: "Bearer", expires_in: 60, ...idToken });
  }

  async #idToken(nonce: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: this.clientId,
      iat: now,
      exp: now + 60,
      nonce,
      ...this.person,
      ...this.misbehaviour.claims,
    };
    if (this.misbehaviour.unsigned === true) {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
      return `${part({ alg: "none", typ: "JWT" })}.${part(claims)}.`;
    }
    const key = this.misbehaviour.otherKey === true ? this.#keys.other : this.#keys.own;
    return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "1" }).sign(key.privateKey);
  }

  async #publicKey(): Promise<unknown> {
    return { ...(await exportJWK(this.#keys.own.publicKey)), kid: "1", alg: "ES256", use: "sig" };
  }
}

async function makeKeys() {
  return { own: await generateKeyPair("ES256"), other: await generateKeyPair("ES256") };
}

/** Id and secret are form-encoded before they are joined: RFC 6749, section 2.3.1. */
function clientOf({ headers }: IncomingMessage): string {
  const encoded = /^Basic (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
  return Buffer.from(encoded, "base64").toString("utf8").split(":").map(decodeURIComponent).join(":");
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
