import {
  type AttributeProto,
  attributeTypes,
  type DataType,
  dataTypes,
  encodeModel,
  type NodeProto,
  type TensorProto,
  type ValueInfoProto,
} from "./schema.js";

/** The domain of ONNX's operators for trees and dictionaries. */
export const mlDomain = "ai.onnx.ml";

/** Operator sets that are used: of 2022, so that runtimes since then load the file. */
const opsets = [
  { domain: "", version: 17 },
  { domain: mlDomain, version: 3 },
];
const irVersion = 8;

/** What an operator is told besides its inputs. */
export type Attribute =
  | { readonly int: number }
  | { readonly text: string }
  | { readonly ints: readonly number[] }
  | { readonly floats: readonly number[] }
  | { readonly texts: readonly string[] }
  | { readonly tensor: TensorProto };

/** A graph under construction. Values within it have names that no column can have. */
export class OnnxGraph {
  readonly #nodes: NodeProto[] = [];
  readonly #initializers: TensorProto[] = [];
  readonly #inputs: ValueInfoProto[] = [];
  readonly #outputs: ValueInfoProto[] = [];
  readonly #taken: Set<string>;
  #made = 0;

  /** @param reserved - names that inputs will have */
  constructor(reserved: readonly string[]) {
    this.#taken = new Set(reserved);
  }

  /** One column of the rows: [rows, 1]. */
  input(name: string, type: DataType, description: string): string {
    this.#inputs.push(valueInfo(name, type, 1, description));
    return name;
  }

  constant(tensor: TensorProto): string {
    const name = this.#fresh("constant");
    this.#initializers.push({ ...tensor, name });
    return name;
  }

  doubles(values: readonly number[], dims: readonly number[] = [values.length]): string {
    return this.constant(doubleTensor(values, dims));
  }

  integers(values: readonly number[]): string {
    const raw = Buffer.alloc(values.length * 8);
    values.forEach((value, i) => {
      raw.writeBigInt64LE(BigInt(value), i * 8);
    });
    return this.constant({ dims: [values.length], data_type: dataTypes.int64, raw_data: raw });
  }

  /** Adds an operator with one output. */
  node(
    op: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    domain = "",
  ): string {
    const output = this.#fresh(op);
    this.#nodes.push({
      op_type: op,
      input: inputs,
      output: [output],
      attribute: Object.entries(attributes).map(attributeProto),
      domain,
    });
    return output;
  }

  cast(value: string, to: DataType): string {
    return this.node("Cast", [value], { to: { int: dataTypes[to] } });
  }

  /** Makes a value an output, under this name or one like it that no column has. */
  output(value: string, name: string, type: DataType, columns: number, description: string): void {
    let free = name;
    while (this.#taken.has(free)) free += "_";
    this.#taken.add(free);
    this.#nodes.push({ op_type: "Identity", input: [value], output: [free], attribute: [], domain: "" });
    this.#outputs.push(valueInfo(free, type, columns, description));
  }

  /** @throws RangeError where a constant is used by no operator: runtimes warn of each when they load the file */
  encode(name: string, description: string): Uint8Array {
    const used = new Set(this.#nodes.flatMap(({ input }) => input));
    const unused = this.#initializers.filter((one) => !used.has(one.name ?? ""));
    if (unused.length > 0)
      throw new RangeError(`unused constants: ${unused.map((one) => one.name).join(", ")}`);
    return encodeModel({
      ir_version: irVersion,
      producer_name: "consilium",
      doc_string: description,
      opset_import: opsets,
      graph: {
        name,
        node: this.#nodes,
        initializer: this.#initializers,
        input: this.#inputs,
        output: this.#outputs,
      },
    });
  }

  #fresh(kind: string): string {
    for (;;) {
      const name = `${kind}/${this.#made++}`;
      if (!this.#taken.has(name)) return name;
    }
  }
}

export function doubleTensor(values: readonly number[], dims: readonly number[]): TensorProto {
  const raw = Buffer.alloc(values.length * 8);
  values.forEach((value, i) => {
    raw.writeDoubleLE(value, i * 8);
  });
  return { dims, data_type: dataTypes.double, raw_data: raw };
}

function valueInfo(name: string, type: DataType, columns: number, description: string): ValueInfoProto {
  return {
    name,
    doc_string: description,
    type: {
      tensor_type: {
        elem_type: dataTypes[type],
        shape: { dim: [{ dim_param: "rows" }, { dim_value: columns }] },
      },
    },
  };
}

function attributeProto([name, attribute]: [string, Attribute]): AttributeProto {
  const bytes = (text: string) => Buffer.from(text, "utf8");
  if ("int" in attribute) return { name, type: attributeTypes.int, i: attribute.int };
  if ("text" in attribute) return { name, type: attributeTypes.string, s: bytes(attribute.text) };
  if ("ints" in attribute) return { name, type: attributeTypes.ints, ints: attribute.ints };
  if ("floats" in attribute) return { name, type: attributeTypes.floats, floats: attribute.floats };
  if ("texts" in attribute)
    return { name, type: attributeTypes.strings, strings: attribute.texts.map(bytes) };
  return { name, type: attributeTypes.tensor, t: attribute.tensor };
}
