import type { JsonObject } from '../../../src/core/json/json-value.js';

/** A recorded file as it lies in its folder. */
export interface RecordedFile {
  readonly path: string;
  readonly content: JsonObject;
}

/**
 * How the recorded files of a folder are judged: each by itself, all in their order together, or both. A file agrees when
 * neither finds a difference in it; differences are in words.
 */
export interface Folder {
  readonly each?: (file: JsonObject) => readonly string[] | Promise<readonly string[]>;
  /** The differences of each file by its path; a file that is not in the answer has none. */
  readonly together?: (
    files: readonly RecordedFile[],
  ) => ReadonlyMap<string, readonly string[]> | Promise<ReadonlyMap<string, readonly string[]>>;
  /** Stops what the judges have started. */
  readonly close?: () => Promise<void>;
}
