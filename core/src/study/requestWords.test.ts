import { expect, it } from "vitest";
import { requestSchema } from "./request.js";
import { requestKeys, statedRequest, unstatedRequest } from "./requestWords.js";

it("says what a study states, and names what it leaves out", () => {
  const study = { request: { contact: "j.doe@example.org", investigator: "Dr. Jane Doe" } };
  expect(statedRequest(study)).toEqual([
    { title: "Investigator", text: "Dr. Jane Doe" },
    { title: "Contact", text: "j.doe@example.org" },
  ]);
  expect(unstatedRequest(study)).toEqual(["Purpose", "Protocol", "Ethics vote", "Legal basis", "Retention"]);
  expect(unstatedRequest({})).toHaveLength(requestKeys.length);
});

it("has a title for each key of the schema", () =>
  expect(Object.keys(requestSchema.shape)).toEqual(requestKeys));

it("takes no blank text for a statement", () => {
  for (const key of requestKeys) {
    expect(requestSchema.safeParse({ [key]: " \n" }).success).toBe(false);
    expect(requestSchema.safeParse({ [key]: "stated" }).success).toBe(true);
  }
});
