import { ArgsType } from '@nestjs/graphql';
import type { Page } from '../../contract/page.js';
import type { Intents, ReadAt } from '../../app/reads/read-at.js';
import { defined } from '../../core/collections/defined.js';
import { AT, INTENTS, MAX_AGE, REVISION } from '../rest/read-at-query.js';
import { BasisShape } from '../shapes/basis-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { connection, ConnectionArguments, type Connection } from './connection.js';

/** Which state a field reads. */
@ArgsType()
export class ReadArguments {
  @Given(REVISION)
  revision?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;

  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

export interface ReadConnection<Node> extends Connection<Node> {
  basis: Plain<BasisShape>;
}

/** Where an object was read, for what is asked of it further down in the query. */
export interface Origin {
  readonly cluster: string;
  /** Leads to the same state. */
  readonly readAt: ReadAt;
}

export type WithOrigin<Shape> = Shape & { readonly origin: Origin };

/** The same object, with where it was read. */
export function withOrigin<View extends object>(
  view: View,
  { cluster, revision }: Pick<Plain<BasisShape>, 'cluster' | 'revision'>,
  { scenario, intents }: ReadAt,
): WithOrigin<View> {
  const readAt = {
    revision,
    ...defined({ scenario, intents }),
  };
  return { ...view, origin: { cluster, readAt } };
}

/** @param readAt what was asked for, where more is asked of the objects further down */
export function readConnection<View extends object>(
  { basis, page }: { readonly basis: Plain<BasisShape>; readonly page: Page<View> },
  args: Pick<ConnectionArguments, 'after'>,
  readAt: ReadAt = {},
): ReadConnection<WithOrigin<View>> {
  return { ...connection(page, args, (view) => withOrigin(view, basis, readAt)), basis };
}
