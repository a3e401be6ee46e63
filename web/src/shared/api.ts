import type { paths as HospitalPaths } from "@consilium/runtime/http/openapi/generated/hospital";
import type { paths as OperatorPaths } from "@consilium/runtime/http/openapi/generated/operator";
import createClient from "openapi-fetch";
import { asLines } from "./said";

/** The error response, the same in every service. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** A request that a service refused, or that did not reach it (`code` UNREACHABLE, `status` 0). */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly failure: Failure,
  ) {
    super(failure.message);
  }
}

let csrf = "";

/** Later requests that change something send this token. */
export function setCsrf(token: string): void {
  csrf = token;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface RequestOptions {
  /** JSON, or text with `contentType`. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request to this page's own service.
 * @param path - from `/api/`
 * @throws ApiError
 */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const { body, contentType, signal } = options;
  const headers: Record<string, string> = { accept: "application/json" };
  if (method !== "GET") headers["x-consilium-csrf"] = csrf;
  if (body !== undefined) headers["content-type"] = contentType ?? "application/json";
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(path, {
    method,
    headers,
    credentials: "same-origin",
    ...(body === undefined ? {} : { body: text }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw unreachable();
  });
  if (response.ok) return (response.status === 204 ? undefined : asLines(await response.json())) as T;
  throw new ApiError(response.status, await failureOf(response));
}

/**
 * Fetches a file from this page's own service.
 * @throws ApiError
 */
export async function requestFile(path: string): Promise<Response> {
  const response = await fetch(path, { credentials: "same-origin" }).catch(() => {
    throw unreachable();
  });
  if (response.ok) return response;
  throw new ApiError(response.status, await failureOf(response));
}

/** A request of a client below, as `request` sends one. */
async function send(request: Request): Promise<Response> {
  if (request.method !== "GET") request.headers.set("x-consilium-csrf", csrf);
  const response = await fetch(request).catch((cause: unknown) => {
    if (request.signal.aborted) throw cause;
    throw unreachable();
  });
  if (response.ok) return response;
  throw new ApiError(response.status, await failureOf(response));
}

const options = { fetch: send, credentials: "same-origin", headers: { accept: "application/json" } } as const;

/**
 * The services' APIs, each typed by its OpenAPI document: a page calls its own service. A refused call throws an
 * ApiError, so that `answer(operatorApi.GET("/api/sites"))` is the response body.
 */
export const operatorApi = createClient<OperatorPaths>(options);
export const hospitalApi = createClient<HospitalPaths>(options);

/** @throws ApiError */
export async function answer<T>(call: Promise<{ readonly data?: T }>): Promise<T> {
  return asLines((await call).data) as T;
}

function unreachable(): ApiError {
  return new ApiError(0, {
    code: "UNREACHABLE",
    message: "the service is not responding",
    remedy: "check that it is running and reachable from this machine; the page retries automatically",
  });
}

async function failureOf(response: Response): Promise<Failure> {
  const body: unknown = await response.json().catch(() => null);
  if (typeof body === "object" && body !== null && "code" in body) return asLines(body) as Failure;
  return { code: `HTTP_${response.status}`, message: "malformed response", remedy: "try again" };
}
