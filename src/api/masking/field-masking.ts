import type { GraphQLField } from 'graphql';
import type { Held } from '../../contract/held-by.js';
import type { Shape } from './mask-held.js';

/** How to mask a GraphQL field that is a member of a type of the contract. */
export interface FieldMasking {
  readonly held: Held;
  /** `columnOf` of the member. */
  readonly columnOf: string | undefined;
  /** The type that declares the member. */
  readonly owner: Shape;
}

const NAME = 'masking';

/** The extensions of the field. */
export const maskingExtensions = (masking: FieldMasking): Readonly<Record<string, unknown>> => ({ [NAME]: masking });

/** Undefined for a field that the contract does not declare, such as one of a connection. */
export function maskingOf({ extensions }: GraphQLField<unknown, unknown>): FieldMasking | undefined {
  return extensions[NAME] as FieldMasking | undefined;
}
