/**
 * What the specifications of a release's metadata demand, as checks: each returns what is wrong, in words. The
 * specifications' own validators (mlcroissant, frictionless, rocrate-validator) are Python packages that few indexes
 * carry; these follow the same texts. Not part of any process.
 */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Node = { [key: string]: Json };

const isNode = (value: Json | undefined): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const list = (value: Json | undefined): Json[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
const nodes = (value: Json | undefined): Node[] => list(value).filter(isNode);
const isText = (value: Json | undefined): value is string => typeof value === "string" && value.trim() !== "";
const isUrl = (value: Json | undefined) => isText(value) && /^https?:\/\//.test(value) && URL.canParse(value);
/** RFC 3339, with a time and a zone. */
const isMoment = (value: Json | undefined) =>
  isText(value) &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
  !Number.isNaN(Date.parse(value));

/** Terms of the Croissant 1.0 specification by the type that they belong to; an unknown one is a mistake. */
const croissantTerms = {
  "sc:Dataset":
    "conformsTo name alternateName description identifier url license creator publisher datePublished dateModified " +
    "keywords sameAs inLanguage version isLiveDataset isAccessibleForFree citeAs distribution recordSet",
  "cr:FileObject": "name description contentUrl contentSize encodingFormat sha256 md5 containedIn sameAs",
  "cr:RecordSet": "name description dataType key field data examples",
  "cr:Field": "name description dataType source references repeated equivalentProperty subField parentField",
} as const;

/** What the JSON-LD context of appendix 1 must map these terms to. */
const croissantContext: Readonly<Record<string, Json>> = {
  "@vocab": "https://schema.org/",
  sc: "https://schema.org/",
  cr: "http://mlcommons.org/croissant/",
  dct: "http://purl.org/dc/terms/",
  citeAs: "cr:citeAs",
  column: "cr:column",
  conformsTo: "dct:conformsTo",
  data: { "@id": "cr:data", "@type": "@json" },
  dataType: { "@id": "cr:dataType", "@type": "@vocab" },
  equivalentProperty: "cr:equivalentProperty",
  examples: { "@id": "cr:examples", "@type": "@json" },
  extract: "cr:extract",
  field: "cr:field",
  fileObject: "cr:fileObject",
  isLiveDataset: "cr:isLiveDataset",
  key: "cr:key",
  md5: "cr:md5",
  recordSet: "cr:recordSet",
  references: "cr:references",
  source: "cr:source",
};
const croissantDataTypes = new Set([
  "sc:Float",
  "sc:Integer",
  "sc:Text",
  "sc:Boolean",
  "sc:Date",
  "sc:URL",
  "sc:name",
  "sc:Enumeration",
]);

/** Croissant 1.0 (mlcommons.org/croissant/1.0): required properties, references and terms. */
export function croissantFaults(document: Node): string[] {
  const faults: string[] = [];
  const need = (isThere: boolean, what: string) => {
    if (!isThere) faults.push(what);
  };
  const context = isNode(document["@context"]) ? document["@context"] : {};
  for (const [term, meaning] of Object.entries(croissantContext)) {
    need(JSON.stringify(context[term]) === JSON.stringify(meaning), `@context: ${term}`);
  }
  need(document["@type"] === "sc:Dataset", "@type");
  need(document.conformsTo === "http://mlcommons.org/croissant/1.0", "conformsTo");
  need(isText(document.name) && /^[A-Za-z0-9._-]+$/.test(document.name), "name");
  need(isText(document.description), "description");
  need(isUrl(document.url), "url");
  need(isMoment(document.datePublished), "datePublished");
  need(isText(document.version) && /^\d+\.\d+\.\d+$/.test(document.version), "version");
  need(
    list(document.license).length > 0 &&
      list(document.license).every((one) => isUrl(one) || (isNode(one) && isText(one.name))),
    "license",
  );
  need(
    nodes(document.creator).length > 0 && nodes(document.creator).every((one) => isText(one.name)),
    "creator",
  );
  faults.push(...unknownTerms(document, "sc:Dataset", "dataset"));

  const files = nodes(document.distribution);
  const sets = nodes(document.recordSet);
  const fields = sets.flatMap((set) => nodes(set.field));
  const ids = [...files, ...sets, ...fields].map((one) => one["@id"]);
  need(ids.every(isText), "an @id is missing");
  need(new Set(ids).size === ids.length, "an @id is there twice");
  for (const file of files) {
    const where = `distribution ${String(file["@id"])}`;
    need(file["@type"] === "cr:FileObject", `${where}: @type`);
    need(
      isText(file.name) && isUrl(file.contentUrl) && isText(file.encodingFormat),
      `${where}: name, contentUrl, encodingFormat`,
    );
    need(isText(file.sha256) && /^[0-9a-f]{64}$/.test(file.sha256), `${where}: sha256`);
    need(isText(file.contentSize) && /^\d+ (?:B|[kMGT]B)$/.test(file.contentSize), `${where}: contentSize`);
    faults.push(...unknownTerms(file, "cr:FileObject", where));
  }
  for (const set of sets) faults.push(...recordSetFaults(set, { files, fields }));
  return faults;
}

function recordSetFaults(set: Node, all: { files: readonly Node[]; fields: readonly Node[] }): string[] {
  const where = `recordSet ${String(set["@id"])}`;
  const faults = unknownTerms(set, "cr:RecordSet", where);
  const need = (isThere: boolean, what: string) => {
    if (!isThere) faults.push(`${where}: ${what}`);
  };
  const own = nodes(set.field);
  const ownIds = new Set(own.map((field) => field["@id"]));
  need(set["@type"] === "cr:RecordSet" && isText(set.name), "@type, name");
  need(own.length > 0, "no field");
  need(
    nodes(set.key).every((key) => ownIds.has(key["@id"]!)),
    "its key is not one of its fields",
  );
  for (const record of nodes(set.data)) {
    need(
      Object.keys(record).length === ownIds.size && Object.keys(record).every((key) => ownIds.has(key)),
      "data",
    );
  }
  for (const field of own) {
    const name = `field ${String(field["@id"])}`;
    need(field["@type"] === "cr:Field" && isText(field.name), `${name}: @type, name`);
    need(
      String(field["@id"]).startsWith(`${String(set["@id"])}/`),
      `${name}: its @id is not below its set's`,
    );
    const types = list(field.dataType);
    need(
      types.length > 0 && types.every((type) => croissantDataTypes.has(String(type))),
      `${name}: dataType`,
    );
    need(set.data !== undefined || isNode(field.source), `${name}: no source`);
    if (isNode(field.source)) {
      const { fileObject, extract } = field.source;
      need(
        isNode(fileObject) && all.files.some((file) => file["@id"] === fileObject["@id"]),
        `${name}: fileObject`,
      );
      need(
        isNode(extract) && Object.keys(extract).join() === "column" && isText(extract.column),
        `${name}: extract`,
      );
    }
    if (isNode(field.references)) {
      const { field: target } = field.references;
      need(isNode(target) && all.fields.some((one) => one["@id"] === target["@id"]), `${name}: references`);
    }
    faults.push(...unknownTerms(field, "cr:Field", name));
  }
  return faults;
}

function unknownTerms(node: Node, type: keyof typeof croissantTerms, where: string): string[] {
  const known = croissantTerms[type].split(" ");
  return Object.keys(node)
    .filter((key) => !key.startsWith("@") && !known.includes(key))
    .map((key) => `${where}: ${key} is no term of ${type}`);
}

const fieldTypes = new Set(
  "string number integer boolean object array list datetime date time year yearmonth duration geopoint geojson any".split(
    " ",
  ),
);

/** Data Package version 2 (datapackage.org): the profile's requirements on package, resources and table schemas. */
export function datapackageFaults(document: Node): string[] {
  const faults: string[] = [];
  const need = (isThere: boolean, what: string) => {
    if (!isThere) faults.push(what);
  };
  need(document.$schema === "https://datapackage.org/profiles/2.0/datapackage.json", "$schema");
  need(isText(document.name) && /^[a-z0-9._-]+$/.test(document.name), "name");
  need(isMoment(document.created), "created");
  need(document.homepage === undefined || isUrl(document.homepage), "homepage");
  for (const license of nodes(document.licenses)) {
    need(isText(license.name) || isText(license.path), "licenses: neither name nor path");
    need(license.name === undefined || /^[-a-zA-Z0-9._]+$/.test(String(license.name)), "licenses: name");
  }
  for (const contributor of nodes(document.contributors)) {
    need(isText(contributor.title) && Array.isArray(contributor.roles), "contributors");
  }
  const resources = nodes(document.resources);
  need(resources.length > 0, "resources");
  const names = resources.map(({ name }) => name);
  need(new Set(names).size === names.length, "two resources have one name");
  for (const resource of resources) {
    const where = `resource ${String(resource.name)}`;
    need(isText(resource.name) && /^[a-z0-9._-]+$/.test(resource.name), `${where}: name`);
    const { path } = resource;
    need(
      isText(path) && !path.startsWith("/") && !path.split("/").includes("..") && !path.includes("\\"),
      `${where}: path`,
    );
    need(Number.isInteger(resource.bytes), `${where}: bytes`);
    need(/^[^:]+:[a-fA-F0-9]+$/.test(String(resource.hash)), `${where}: hash`);
    need(/^.+\/.+$/.test(String(resource.mediatype)), `${where}: mediatype`);
    need(resource.type === undefined || resource.type === "table", `${where}: type`);
    if (resource.type === "table") faults.push(...tableSchemaFaults(resource.schema, where));
  }
  return faults;
}

function tableSchemaFaults(schema: Json | undefined, where: string): string[] {
  if (!isNode(schema)) return [`${where}: no schema`];
  const faults: string[] = [];
  const need = (isThere: boolean, what: string) => {
    if (!isThere) faults.push(`${where}: ${what}`);
  };
  need(schema.$schema === "https://datapackage.org/profiles/2.0/tableschema.json", "schema.$schema");
  need(
    Array.isArray(schema.missingValues) && schema.missingValues.every((one) => typeof one === "string"),
    "missingValues",
  );
  const fields = nodes(schema.fields);
  need(fields.length > 0, "fields");
  for (const field of fields) {
    need(isText(field.name) && fieldTypes.has(String(field.type)), `field ${String(field.name)}: name, type`);
    const constraints = isNode(field.constraints) ? field.constraints : {};
    need(
      constraints.required === undefined || typeof constraints.required === "boolean",
      "constraints.required",
    );
    const { enum: levels } = constraints;
    need(
      levels === undefined ||
        (Array.isArray(levels) && levels.length > 0 && new Set(levels).size === levels.length),
      "constraints.enum",
    );
  }
  return faults;
}

/** Addresses that may stand as references without an entity of their own. */
const vocabulary = /^https:\/\/w3id\.org\/(?:shp#|ro\/crate\/1\.2$)/;
const statuses = ["Potential", "Active", "Completed", "Failed"].map(
  (one) => `http://schema.org/${one}ActionStatus`,
);

/**
 * RO-Crate 1.2 and the Five Safes profile 0.4 [FSC04], each MUST and SHOULD of a published crate that metadata alone can
 * show.
 * @param present - every file of the release
 */
export function roCrateFaults(document: Node, present: readonly string[]): string[] {
  const graph = nodes(document["@graph"]);
  const faults: string[] = [];
  const need = (isThere: boolean, what: string) => {
    if (!isThere) faults.push(what);
  };
  const byId = new Map(graph.map((entity) => [entity["@id"] as string, entity]));
  const at = (reference: Json | undefined): Node | undefined =>
    isNode(reference) ? byId.get(String(reference["@id"])) : undefined;
  const isOf = (entity: Node | undefined, type: string) => list(entity?.["@type"]).includes(type);

  need(document["@context"] === "https://w3id.org/ro/crate/1.2/context", "@context");
  need(byId.size === graph.length, "an @id is there twice");
  for (const entity of graph) {
    need(isText(entity["@id"]) && list(entity["@type"]).every(isText), "an entity without @id or @type");
    const isNamed = entity["@id"] === "ro-crate-metadata.json" || isText(entity.name);
    need(isNamed, `${String(entity["@id"])}: no name`);
    for (const [key, value] of Object.entries(entity)) {
      for (const inner of nodes(value)) {
        const isFlat = Object.keys(inner).join() === "@id";
        need(isFlat, `${String(entity["@id"])}.${key}: nested`);
        const target = String(inner["@id"]);
        need(
          byId.has(target) || vocabulary.test(target),
          `${String(entity["@id"])}.${key}: ${target} is not there`,
        );
      }
    }
  }

  const descriptor = byId.get("ro-crate-metadata.json");
  need(isOf(descriptor, "CreativeWork") && at(descriptor?.about) === byId.get("./"), "metadata descriptor");
  need(
    JSON.stringify(descriptor?.conformsTo) === '{"@id":"https://w3id.org/ro/crate/1.2"}',
    "descriptor: conformsTo",
  );
  const root = byId.get("./") ?? {};
  need(
    isOf(root, "Dataset") && isText(root.description) && isMoment(root.datePublished),
    "root: type, description, datePublished",
  );
  need(at(root.license) !== undefined && isOf(at(root.license), "CreativeWork"), "root: license");
  need(isOf(at(root.publisher), "Organization"), "root: publisher");
  need(
    isOf(at(root.conformsTo), "Profile") && at(root.conformsTo)?.["@id"] === "https://w3id.org/5s-crate/0.4",
    "root: conformsTo",
  );
  need(isOf(at(root.sourceOrganization), "Project"), "root: sourceOrganization");
  need(isOf(at(root.mainEntity), "Dataset"), "root: mainEntity");

  const parts = list(root.hasPart).map(at);
  const files = graph.filter((entity) => isOf(entity, "File"));
  need(
    files.every((file) => parts.includes(file)),
    "a file is no part of the root",
  );
  need(
    parts.every((part) => isOf(part, "File")),
    "a part is no file",
  );
  for (const file of files)
    need(present.includes(String(file["@id"])), `${String(file["@id"])}: no such file`);
  const others = present.filter((name) => name !== "ro-crate-metadata.json");
  for (const name of others) need(byId.has(name), `${name}: not described`);

  faults.push(...actionFaults(graph, root, { at, isOf }));
  return faults;
}

interface Looking {
  at(reference: Json | undefined): Node | undefined;
  isOf(entity: Node | undefined, type: string): boolean;
}

function actionFaults(graph: readonly Node[], root: Node, { at, isOf }: Looking): string[] {
  const faults: string[] = [];
  const need = (isThere: boolean, what: string) => {
    if (!isThere) faults.push(what);
  };
  const mentioned = list(root.mentions).map(at);
  const actions = graph.filter((entity) => isOf(entity, "CreateAction") || isOf(entity, "AssessAction"));
  for (const action of actions) {
    const where = String(action["@id"]);
    need(mentioned.includes(action), `${where}: not mentioned by the root`);
    need(statuses.includes(String(action.actionStatus)), `${where}: actionStatus`);
    need(action.endTime === undefined || isMoment(action.endTime), `${where}: endTime`);
    const agent = at(action.agent);
    need(
      ["Person", "Organization", "SoftwareApplication"].some((type) => isOf(agent, type)),
      `${where}: agent`,
    );
    if (isOf(agent, "SoftwareApplication"))
      need(isOf(at(agent?.provider), "Organization"), `${where}: provider`);
    if (isOf(action, "AssessAction"))
      need(
        list(action.object).some((one) => at(one) === root),
        `${where}: object`,
      );
  }
  const runs = actions.filter((action) => isOf(action, "CreateAction"));
  need(runs.length === 1, "not one CreateAction");
  for (const run of runs) {
    need(
      list(run.instrument).some((one) => at(one) === at(root.mainEntity)),
      "the run's instrument is not the study",
    );
    need(
      list(run.object).every((one) => at(one) !== undefined),
      "the run's inputs",
    );
    const parts = list(root.hasPart).map(at);
    need(
      list(run.result).length > 0 && list(run.result).every((one) => parts.includes(at(one))),
      "the run's results are no parts",
    );
    need(
      at(at(run.agent)?.memberOf) === at(root.sourceOrganization),
      "the run's agent is no member of the project",
    );
  }
  for (const phase of ["CheckValue", "SignOff", "DisclosureCheck"]) {
    const found = actions.filter(
      (action) =>
        isNode(action.additionalType) && action.additionalType["@id"] === `https://w3id.org/shp#${phase}`,
    );
    need(found.length === 1 && isOf(found[0], "AssessAction"), `no ${phase}`);
  }
  return faults;
}
