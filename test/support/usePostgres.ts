import { beforeEach, inject } from "vitest";

const url = inject("testStore");
if (url !== null) process.env.CONSILIUM_TEST_STORE = url;

beforeEach((context) => {
  if (url === null) context.skip("no PostgreSQL programs");
});
