import type { JsonObject, JsonValue } from '../../json/json-value.js';

/** The members of objects that have a key twice, in the order in which they were written. */
export type RepeatedMembers = ReadonlyMap<JsonObject, readonly (readonly [key: string, value: JsonValue])[]>;

/** A key that a YAML mapping has twice. */
export interface RepeatedKey {
  /** Line of the second value in the text, from 1. */
  readonly line: number;
  /** In the words of the API server's YAML decoder: `line 7: key "name" already set in map`. */
  readonly message: string;
}

/** One document of manifests, parsed. */
export interface ManifestDocument {
  /** From 0; empty documents do not count. */
  readonly document: number;
  /** `value`: not from text, such as a member of a GraphQL argument. */
  readonly format: 'json' | 'yaml' | 'value';
  readonly value: JsonValue;
  /** JSON pointer to the document inside the request; empty if the manifests are text. */
  readonly pointer: string;
  /** The first line of its content in the text, from 1. */
  readonly line?: number;
  /** The first lines of the objects in it, as far as they were noted: items of Lists are. */
  readonly lines?: ReadonlyMap<JsonObject, number>;
  /** JSON only. */
  readonly repeated?: RepeatedMembers;
  /** YAML only. */
  readonly repeatedKeys?: readonly RepeatedKey[];
}
