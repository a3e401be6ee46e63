import type { ReleaseQuery } from "@consilium/core/release/views";

/** The list's filters, as stored in the address. Empty texts do not filter. */
export interface Filter {
  readonly q: string;
  readonly method: string;
  readonly variant: string;
  readonly verdict: string;
  readonly epsilonMin: string;
  readonly epsilonMax: string;
  readonly from: string;
  readonly to: string;
  readonly order: ReleaseQuery["order"];
  /** From 1. */
  readonly page: number;
}

export const noFilter: Filter = {
  q: "",
  method: "",
  variant: "",
  verdict: "",
  epsilonMin: "",
  epsilonMax: "",
  from: "",
  to: "",
  order: "newest",
  page: 1,
};

export const pageSize = 20;
const orders: readonly string[] = ["newest", "oldest", "epsilon", "title"] satisfies Filter["order"][];
const texts = ["q", "method", "variant", "verdict", "epsilonMin", "epsilonMax", "from", "to"] as const;

/** @param search - of an address, with or without the question mark; malformed parts are ignored */
export function readFilter(search: string): Filter {
  const given = new URLSearchParams(search);
  const text = (name: (typeof texts)[number]) => (given.get(name) ?? "").slice(0, 200);
  const number = (name: "epsilonMin" | "epsilonMax") => {
    const value = text(name).trim();
    return value !== "" && Number(value) >= 0 && Number.isFinite(Number(value)) ? value : "";
  };
  const day = (name: "from" | "to") => (isDay(text(name)) ? text(name) : "");
  const order = given.get("order") ?? "";
  const page = Number(given.get("page") ?? "1");
  return {
    q: text("q"),
    method: text("method"),
    variant: text("variant"),
    verdict: text("verdict"),
    epsilonMin: number("epsilonMin"),
    epsilonMax: number("epsilonMax"),
    from: day("from"),
    to: day("to"),
    order: orders.includes(order) ? (order as Filter["order"]) : "newest",
    page: Number.isInteger(page) && page >= 1 && page <= 10_000 ? page : 1,
  };
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text;
}

/** The part of the address behind the question mark; empty for no filter. */
export function writeFilter(filter: Filter): string {
  const out = new URLSearchParams();
  for (const name of texts) if (filter[name].trim() !== "") out.set(name, filter[name]);
  if (filter.order !== noFilter.order) out.set("order", filter.order);
  if (filter.page > 1) out.set("page", String(filter.page));
  return out.toString();
}

/** The request to the service. */
export function listAddress(filter: Filter): string {
  const out = new URLSearchParams(writeFilter({ ...filter, page: 1 }));
  out.set("limit", String(pageSize));
  if (filter.page > 1) out.set("offset", String((filter.page - 1) * pageSize));
  return `/api/releases?${out}`;
}

/** Whether any filter is set; order and page do not count. */
export function isFiltered(filter: Filter): boolean {
  return texts.some((name) => filter[name].trim() !== "");
}
