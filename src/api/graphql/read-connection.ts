import { ArgsType } from '@nestjs/graphql';
import type { Intents, ReadAt } from '../../app/reads/read-at.js';
import { defined } from '../../core/collections/defined.js';
import { AT, INTENTS, MAX_AGE, REVISION, RULES_VERSION_MEMBER } from '../../contract/common/revision.js';
import type { answerBasis } from '../../contract/common/basis.js';
import type { Response } from '../../contract/schema.js';
import { RequestField } from '../contract/field-decorators.js';
import { SCENARIO } from '../../contract/scenarios/scenario-request.js';
import type { ScenarioRequest } from '../../app/reads/given-scenario.js';
import type { Connection } from './connection.js';

/** The arguments that select a state. */
@ArgsType()
export class ReadArguments {
  @RequestField(REVISION)
  revision?: number;

  @RequestField(AT)
  at?: string;

  @RequestField(MAX_AGE)
  maxAge?: string;

  @RequestField(RULES_VERSION_MEMBER)
  rulesVersion?: string;

  @RequestField(INTENTS)
  intents?: Intents;

  @RequestField(SCENARIO)
  scenario?: ScenarioRequest;
}

export interface ReadConnection<Node> extends Connection<Node> {
  basis: Response<typeof answerBasis>;
}

/** The state that an object was read from, for nested fields. */
export interface Origin {
  readonly cluster: string;
  /** Selects the same state. */
  readonly readAt: ReadAt;
  /** Whether the query named the state by its revision or time. */
  readonly isPinned?: boolean;
}

export type WithOrigin<Item> = Item & { readonly origin: Origin };

/** @param asked the selection of the query */
export function originOf(
  { cluster, revision }: { readonly cluster: string; readonly revision?: number },
  { scenario, intents, rulesVersion, revision: requested, at }: ReadAt,
): Origin {
  return {
    cluster,
    readAt: defined({ revision, scenario, intents, rulesVersion }),
    isPinned: requested !== undefined || at !== undefined,
  };
}
