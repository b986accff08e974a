import type { JsonObject } from '../core/json/json-value.js';
import type { ProjectedItem } from './item-projector.js';

/** A list that is being read, with the members around its items read so far. */
export interface ListContext {
  /** The list without its items; members after the items are missing until the list has ended. */
  envelope: JsonObject;
  /** Where the list begins. */
  readonly place: { readonly offset: number; readonly line: number; readonly column: number };
}

/**
 * A part of a stream that can be parsed alone.
 *
 * - `object`: a whole top-level value, or an element of a top-level array.
 * - `item`: an element of a list's `items`.
 * - `read`: an object or item that is already parsed.
 * - `list`: the end of a list; its `envelope` is complete.
 */
export type Piece =
  | {
      readonly type: 'object' | 'item';
      readonly format: 'json' | 'yaml';
      /** Valid until the next piece is requested. */
      readonly bytes: Uint8Array;
      /** With `item`: the list that contains it. */
      readonly list: ListContext | undefined;
      /** Where the bytes begin: offset in the decoded stream, line and column from 1. */
      readonly offset: number;
      readonly line: number;
      readonly column: number;
    }
  | {
      /** An object or item that was read in place. */
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

/** A piece that must be parsed. */
export type UnreadPiece = Piece & { readonly type: 'object' | 'item' };
