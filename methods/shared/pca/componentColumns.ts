import type { ReleaseColumn } from "@consilium/core/release/content";
import type { Study } from "@consilium/core/study/study";

/**
 * The columns of released rows in k coordinates, and the label's if the study has one.
 * @param describe - of a component, by its number from 1
 */
export function componentColumns(
  study: Pick<Study, "label"> & { readonly parameters: { readonly components: number } },
  describe: (component: number) => string,
  ofLabel: string,
): ReleaseColumn[] {
  const components = Array.from(
    { length: study.parameters.components },
    (_, i): ReleaseColumn => ({
      name: `component_${i + 1}`,
      type: "number",
      description: describe(i + 1),
    }),
  );
  if (study.label === undefined) return components;
  const { name, levels, description } = study.label;
  // A label that is called like a component keeps its meaning and gets another name.
  const free = components.some((column) => column.name === name.toLowerCase()) ? `label_${name}` : name;
  return [
    ...components,
    { name: free, type: "level", description: description ?? ofLabel, levels: [...levels] },
  ];
}
