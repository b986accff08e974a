import type { JsonObject } from '../../json/json-value.js';

/** Where an object stands in the manifests of a request. */
export interface ManifestSource {
  /** The document, or the member of a list of manifests, from 0; empty documents do not count. */
  readonly document: number;
  /** The item of a List, from 0; items of Lists in a List are numbered in the order in which they stand. */
  readonly item?: number;
  /** JSON pointer to the object inside the request, or inside its document if the manifests are text. */
  readonly pointer: string;
  /** Its first line in the text, from 1; absent for manifests that were not sent as text. */
  readonly line?: number;
}

/** An object of a request, as it was sent. */
export interface ManifestObject {
  readonly source: ManifestSource;
  readonly apiVersion: string;
  readonly kind: string;
  /** Set for every namespaced kind: its own, or that of the request, or `default`. Undefined for kinds without one. */
  readonly namespace: string | undefined;
  /** Empty if the object has only a `generateName`. */
  readonly name: string;
  /** The object, integers exact; of duplicate keys the last. */
  readonly value: JsonObject;
}

/** An object that says nothing about where pods go. */
export interface NotLookedAt {
  readonly object: ManifestObject;
  /** One sentence without its full stop: `the kind Secret does not decide where pods can run`. */
  readonly why: string;
}

/** Why manifests cannot be read; nothing of the request is answered. */
export type ManifestFaultCode =
  /** The text has no object. */
  | 'empty-manifests'
  /** The text is not YAML or JSON, or is something else: HTML, a chart's notes, a template, a binary. */
  | 'malformed-manifests'
  | 'too-many-documents'
  /** A document, or an item of a List, is not an object. */
  | 'not-an-object'
  /** `apiVersion`, `kind` or `metadata.name` is missing, or is not a string. */
  | 'incomplete-object'
  /** Two objects have the same kind, namespace and name. */
  | 'duplicate-object'
  /** Owner references of the objects lead from one back to itself. */
  | 'owner-cycle'
  /** A List that is a page of a longer one, or a Status, which the API server returns instead of objects. */
  | 'unusable-object';

/** A part of the manifests that cannot be used. */
export interface ManifestFault {
  readonly code: ManifestFaultCode;
  /** One sentence that names the object, without its place. */
  readonly message: string;
  readonly document?: number;
  /** In the text, from 1. */
  readonly line?: number;
  readonly column?: number;
  /** As `ManifestSource.pointer`, down to the member at fault. */
  readonly pointer: string;
}
