import protobuf from "protobufjs";

/**
 * The part of the ONNX file format that we write: message and field numbers of onnx/onnx.proto3 of the ONNX project
 * (Apache-2.0, see NOTICE), IR version 8.
 */
const source = `
syntax = "proto3";
package onnx;

message ModelProto {
  int64 ir_version = 1;
  string producer_name = 2;
  string producer_version = 3;
  string doc_string = 6;
  GraphProto graph = 7;
  repeated OperatorSetIdProto opset_import = 8;
}
message OperatorSetIdProto { string domain = 1; int64 version = 2; }
message GraphProto {
  repeated NodeProto node = 1;
  string name = 2;
  repeated TensorProto initializer = 5;
  repeated ValueInfoProto input = 11;
  repeated ValueInfoProto output = 12;
}
message NodeProto {
  repeated string input = 1;
  repeated string output = 2;
  string op_type = 4;
  repeated AttributeProto attribute = 5;
  string domain = 7;
}
message AttributeProto {
  string name = 1;
  float f = 2;
  int64 i = 3;
  bytes s = 4;
  TensorProto t = 5;
  repeated float floats = 7;
  repeated int64 ints = 8;
  repeated bytes strings = 9;
  enum AttributeType {
    UNDEFINED = 0; FLOAT = 1; INT = 2; STRING = 3; TENSOR = 4; FLOATS = 6; INTS = 7; STRINGS = 8;
  }
  AttributeType type = 20;
}
message TensorProto {
  repeated int64 dims = 1;
  int32 data_type = 2;
  repeated bytes string_data = 6;
  string name = 8;
  bytes raw_data = 9;
}
message ValueInfoProto { string name = 1; TypeProto type = 2; string doc_string = 3; }
message TypeProto {
  message Tensor { int32 elem_type = 1; TensorShapeProto shape = 2; }
  oneof value { Tensor tensor_type = 1; }
}
message TensorShapeProto {
  message Dimension { oneof value { int64 dim_value = 1; string dim_param = 2; } }
  repeated Dimension dim = 1;
}
`;

const modelProto = protobuf.parse(source, { keepCase: true }).root.lookupType("onnx.ModelProto");

/** TensorProto.DataType. */
export const dataTypes = { float: 1, int64: 7, string: 8, double: 11 } as const;
export type DataType = keyof typeof dataTypes;

/** AttributeProto.AttributeType. */
export const attributeTypes = {
  float: 1,
  int: 2,
  string: 3,
  tensor: 4,
  floats: 6,
  ints: 7,
  strings: 8,
} as const;

export interface TensorProto {
  readonly dims: readonly number[];
  readonly data_type: number;
  readonly string_data?: readonly Uint8Array[];
  readonly raw_data?: Uint8Array;
  readonly name?: string;
}

export interface AttributeProto {
  readonly name: string;
  readonly type: number;
  readonly i?: number;
  readonly s?: Uint8Array;
  readonly t?: TensorProto;
  readonly floats?: readonly number[];
  readonly ints?: readonly number[];
  readonly strings?: readonly Uint8Array[];
}

export interface NodeProto {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly op_type: string;
  readonly attribute: readonly AttributeProto[];
  readonly domain: string;
}

export interface ValueInfoProto {
  readonly name: string;
  readonly doc_string: string;
  readonly type: {
    readonly tensor_type: {
      readonly elem_type: number;
      readonly shape: {
        readonly dim: readonly ({ readonly dim_value: number } | { readonly dim_param: string })[];
      };
    };
  };
}

interface ModelProto {
  readonly ir_version: number;
  readonly producer_name: string;
  readonly doc_string: string;
  readonly opset_import: readonly { readonly domain: string; readonly version: number }[];
  readonly graph: {
    readonly name: string;
    readonly node: readonly NodeProto[];
    readonly initializer: readonly TensorProto[];
    readonly input: readonly ValueInfoProto[];
    readonly output: readonly ValueInfoProto[];
  };
}

/** The bytes of an .onnx file. */
export function encodeModel(model: ModelProto): Uint8Array {
  return modelProto.encode(modelProto.fromObject(model)).finish();
}
