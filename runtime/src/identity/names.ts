/** What the federation's certificates name: verified in browsers too, so it stands in core/. */
export * from "@consilium/core/identity/names";
