import type { JsonObject } from '../core/json/json-value.js';
import type { ProjectedItem } from './item-projector.js';

/** A list being read: what stands around its items, as far as it has been read. */
export interface ListContext {
  /** The list without its items; what follows the items is missing until the list has ended. */
  envelope: JsonObject;
  /** Where the list begins. */
  readonly place: { readonly offset: number; readonly line: number; readonly column: number };
}

/**
 * A part of a stream that can be parsed alone.
 *
 * - `object`: a whole top-level value, or an element of a top-level array.
 * - `item`: an element of a list's `items`.
 * - `read`: either of them, which needs no parsing any more.
 * - `list`: a list has ended; its `envelope` is complete.
 */
export type Piece =
  | {
      readonly type: 'object' | 'item';
      readonly format: 'json' | 'yaml';
      /** Good until the next piece is asked for. */
      readonly bytes: Uint8Array;
      /** With `item`: the list that it lies in. */
      readonly list: ListContext | undefined;
      /** Where the bytes begin: offset in the decoded stream, line and column from 1. */
      readonly offset: number;
      readonly line: number;
      readonly column: number;
    }
  | {
      /** An object or item that was read while it was looked for. */
      readonly type: 'read';
      readonly read: ProjectedItem;
      readonly offset: number;
      readonly line: number;
      readonly column: number;
    }
  | {
      readonly type: 'list';
      readonly format: 'json' | 'yaml';
      readonly list: ListContext;
    };

/** A part that has to be parsed. */
export type UnreadPiece = Piece & { readonly type: 'object' | 'item' };
