import { ArgsType } from '@nestjs/graphql';
import type { Intents, ReadAt } from '../../app/reads/read-at.js';
import { defined } from '../../core/collections/defined.js';
import { AT, INTENTS, MAX_AGE, REVISION } from '../../contract/common/revision.js';
import type { answerBasis } from '../../contract/common/basis.js';
import type { Response } from '../../contract/schema.js';
import { RequestField } from '../contract/field-decorators.js';
import { SCENARIO } from '../../contract/scenarios/scenario-request.js';
import type { ScenarioRequest } from '../../app/reads/given-scenario.js';
import type { Connection } from './connection.js';

/** Which state a field reads. */
@ArgsType()
export class ReadArguments {
  @RequestField(REVISION)
  revision?: number;

  @RequestField(AT)
  at?: string;

  @RequestField(MAX_AGE)
  maxAge?: string;

  @RequestField(INTENTS)
  intents?: Intents;

  @RequestField(SCENARIO)
  scenario?: ScenarioRequest;
}

export interface ReadConnection<Node> extends Connection<Node> {
  basis: Response<typeof answerBasis>;
}

/** Where an object was read, for what is asked of it further down in the query. */
export interface Origin {
  readonly cluster: string;
  /** Leads to the same state. */
  readonly readAt: ReadAt;
  /** Whether that state was asked for by its revision or time. */
  readonly isPinned?: boolean;
}

export type WithOrigin<Shape> = Shape & { readonly origin: Origin };

/** @param asked which state was asked for */
export function originOf(
  { cluster, revision }: { readonly cluster: string; readonly revision?: number },
  { scenario, intents, revision: asked, at }: ReadAt,
): Origin {
  return {
    cluster,
    readAt: defined({ revision, scenario, intents }),
    isPinned: asked !== undefined || at !== undefined,
  };
}
