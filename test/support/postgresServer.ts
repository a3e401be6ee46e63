/**
 * The project `postgres` of the test runner: unit tests of the stores' users once more, with their stores in a
 * PostgreSQL server that runs as long as they do.
 */
import type { TestProject } from "vitest/node";
import { postgresPrograms, TestPostgres } from "../../runtime/testing/postgres/postgres.js";

declare module "vitest" {
  interface ProvidedContext {
    testStore: string | null;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const programs = postgresPrograms();
  if (programs === null) {
    project.provide("testStore", null);
    return;
  }
  const server = await TestPostgres.start(programs, { settings: ["max_connections=300"] });
  project.provide("testStore", server.url());
  return () => server.remove();
}
